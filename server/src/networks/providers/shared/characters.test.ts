import * as fc from 'fast-check'
import twitterText from 'twitter-text'
import { describe, expect, test } from 'vitest'
import { growthOf } from '../../../../test/rigs/cpu-cost.ts'
import { countCharacters, firstCharacters } from './characters.ts'

const family = '👨‍👩‍👧‍👦'

test.each([
  ['', 0],
  ['hello', 5],
  ['e\u0301', 2],
  ['日本語', 3],
  ['👍🏽', 2],
  [family, 7],
  ['\ud83d', 1],
  ['a\r\nb', 4],
])('%j is %i code points', (text, count) => {
  expect(countCharacters(text, 'code_points')).toBe(count)
})

test.each([
  ['', 0],
  ['hello', 5],
  ['e\u0301', 1],
  ['日本語', 3],
  ['👍🏽', 1],
  [family, 1],
  ['🇫🇷🇦🇹', 2],
  ['a\r\nb', 3],
  ['नमस्ते', 3],
])('%j is %i graphemes', (text, count) => {
  expect(countCharacters(text, 'graphemes')).toBe(count)
})

test.each([
  ['', 0],
  ['hello', 5],
  ['(a_b)', 8],
  ['#tag # #no_tag', 17],
  ['a@b <c>', 10],
  [family, 11],
])('%j is %i for LinkedIn', (text, count) => {
  expect(countCharacters(text, 'linkedin')).toBe(count)
})

test.each([
  ['', 0],
  ['hello', 5],
  ['e\u0301', 1],
  ['“quoted” – dash', 15],
  ['日本語', 6],
  ['한국어', 6],
  ['👍', 2],
  ['👍🏽', 2],
  [family, 2],
  ['🇫🇷', 2],
  ['1️⃣', 2],
  ['🏴󠁧󠁢󠁥󠁮󠁧󠁿', 2],
  ['🐦‍🔥', 2],
  ['🫱🏻‍🫲🏿', 2],
  ['❤️‍🔥', 2],
  ['🙂‍↔️', 2],
  ['🧑‍🧑‍🧒‍🧒', 2],
  ['🧑‍🧑‍🧒‍🧒🧑‍🧑‍🧒‍🧒', 4],
  // Joined as emoji are, and in no list of any Unicode so far.
  ['🐦‍🧊‍🔥', 2],
  ['♾️', 2],
  ['☺︎', 4],
  ['🇨🇶', 2],
  ['🇩🇩', 4],
  ['👩‍', 3],
  [`${'a\u0301'.repeat(3)}${'\u0316\u0301'.repeat(50)}`, 3 + 100],
  [`a${'\u0316'.repeat(40)}\u0301`, 41],
  ['https://example.com', 23],
  ['example.com', 23],
  ['https://example.com/a/very/long/path?with=a&query=that&goes=on#and-on', 23],
  ['see https://example.com.', 4 + 23 + 1],
  ['(https://example.com)', 1 + 23 + 1],
  ['a.b', 3],
  ['v1.2.3', 6],
  ['https://example.com日本', 23 + 4],
  ['🐦‍🔥 example.com 🐦‍🔥', 2 + 1 + 23 + 1 + 2],
  ['@user@example.com', 17],
])('%j weighs %i at X', (text, weight) => {
  expect(countCharacters(text, 'x_weighted')).toBe(weight)
})

const token = `${'eyJhbGciOi'.repeat(40)}.${'a-b_c'.repeat(60)}`

test.each([
  [`https://example.com/${token}`, 23],
  [`example.com/${token}`, 23],
  [`${'長'.repeat(300)}https://example.com/notes`, 600 + 23],
  [`${'長い文。'.repeat(100)}example.com`, 800 + 23],
  [`${'長い文。'.repeat(100)}example.com。長い文`, 800 + 23 + 8],
  [`https://example.com/${token} https://example.com/${token}`, 47],
])('an address in a run longer than a host name weighs 23: %#', (text, weight) => {
  expect(countCharacters(text, 'x_weighted')).toBe(weight)
})

const words = fc.constantFrom(
  'hello',
  'example.com',
  'https://example.com/a-b?c=d',
  'http://t.co/abc',
  'a.b',
  '..',
  '日本',
  '日本.jp',
  '💩.la',
  'http://日本.jp/x',
  'x@y.com',
  '#a.com',
  'é',
  ' 👍🏽',
  '1️⃣',
  '-a.com',
  'a_b.co.uk/x(y)',
  'www.a.de.',
  ',',
  ' ',
  '\n',
  '/',
  '。',
  '\ufeff',
)

