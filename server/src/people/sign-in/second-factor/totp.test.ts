import { expect, test } from 'vitest'
import { base32, matchingStep, stepAt, totpCode, totpUri } from './totp.ts'

/** RFC 6238, appendix B: SHA-1, eight digits. */
const rfcSecret = Buffer.from('12345678901234567890')

test.each([
  [59, '94287082'],
  [1111111109, '07081804'],
  [1111111111, '14050471'],
  [1234567890, '89005924'],
  [2000000000, '69279037'],
  [20000000000, '65353130'],
])('the vector of RFC 6238 at %i seconds', (seconds, code) => {
  expect(totpCode(rfcSecret, stepAt(new Date(seconds * 1_000)), 8)).toBe(code)
})

test('a code is good in its step and the ones beside it, and in no other', () => {
  const now = new Date(1_700_000_000_000)
  const step = stepAt(now)
  for (const near of [step - 1, step, step + 1]) {
    expect(matchingStep(rfcSecret, totpCode(rfcSecret, near), now)).toBe(near)
  }
  for (const far of [step - 2, step + 2]) {
    expect(matchingStep(rfcSecret, totpCode(rfcSecret, far), now)).toBeNull()
  }
  for (const bad of ['', '12345', '1234567', 'abcdef']) expect(matchingStep(rfcSecret, bad, now)).toBeNull()
})

test.each([
  ['', ''],
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foo', 'MZXW6'],
  ['foob', 'MZXW6YQ'],
  ['fooba', 'MZXW6YTB'],
  ['foobar', 'MZXW6YTBOI'],
])('the vector of RFC 4648 for "%s"', (text, encoded) => {
  expect(base32(Buffer.from(text))).toBe(encoded)
})

test('the address names issuer and account', () => {
  const uri = totpUri(rfcSecret, { issuer: 'Postrider', account: 'ada@example.com' })
  expect(uri).toBe(
    'otpauth://totp/Postrider:ada%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Postrider',
  )
})
