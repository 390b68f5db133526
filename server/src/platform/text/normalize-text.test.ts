import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { growthOf } from '../../../test/rigs/cpu-cost.ts'
import { normalizeText } from './normalize-text.ts'

/** Every mark of Unicode, and what becomes one. */
const marks = Array.from({ length: 0x11_0000 }, (_, code) =>
  code >= 0xd800 && code < 0xe000 ? '' : String.fromCodePoint(code),
).filter((character) => /^[\p{M}\uff9e\uff9f]$/u.test(character))

const mark = fc.oneof(
  fc.constantFrom(...marks),
  fc.constantFrom('\u0301', '\u0316', '\u0334', '\u0345', '\u0344', '\u0f73', '\u3099', '\uff9e', '\u034f'),
)
const base = fc.constantFrom('a', 'ạ', 'α', 'は', '가', '\u1100', 'ﷺ', '', '1')

describe.each(['NFC', 'NFKC'] as const)('%s', (form) => {
  test('is what the built-in method makes of any text', () => {
    const run = fc.array(mark, { minLength: 25, maxLength: 120 }).map((each) => each.join(''))
    fc.assert(
      fc.property(fc.array(fc.tuple(base, run), { maxLength: 3 }), (parts) => {
        const text = parts.flat().join('')
        expect(normalizeText(text, form)).toBe(text.normalize(form))
      }),
      { numRuns: 500 },
    )
  })

  test('of all marks there are, in any order', () => {
    for (const text of [marks.join(''), marks.toReversed().join('')])
      expect(normalizeText(text, form)).toBe(text.normalize(form))
  })

  test.each([
    ['alternating', '\u0301\u0316'],
    ['alternating, the other way round', '\u0316\u0301'],
    ['with a mark that becomes one by NFKC', '\uff9e\u0301'],
    ['with one that holds two', '\u0344\u0316'],
    ['with starters between', '\u0301\u0316\u034f'],
  ])('takes linear time for stacked marks: %s', (_what, piece) => {
    expect(
      growthOf(
        (size) => `a${piece.repeat(size / 2)}`,
        (text) => normalizeText(text, form),
      ),
    ).toBeLessThan(24)
  })
})
