import { expect, test } from 'vitest'
import { characterCount } from './counting.ts'

test.each([
  ['', 0],
  ['hello', 5],
  ['café', 4],
  ['cafe\u0301', 4],
  ['日本語', 6],
  ['👍', 2],
  ['👨‍👩‍👧‍👦', 2],
  ['👍🏽', 2],
  ['🇫🇷', 2],
  ['1️⃣', 2],
  ['https://example.org/a/very/long/path?with=a&query=that&goes=on', 23],
  ['see https://example.org.', 4 + 23 + 1],
  ['(https://example.org)', 1 + 23 + 1],
  ['https://example.org日本', 23 + 4],
  ['http://a.example http://b.example', 23 + 1 + 23],
  ['“quoted” – dash', 15],
])('the short profile weighs %j as %i', (text, weight) => {
  expect(characterCount('short', text)).toBe(weight)
})

test.each([
  ['hello', 5],
  ['日本語', 3],
  ['👍🏽', 2],
  ['https://example.org', 19],
])('the professional profile counts the code points of %j: %i', (text, count) => {
  expect(characterCount('professional', text)).toBe(count)
})

test('100,000 stacked marks count as what they are', () => {
  const text = `e${'\u0316\u0301'.repeat(50_000)}`
  expect(characterCount('short', text)).toBe(100_000)
})
