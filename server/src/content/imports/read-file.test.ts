import { expect, test } from 'vitest'
import { readFile } from './read-file.ts'

/* What a file of many posts is refused for, before anything is made of it. */

const channels = Array.from({ length: 50 }, (_, at) => ({
  channelId: `0199c1de-7c3a-7b52-9d0e-5f1f0c3b${String(at).padStart(4, '0')}`,
  provider: 'bluesky',
  handle: `c${at}.example`,
  groups: [],
}))

function read(posts: readonly object[], mostPosts: number) {
  const file = JSON.stringify({ plan: 'p', channels: channels.map(({ handle }) => handle), posts })
  return readFile({ format: 'plan', file, name: 'p', timeZone: 'UTC', channels, channelIds: [], mostPosts })
}

const posts = (count: number, text: string) =>
  Array.from({ length: count }, (_, at) => ({ id: `p${at}`, text }))

test('has at most so many posts', () => {
  expect(read(posts(10, 'Hello'), 10)).toMatchObject({ faultCount: 0, posts: { length: 10 } })
  expect(read(posts(11, 'Hello'), 10)).toMatchObject({ code: 'too_many' })
})

test('says at most so much for all of its channels together', () => {
  // Each post has half a million characters, which it may have: ninety are too many.
  const text = 'x'.repeat(10_000)
  expect(read(posts(70, text), 100)).toMatchObject({ faultCount: 0, posts: { length: 70 } })
  expect(read(posts(90, text), 100)).toMatchObject({ code: 'too_large' })
})
