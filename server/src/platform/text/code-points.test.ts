import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { growthOf } from '../../../test/rigs/cpu-cost.ts'
import { compileSchema } from '../../edge/api/request/formats.ts'
import { codePointsOf, hasAtLeast, hasAtMost } from './code-points.ts'

const texts = fc.string({ unit: fc.constantFrom('a', 'é', '💥', '\ud83d', '\udca5') })

test('are counted as iterating counts them, also in text that is no Unicode', () => {
  fc.assert(
    fc.property(texts, fc.nat(12), (text, limit) => {
      const { length } = Array.from(text)
      expect(codePointsOf(text)).toBe(length)
      expect(hasAtMost(text, limit)).toBe(length <= limit)
      expect(hasAtLeast(text, limit)).toBe(length >= limit)
      expect(compileSchema({ maxLength: limit })(text)).toBe(length <= limit)
      expect(compileSchema({ minLength: limit })(text)).toBe(length >= limit)
    }),
  )
})

test('a limit far from the length costs nothing, however long the text is', () => {
  const text = (length: number) => 'é'.repeat(length)
  const [most, least] = [compileSchema({ maxLength: 8_388_608 }), compileSchema({ minLength: 1 })]
  const short = compileSchema({ maxLength: 100 })
  // What is looked through grows eightfold.
  const growth = growthOf(text, (one) => [most(one), least(one), short(one)], { from: 500_000 })
  expect(growth).toBeLessThan(3)
})
