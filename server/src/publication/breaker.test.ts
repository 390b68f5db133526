import { expect, test } from 'vitest'
import { openBreaker } from './breaker.ts'

function rig() {
  let now = 0
  const breaker = openBreaker(() => now)
  return {
    breaker,
    pass: (ms: number) => (now += ms),
    fail(times: number) {
      for (let n = 0; n < times; n++) breaker.record('https://one', false)
    },
  }
}

test('a few failures hold nothing back', () => {
  const { breaker, fail } = rig()
  fail(4)
  expect(breaker.retryAfterMs('https://one')).toBe(0)
})

test('failures in a row hold everything back, at that provider alone', () => {
  const { breaker, fail } = rig()
  fail(5)
  expect(breaker.retryAfterMs('https://one')).toBe(5_000)
  expect(breaker.retryAfterMs('https://two')).toBe(0)
})

test('after the hold one probe goes ahead, and the others wait for it', () => {
  const { breaker, fail, pass } = rig()
  fail(5)
  pass(5_000)
  expect(breaker.retryAfterMs('https://one')).toBe(0)
  expect(breaker.retryAfterMs('https://one')).toBe(30_000)
})

test('a probe that is never heard of lets another go ahead', () => {
  const { breaker, fail, pass } = rig()
  fail(5)
  pass(5_000)
  expect(breaker.retryAfterMs('https://one')).toBe(0)
  pass(30_000)
  expect(breaker.retryAfterMs('https://one')).toBe(0)
})

test('a probe that fails holds longer', () => {
  const { breaker, fail, pass } = rig()
  fail(5)
  pass(5_000)
  expect(breaker.retryAfterMs('https://one')).toBe(0)
  fail(1)
  expect(breaker.retryAfterMs('https://one')).toBe(15_000)
})

test('a probe that succeeds lets everything through', () => {
  const { breaker, fail, pass } = rig()
  fail(9)
  pass(120_000)
  expect(breaker.retryAfterMs('https://one')).toBe(0)
  breaker.record('https://one', true)
  expect(breaker.retryAfterMs('https://one')).toBe(0)
  fail(4)
  expect(breaker.retryAfterMs('https://one')).toBe(0)
})
