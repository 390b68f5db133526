import { expect, test } from 'vitest'
import { decide, errorOf, retryAfterMs, waitMs } from './retry-policy.ts'

const now = new Date('2026-11-21T09:00:00Z')
const answered = (httpStatus: number, retryAfter: string | null = null) => ({ httpStatus, retryAfter })

test.each([200, 201, 202, 204, 226, 299])('%d acknowledges', (status) => {
  expect(decide(answered(status), 1, now, 0)).toEqual({ move: 'confirm', error: null })
})

test.each([408, 425, 429, 500, 501, 502, 503, 504, 511, 599])('%d is tried again', (status) => {
  expect(decide(answered(status), 1, now, 0)).toEqual({ move: 'defer', error: 'http_status', waitMs: 1_000 })
})

test.each([
  100, 199, 300, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 405, 409, 410, 418, 422, 451, 499, 600,
  999,
])('%d fails for good', (status) => {
  expect(decide(answered(status), 1, now, 0)).toEqual({ move: 'exhaust', error: 'http_status' })
})

test('the waits after the attempts are 1, 2, 4 and 8 seconds, and nothing follows the fifth', () => {
  const moves = [1, 2, 3, 4, 5].map((attempt) => decide(answered(500), attempt, now, 0))
  expect(moves.map((each) => ('waitMs' in each ? each.waitMs : each.move))).toEqual([
    1_000,
    2_000,
    4_000,
    8_000,
    'exhaust',
  ])
})

test.each(['timeout', 'dns', 'connection', 'tls', 'interrupted'] as const)('%s is tried again', (error) => {
  expect(decide({ httpStatus: null, error }, 1, now, 0)).toMatchObject({ move: 'defer', error })
})

test.each([
  'target_refused',
  'address_refused',
  'request_refused',
  'secret_unreadable',
  'event_pruned',
] as const)('%s fails for good', (error) => {
  expect(decide({ httpStatus: null, error }, 1, now, 0)).toEqual({ move: 'exhaust', error })
})

test.each([
  ['0', 0],
  ['7', 7_000],
  ['007', 7_000],
  ['60', 60_000],
  ['999999', 999_999_000],
  ['Sat, 21 Nov 2026 09:00:30 GMT', 30_000],
  ['Sat, 21 Nov 2026 08:00:00 GMT', 0],
  ['', null],
  [' ', null],
  ['-1', null],
  ['+5', null],
  ['1.5', null],
  ['1e3', null],
  ['0x10', null],
  ['5 ', null],
  ['5, 10', null],
  ['5s', null],
  ['٥', null],
  ['Infinity', null],
  ['NaN', null],
  ['soon', null],
  ['2026-11-21T09:00:30Z', null],
  ['Sun, 21 Nov 2026 09:00:30 GMT', null],
  ['Tue, 31 Feb 2026 09:00:30 GMT', null],
  ['Sat, 21 Nov 2026 09:00:30 CET', null],
  ['Saturday, 21-Nov-26 09:00:30 GMT', null],
  ['Sat Nov 21 09:00:30 2026', null],
])('Retry-After %j asks for %s ms', (text, ms) => {
  expect(retryAfterMs(text, now)).toBe(ms)
})

test('a receiver may ask for more patience, up to a minute, and not for less', () => {
  const wait = (retryAfter: string) => decide(answered(503, retryAfter), 2, now, 0)
  expect(wait('0')).toMatchObject({ waitMs: 2_000 })
  expect(wait('30')).toMatchObject({ waitMs: 30_000 })
  expect(wait('60')).toMatchObject({ waitMs: 60_000 })
  expect(wait('61')).toMatchObject({ waitMs: 60_000 })
  expect(wait('9'.repeat(400))).toMatchObject({ waitMs: 60_000 })
  expect(wait('Fri, 31 Dec 9999 23:59:59 GMT')).toMatchObject({ waitMs: 60_000 })
  expect(wait('later')).toMatchObject({ waitMs: 2_000 })
})

test('no wait is longer than a minute, however much is asked for and whatever the jitter', () => {
  for (const retryAfter of ['55', '58', '60', '3600'])
    for (const random of [0, 0.5, 0.999]) {
      const decision = decide(answered(503, retryAfter), 1, now, random)
      expect(decision).toMatchObject({ move: 'defer' })
      const waited = 'waitMs' in decision ? decision.waitMs : Infinity
      expect(waited).toBeLessThanOrEqual(60_000)
      expect(waited).toBeGreaterThanOrEqual(Math.min(Number(retryAfter), 60) * 1_000)
    }
})

test('Retry-After of an answer that is not retried changes nothing', () => {
  expect(decide(answered(404, '30'), 1, now, 0)).toMatchObject({ move: 'exhaust' })
})

test('jitter only ever adds', () => {
  for (const random of [0, 0.3, 0.999]) {
    expect(waitMs(1_000, null, random)).toBeGreaterThanOrEqual(1_000)
    expect(waitMs(1_000, null, random)).toBeLessThan(1_101)
  }
})

test.each([
  ['ECONNREFUSED', 'connection'],
  ['ECONNRESET', 'connection'],
  ['UND_ERR_SOCKET', 'connection'],
  ['HPE_INVALID_CONSTANT', 'connection'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
  ['TIMEOUT', 'timeout'],
  ['ENOTFOUND', 'dns'],
  ['CERT_HAS_EXPIRED', 'tls'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls'],
  ['ADDRESS_REFUSED', 'address_refused'],
  ['TARGET_REFUSED', 'target_refused'],
  ['REQUEST_REFUSED', 'request_refused'],
])('%s counts as %s', (reason, error) => {
  expect(errorOf(reason)).toBe(error)
})
