import { expect, test } from 'vitest'
import { cardsOf, urgentFirst } from './cards.ts'

const at = '2026-11-25T09:00:00.000Z'
const entry = (postId: string, channelId: string, more: object = {}) => ({
  postId,
  channelId,
  provider: 'bluesky',
  status: 'scheduled' as const,
  publishAt: at,
  publishedAt: null,
  text: '',
  imageId: null,
  releaseUrl: null,
  reviewStatus: 'not_required' as const,
  author: 'Ada',
  editToken: 'e',
  controlToken: 'c',
  labels: [],
  seriesId: null,
  ...more,
})

test('a post is one card with its channels, and another at each further time', () => {
  const later = { publishAt: '2026-11-25T15:00:00.000Z' }
  const cards = cardsOf([entry('one', 'a'), entry('one', 'b'), entry('one', 'c', later), entry('two', 'a')])
  expect(cards.map(({ postId, entries }) => [postId, entries.map(({ channelId }) => channelId)])).toEqual([
    ['one', ['a', 'b']],
    ['two', ['a']],
    ['one', ['c']],
  ])
})

test('channels that went out at other seconds stay with those that are planned for the same time', () => {
  const published = { status: 'published' as const, publishedAt: '2026-11-25T09:00:02.000Z' }
  const [card, ...others] = cardsOf([entry('one', 'a', published), entry('one', 'b')])
  expect(others).toEqual([])
  expect(card).toMatchObject({ at, status: 'scheduled' })
})

test('a card shows the worst of its channels, and what needs somebody stands before what is only planned', () => {
  const cards = cardsOf([
    entry('planned', 'a'),
    entry('refused', 'a'),
    entry('refused', 'b', { status: 'failed' as const, publishedAt: null }),
  ])
  expect(urgentFirst(cards).map(({ postId, status }) => [postId, status])).toEqual([
    ['refused', 'failed'],
    ['planned', 'scheduled'],
  ])
})
