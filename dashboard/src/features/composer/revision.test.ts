import type { Post } from '@postrider/contract'
import { expect, test } from 'vitest'
import { chooseTime } from '../../lib/chosen-time.ts'
import { draftOfPost, write } from './draft.ts'
import { changesNothing, revisionBody, revisionOf, revisionWords } from './revision.ts'

const now = new Date('2026-11-23T10:00:00Z')
const AT = '2026-12-01T09:00:30.000Z'

function aPost(status: string, ...times: (string | null)[]): Post {
  const destinations = times.map((publishAt, at) => ({
    ...{ channelId: 'abc'[at], controlToken: `token of ${'abc'[at]}`, content: null, status, publishAt },
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
  expect(words).toMatch(/^Text changed on A\. Added D, for .* in UTC\. Cancelled on B, for good\.$/)
})
