import { expect, test } from 'vitest'
import { growthOf } from '../../../../test/rigs/cpu-cost.ts'
import { withoutEnd } from './address-end.ts'

test.each([
  ['https://example.com/a.', 'https://example.com/a'],
  ['https://example.com/a).', 'https://example.com/a'],
  ['https://en.wikipedia.org/wiki/Rust_(language)', 'https://en.wikipedia.org/wiki/Rust_(language)'],
  ['https://en.wikipedia.org/wiki/Rust_(language)),', 'https://en.wikipedia.org/wiki/Rust_(language)'],
  ['https://example.com/a(b)(c))]', 'https://example.com/a(b)(c)'],
  ['https://example.com/?q=a!?', 'https://example.com/?q=a'],
  ['https://example.com/页面。', 'https://example.com/页面'],
  ['…', ''],
])('of %s the address is %s', (text, address) => {
  expect(withoutEnd(text)).toBe(address)
})

test('an address of brackets does not take the time of a square', () => {
  expect(growthOf((size) => `https://a.example/${')'.repeat(size)}`, withoutEnd)).toBeLessThan(24)
})
