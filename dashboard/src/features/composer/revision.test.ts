import type { Post } from '@postrider/contract'
import { expect, test } from 'vitest'
import { chooseTime } from '../../lib/chosen-time.ts'
import { draftOfPost, write } from './draft.ts'
import { changesNothing, revisionBody, revisionOf, revisionWords } from './revision.ts'

const now = new Date('2026-11-23T10:00:00Z')
const AT = '2026-12-01T09:00:30.000Z'

function aPost(status: string, ...times: (string | null)[]): Post {
  const destinations = times.map((publishAt, at) => ({
    channelId: 'abc'[at],
    controlToken: `token of ${'abc'[at]}`,
    content: null,
    status,
    publishAt,
  }))
  return { content: { text: 'Hello' }, reviewStatus: 'not_required', destinations } as unknown as Post
}

const opened = (post: Post) => draftOfPost(post, 'UTC')
const revise = (post: Post, change: Partial<ReturnType<typeof opened>>) =>
  revisionOf(post, { ...opened(post), ...change }, 'UTC', now)
const at = (words: string) => ({ state: 'scheduled' as const, ...chooseTime(words) })

test.each([
  ['has one time, to the second', aPost('scheduled', AT, AT)],
  ['has several times', aPost('scheduled', AT, '2026-12-02T09:00:00.000Z')],
  ['is a draft', aPost('draft', null, null)],
])('what is only looked at changes nothing of a post that %s', (_what, post) => {
  expect(changesNothing(revise(post, {}))).toBe(true)
})

test('a time reaches the channels that have another, and drafts', () => {
  const post = aPost('scheduled', AT, '2026-12-02T09:00:00.000Z')
  expect(revise(post, { time: at('2 Dec 2026 9:00') })).toMatchObject({ timed: ['a'], text: [] })
  expect(revise(aPost('draft', null, null), { time: at('2 Dec 2026 9:00') })).toMatchObject({
    timed: ['a', 'b'],
  })
})

test('each change goes to the server under the token that was shown, and nothing else does', () => {
  const post = aPost('scheduled', AT, AT, AT)
  const typed = write(opened(post), 'a', { parts: [{ text: 'New', mediaIds: [] }] })
  const draft = { ...typed, channelIds: ['a', 'c', 'd'] }
  const revision = revisionOf(post, draft, 'UTC', now)
  expect(revisionBody(post, draft, revision)).toEqual({
    targets: [
      {
        channelId: 'a',
        controlToken: 'token of a',
        text: 'New',
        mediaIds: [],
        thread: [],
        firstComment: null,
        tagLinks: true,
      },
      // Added at the time of the others, to the second.
      {
        channelId: 'd',
        text: 'Hello',
        mediaIds: [],
        thread: [],
        firstComment: null,
        tagLinks: true,
        publishAt: AT,
      },
    ],
    cancel: [{ channelId: 'b', controlToken: 'token of b' }],
  })
  const words = revisionWords(revision, { zone: 'UTC', nameOf: (id) => id.toUpperCase(), done: true })
  expect(words).toMatch(/^Text changed on A\. Added D, for .* in UTC\. Cancelled on B permanently\.$/)
})

test('channels that have different times open with them, and only a time that is changed is sent', () => {
  const [own, other] = ['2026-12-02T09:00:30.000Z', '2026-12-03T09:00:00.000Z']
  const post = aPost('scheduled', AT, own, AT)
  const draft = opened(post)
  expect([draft.time, draft.ownTimes]).toMatchObject([{ state: 'scheduled' }, { b: {} }])
  const change = (words: string) => ({ ownTimes: { ...draft.ownTimes, c: chooseTime(words) } })
  const revised = { ...draft, ...change('3 Dec 2026 9:00') }
  const revision = revise(post, revised)
  expect(revision).toMatchObject({ timed: ['c'], times: new Map([['c', new Date(other)]]) })
  expect(revisionBody(post, revised, revision).targets).toEqual([
    { channelId: 'c', controlToken: 'token of c', publishAt: other },
  ])
  // The time of another channel, in the same words, is that channel's to the second.
  const same = { ownTimes: { ...draft.ownTimes, c: draft.ownTimes!['b']! } }
  expect(revise(post, same).times).toEqual(new Map([['c', new Date(own)]]))
  expect(revise(post, change('whenever'))).toMatchObject({ timed: ['c'], missesTime: true })
  // With its own time taken away, it has that of all.
  expect(revisionOf(post, { ...draft, ownTimes: {} }, 'UTC', now).times).toEqual(
    new Map([['b', new Date(AT)]]),
  )
  const said = { zone: 'UTC', nameOf: (id: string) => id.toUpperCase(), done: false }
  expect(
    revisionWords(revise(post, { ...change('3 Dec 2026 9:00'), time: at('2 Dec 2026 8:00') }), said),
  ).toMatch(/^Schedules A for .*08:00.* in UTC\. Schedules C for .*09:00.* in UTC\.$/)
})