test('any of the longest posts weighs what it should: 25,000', () => {
  const pieces = ['日本 ', 'e\u0301', '👨‍👩‍👧‍👦', 'https://example.com/a-b ', 'hello, ', '🫱🏽']
  const weights = [5, 1, 2, 24, 7, 2]
  const text = pieces.map((piece, at) => piece.repeat(4_000 / (weights[at] ?? 1))).join('')
  const weight = weights.reduce((sum, one) => sum + one * Math.floor(4_000 / one), 0)
  expect(countCharacters(text, 'x_weighted')).toBe(weight)
})

test('short text weighs what twitter-text says', () => {
  fc.assert(
    fc.property(fc.array(words, { maxLength: 12 }), (parts) => {
      const text = parts.join('')
      expect(countCharacters(text, 'x_weighted')).toBe(twitterText.parseTweet(text).weightedLength)
    }),
    { numRuns: 1_000 },
  )
})

test.each([
  ['a', 1],
  ['é', 1],
  ['漢字', 2],
  ['😀', 4],
  ['❤️', 6],
  ['👩‍👩‍👧', 18],
  ['🇩🇪', 8],
  ['1️⃣', 7],
  ['Good morning ☕', 16],
])('Threads counts %s as %i: an emoji is as many as its bytes', (text, count) => {
  expect(countCharacters(text, 'threads')).toBe(count)
})

describe.each(['code_points', 'graphemes', 'x_weighted', 'threads'] as const)('%s', (counting) => {
  test('counts any string as a whole number, and nothing as nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const count = countCharacters(text, counting)
        expect(Number.isInteger(count)).toBe(true)
        expect(count > 0).toBe(text !== '')
      }),
    )
  })

  test('text in ASCII without addresses is as long as it looks', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'b', ' ', '1', '!', '#', '@', '/', ':', '-', '_', '\n') }),
        (text) => {
          expect(countCharacters(text, counting)).toBe(text.length)
        },
      ),
    )
  })

  test('words apart count as much as words together', () => {
    fc.assert(
      fc.property(words, words, (a, b) => {
        const together = countCharacters(`${a} ${b}`, counting)
        expect(together).toBe(countCharacters(a, counting) + 1 + countCharacters(b, counting))
      }),
    )
  })
})

function countEveryWay(text: string): void {
  for (const counting of ['code_points', 'graphemes', 'x_weighted'] as const) countCharacters(text, counting)
}

test.each([
  '\u0301\u0316',
  '\u0344\u034f\u0316',
  '👩\u200d',
  '🇩',
  '🏴\u{e0067}',
  '1\ufe0f\u20e3',
  'a.',
  'a-',
  'a_.',
  '日',
  '日.',
  '日-',
  '日。a.com',
  'http://',
  'http://a.',
  'http://日.',
  'http://a.co/(',
  'http://a.co/(a',
  'http://a.co/?!a!',
  'a.co ',
  '.com',
  'com.',
  '👩‍',
  '👩‍❤️‍💋‍',
  '🇫',
  'e\u0301',
  '\u0301',
  '\ud800',
  'http://a-.',
  'x.com,',
])('counts any number of %j in linear time', (piece) => {
  const make = (size: number) => `a${piece.repeat(Math.ceil(size / piece.length))}日.!`
  expect(growthOf(make, countEveryWay)).toBeLessThan(24)
})

test.each([
  ['hello', 3, 'hel'],
  ['hello', 5, 'hello'],
  ['👍👍👍', 2, '👍👍'],
  [`a${family}b`, 3, 'a'],
  [family, 3, '👨‍👩'],
  ['e\u0301e\u0301', 3, 'e\u0301'],
])('of %j the first %i characters are %j', (text, most, kept) => {
  expect(firstCharacters(text, most)).toBe(kept)
})

test.each([
  ['x_weighted', 'https://example.com/'],
  ['mastodon', 'https://example.com/'],
  ['mastodon', 'https://bücher.de/'],
] as const)(
  '%s counts an address up to 4,096 characters as 23, and a longer one in full: %s',
  (counting, begin) => {
    const host = new URL(begin).host
    const longer = host.length - (begin.length - 'https:///'.length)
    const address = (characters: number) => begin + 'a'.repeat(characters - begin.length - longer)
    const count = (characters: number) => countCharacters(`Read ${address(characters)} now`, counting)
    expect(count(4_096)).toBe('Read  now'.length + 23)
    expect(count(4_097)).toBe('Read  now'.length + 4_097 - longer)
  },
)
