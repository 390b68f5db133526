import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { growthOf } from '../../../../test/rigs/cpu-cost.ts'
import { fold } from './fold.ts'

test.each([
  ['HELLO', 'hello'],
  ['Straße', 'STRASSE'],
  ['STRAẞE', 'strasse'],
  ['ΟΔΟΣ', 'οδος'],
  ['ΟΔΟΣ', 'οδοσ'],
  ['İstanbul', 'istanbul'],
  ['ﬁnal', 'FINAL'],
  ['Ｆｕｌｌ', 'full'],
  ['É', 'e\u0301'],
  ['ПРИВЕТ', 'привет'],
])('%j is found as %j', (text, query) => {
  expect(fold(text)).toBe(fold(query))
})

test('folding twice changes no more', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(fold(fold(text))).toBe(fold(text))
    }),
  )
})

test('a word is found in either case, wherever it stands', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('ΟΔΟΣ', 'Straße', 'Ünïcode', 'İzmir', 'Ещё'),
      fc.constantFrom('', 'α', ' b', '!'),
      (word, after) => {
        for (const query of [word, word.toLowerCase(), word.toUpperCase()]) {
          expect(fold(`x ${word}${after}`)).toContain(fold(query))
        }
      },
    ),
  )
})

test.each(['\u0301\u0316', '\uff9e\u0301', '\ufdfa', 'Σ\u0301', 'İ', '\u1100\u1161'])(
  'any number of %j is folded in linear time',
  (piece) => {
    const make = (size: number) => `a${piece.repeat(Math.ceil(size / piece.length))}`
    expect(growthOf(make, fold)).toBeLessThan(24)
  },
)
