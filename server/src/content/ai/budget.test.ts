import { expect, test } from 'vitest'
import { allowOutput } from './budget.ts'

const resetsAt = new Date('2026-11-22T00:00:00.000Z')
const budget = { tokensPerDay: 20_000, maxOutputTokens: 16_000 }
const use = (tokens: number, reservedTokens = 0) => ({
  tokens,
  reservedTokens,
  images: 0,
  reservedImages: 0,
  resetsAt,
  secondsLeft: 3_600,
})

test('a call may write the usual number of tokens, or what is left of the day', () => {
  expect(allowOutput(budget, use(0), 1_000)).toBe(16_000)
  expect(allowOutput(budget, use(10_000), 1_000)).toBe(9_000)
  expect(allowOutput(budget, use(18_000), 1_000)).toBe(1_000)
  expect(allowOutput({ ...budget, maxOutputTokens: 500 }, use(18_500), 1_000)).toBe(500)
})

test('a budget that is used up is refused until the next day', () => {
  expect(allowOutput(budget, use(18_001), 1_000)).toMatchObject({
    refused: 'rate_limited',
    detail: expect.stringContaining('1999 are left') as string,
    facts: { retryAfterSeconds: 3_600 },
  })
  expect(allowOutput({ ...budget, tokensPerDay: 0 }, use(0), 1)).toMatchObject({ refused: 'rate_limited' })
})

test('what others have only reserved is soon to be had again', () => {
  expect(allowOutput(budget, use(0, 18_001), 1_000)).toMatchObject({
    refused: 'rate_limited',
    facts: { retryAfterSeconds: 15 },
  })
})

test('whatever is allowed, the budget holds', () => {
  const most: number[] = []
  for (let tokens = 0; tokens <= 20_000; tokens += 997) {
    for (let reserved = 0; reserved <= 20_000; reserved += 1_499) {
      const allowed = allowOutput(budget, use(tokens, reserved), 700)
      if (typeof allowed === 'number') most.push(tokens + reserved + 700 + allowed)
    }
  }
  expect(Math.max(...most)).toBeLessThanOrEqual(20_000)
})
