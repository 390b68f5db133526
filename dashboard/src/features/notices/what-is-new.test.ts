import { attentionPostsMax } from '@postrider/contract/names'
import { expect, test } from 'vitest'
import { excerptOf, newSince, seen } from './what-is-new.ts'

const post = (n: number) => ({
  key: `post ${n}`,
  kind: 'posts_failed' as const,
  since: new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString(),
})
const listed = (numbers: readonly number[]) =>
  numbers
    .toSorted((a, b) => b - a)
    .slice(0, attentionPostsMax)
    .map(post)
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n)

test('older posts that come up in the list as others are solved are not new, later ones are', () => {
  const all = range(1, attentionPostsMax + 10)
  const before = listed(all)
  const solved = listed(range(1, attentionPostsMax))
  expect(newSince(solved, seen(before, before))).toEqual([])
  const [latest] = listed([...all, attentionPostsMax + 11])
  expect(newSince([latest!, ...solved], seen(before, before))).toEqual([latest])
})

test('a list that is not full leaves nothing out', () => {
  const before = listed([5])
  expect(newSince(listed([4, 5]), seen(before, before))).toEqual([post(4)])
})

test('what a notification shows is one line of whole characters that turns no direction', () => {
  expect(excerptOf('a\r\nb\u202e\u2028c')).toBe('a b c')
  expect(excerptOf('😀'.repeat(101))).toBe(`${'😀'.repeat(99)}…`)
})
