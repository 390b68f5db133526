import { expect, test } from 'vitest'
import { randomOf } from './random.ts'

test('no bytes are given twice, whatever was asked for in between', () => {
  const drawn = Array.from({ length: 5_000 }, (_one, n) => randomOf(12 + (n % 7)).toString('hex'))

  expect(new Set(drawn.map((text) => text.slice(0, 16))).size).toBe(drawn.length)
  expect(new Set(drawn.map((text) => text.slice(-16))).size).toBe(drawn.length)
})
