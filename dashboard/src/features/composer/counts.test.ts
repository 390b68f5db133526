import { expect, test } from 'vitest'
import { countCharacters } from '../../../../server/src/networks/providers/shared/characters.ts'
import { countCharacters as about } from '../preview/count-characters.ts'
import { countsOf } from './counts.ts'
import { emptyDraft } from './draft.ts'
import type { Tag } from './use-link-tags.ts'

const texts = [
  '',
  'Plain words.',
  'Grüße 👩🏽‍🚀 🇦🇹 שלום 日本語 👍🏽',
  'Read https://example.com/a/very/long/path?with=query#and and example.com.',
  'By @ada@social.example and @grace #one (really) [x] {y} a_b *c* ~d~ <e> 5 #',
  'line\nline\n\nline',
]

test.each(['code_points', 'graphemes', 'x_weighted', 'mastodon', 'linkedin', 'threads'] as const)(
  'what is counted here as %s is what the server counts',
  (counting) => {
    const here = texts.map((text) => about(text, counting))
    expect(here).toEqual(texts.map((text) => countCharacters(text, counting)))
  },
)

const channels = [
  {
    channelId: 'a',
    handle: 'a',
    displayName: 'a',
    provider: 'x',
    maxCharacters: 280,
    characterCounting: 'x_weighted',
  },
  {
    channelId: 'b',
    handle: 'b',
    displayName: 'b',
    provider: 'x',
    maxCharacters: 280,
    characterCounting: 'x_weighted',
  },
  {
    channelId: 'c',
    handle: 'c',
    displayName: 'c',
    provider: 'bluesky',
    maxCharacters: 300,
    characterCounting: 'graphemes',
  },
] as const

const tag: Tag = (content) => content

test('counts are there before the server has answered, and for a text that no channel follows', () => {
  const draft = { ...emptyDraft(['a', 'b', 'c']), shared: { parts: [{ text: 'four', mediaIds: [] }] } }
  const shown = countsOf({ draft, tab: null, checked: undefined, tag }, channels)(0)
  expect(shown.map(({ characters, max, exact }) => [characters, max, exact])).toEqual([
    [4, 280, false],
    [4, 300, false],
  ])
  const own = { parts: [{ text: 'own', mediaIds: [] }] }
  const apart = { ...draft, variants: { a: own, b: own, c: own } }
  expect(countsOf({ draft: apart, tab: null, checked: undefined, tag }, channels)(0)).toHaveLength(2)
  expect(countsOf({ draft: apart, tab: 'c', checked: undefined, tag }, channels)(0)).toMatchObject([
    { characters: 3, max: 300 },
  ])
})

test('a network that is switched off counts nothing', () => {
  const off = {
    channelId: 'd',
    handle: 'd',
    displayName: 'd',
    provider: 'linkedin',
    maxCharacters: 0,
    characterCounting: 'linkedin',
  } as const
  const draft = { ...emptyDraft(['c', 'd']), shared: { parts: [{ text: 'four', mediaIds: [] }] } }
  const shown = countsOf({ draft, tab: null, checked: undefined, tag }, [...channels, off])(0)
  expect(shown.map(({ max }) => max)).toEqual([300])
})

test('the count of the server stands for the text that it has counted, and for no other', () => {
  const draft = { ...emptyDraft(['c']), shared: { parts: [{ text: 'four', mediaIds: [] }] } }
  const destination = {
    channelId: 'c',
    handle: 'c',
    displayName: 'c',
    provider: 'bluesky',
    ready: true,
    maxCharacters: 300,
  }
  const destinations = [{ ...destination, parts: [{ index: 0, characters: 99 }] }]
  const checked = { draft, check: { ready: true, media: [], issues: [], destinations } }
  const countOf = (text: string) => {
    const now = { ...draft, shared: { parts: [{ text, mediaIds: [] }] } }
    return countsOf({ draft: now, tab: null, checked, tag }, channels)(0)[0]
  }
  expect(countOf('four')).toMatchObject({ characters: 99, exact: true })
  expect(countOf('fives')).toMatchObject({ characters: 5, exact: false })
})
