import { describe, expect, test } from 'vitest'
import { type Attempt, nextAttempt, retryAfterOf } from './retry.ts'

const answered = (status: number, code: string | null = null, retryAfterMs: number | null = null): Attempt =>
  ({ kind: 'answered', status, code, retryAfterMs }) as Attempt
const next = (attempt: Attempt, retriesLeft = 2, retried = 0) =>
  nextAttempt(attempt, { retried, retriesLeft, random: 0 })

describe('what is repeated', () => {
  test.each([
    [{ kind: 'no answer' } as const],
    ...[408, 429, 500, 502, 503, 504].map((status) => [answered(status)]),
  ])('%j, as often as is left', (attempt) => {
    expect(next(attempt)).toEqual({ afterMs: 250, counts: true })
    expect(next(attempt, 0)).toBeNull()
  })

  test('a request that is still running, which counts as no retry', () => {
    expect(next(answered(409, 'idempotency_in_progress', 1_000), 0)).toEqual({
      afterMs: 1_000,
      counts: false,
    })
  })

  test('after growing intervals, shortened at random, or when the server says', () => {
    const delays = [0, 1, 2, 9].map((retried) => next({ kind: 'no answer' }, 1, retried)?.afterMs)
    expect(delays).toEqual([250, 500, 1_000, 8_000])
    expect(
      nextAttempt({ kind: 'no answer' }, { retried: 1, retriesLeft: 1, random: 0.9999 })?.afterMs,
    ).toBeCloseTo(250, 0)
    expect(next(answered(429, 'rate_limited', 3_000))).toEqual({ afterMs: 3_000, counts: true })
  })
})

describe('what is not repeated', () => {
  test.each([400, 401, 403, 404, 409, 410, 422].map((status) => [answered(status, 'not_found')]))(
    '%j',
    (attempt) => {
      expect(next(attempt)).toBeNull()
    },
  )

  test.each([
    [answered(502, 'ai_failed')],
    [answered(409, 'ai_not_configured')],
    [answered(409, 'idempotency_key_reused')],
  ])('%j', (attempt) => {
    expect(next(attempt)).toBeNull()
  })

  test('what is to wait for more than a minute', () => {
    expect(next(answered(429, 'rate_limited', 60_001))).toBeNull()
    expect(next(answered(429, 'rate_limited', 60_000))).not.toBeNull()
  })
})

test.each([
  ['7', 7_000],
  ['Mon, 23 Nov 2026 08:00:10 GMT', 10_000],
  ['Mon, 23 Nov 2026 07:00:00 GMT', 0],
  ['soon', null],
])('Retry-After: %s is %s ms', (value, expected) => {
  const now = Date.parse('2026-11-23T08:00:00Z')
  expect(retryAfterOf(new Headers({ 'retry-after': value }), now)).toBe(expected)
  expect(retryAfterOf(new Headers(), now)).toBeNull()
})
