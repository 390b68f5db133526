import fc from 'fast-check'
import { expect, test } from 'vitest'
import { emailOf, parseEmail, parseEmailDomain } from './email-address.ts'

test.each([
  ['ada@example.com', 'ada@example.com'],
  ['Ada.LOVELACE+x@Example.COM', 'ada.lovelace+x@example.com'],
  ["o'neil_{x}@a-b.example", "o'neil_{x}@a-b.example"],
  ['owner@localhost', 'owner@localhost'],
  ['ada@müller.example', 'ada@xn--mller-kva.example'],
  ['ada@XN--Mller-kva.example', 'ada@xn--mller-kva.example'],
  ['ada@straße.example', 'ada@xn--strae-oqa.example'],
  [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
])('%s is kept as %s', (text, form) => expect(parseEmail(text)).toBe(form))

test.each([
  ['a dotted capital I, which `lower` makes an i', 'admİn@example.com'],
  ['a dotless i', 'admın@example.com'],
  ['the Kelvin sign, which is a k in lower case', '\u212Aim@example.com'],
  ['a long s', 'je\u017Fs@example.com'],
  ['full-width letters', 'ａda@example.com'],
  ['an umlaut before the @', 'jürgen@example.com'],
  ['a combining mark', 'a\u0301da@example.com'],
  ['a zero-width space', 'ada\u200b@example.com'],
  ['a soft hyphen in the domain', 'ada@exam\u00adple.com'],
  ['the Kelvin sign in the domain', 'ada@ban\u212A.com'],
  ['a full-width domain', 'ada@ｅxample.com'],
  ['an ideographic full stop', 'ada@example\u3002com'],
  ['a capital letter that is not ASCII in the domain', 'ada@MÜLLER.example'],
  ['a path behind the domain', 'ada@example.com/x'],
  ['a port', 'ada@example.com:25'],
  ['a path behind a label that is not ASCII', 'ada@müller/x.example'],
  ['a number behind the domain in an encoding', 'ada@ex%61mple.com'],
  ['two @', 'ada@example.com@evil.example'],
  ['no @', 'ada.example.com'],
  ['nothing before the @', '@example.com'],
  ['nothing behind it', 'ada@'],
  ['an empty label', 'ada@example..com'],
  ['a dot at the end', 'ada@example.com.'],
  ['a label that begins with a hyphen', 'ada@-example.com'],
  ['a label of 64 characters', `ada@${'a'.repeat(64)}.com`],
  ['a local part of 65 characters', `${'a'.repeat(65)}@example.com`],
  ['255 characters', `ada@${'a.'.repeat(123)}example`],
  ['a line end', 'ada@example.com\n'],
  ['a line end with another recipient', 'ada@example.com\r\nBcc: eve@evil.example'],
  ['a NUL', 'ada\0@example.com'],
  ['a space', ' ada@example.com'],
  ['a second recipient', 'ada@example.com,eve@evil.example'],
  ['angle brackets', '<ada@example.com>'],
  ['a quoted local part', '"ada"@example.com'],
  ['an address literal', 'ada@[127.0.0.1]'],
  ['half of a surrogate pair', 'ada@\ud800.example'],
  ['an empty text', ''],
])('%s has no canonical form', (_, text) => {
  expect(parseEmail(text)).toBeNull()
  expect(() => emailOf(text)).toThrow('no e-mail address')
})

test('a canonical form is its own, is printable ASCII without capitals, and differs from what was given in the case of ASCII letters or in its U-labels alone', () => {
  const letters = fc.constantFrom(...'aAiIkKsS.@-İıKſßüÜéｅ\u00ad\u200b\u3002'.split(''), 'xn--', '\0')
  const text = fc.oneof(
    fc.array(letters, { maxLength: 12 }).map((parts) => `a${parts.join('')}`),
    fc.emailAddress(),
    fc.tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })).map((sides) => sides.join('@')),
  )
  fc.assert(
    fc.property(text, (given) => {
      const form = parseEmail(given)
      if (form === null) return
      expect(form).toMatch(/^[!-@[-~]+$/)
      expect(parseEmail(form)).toBe(form)
      const [local = '', domain = ''] = given.split('@')
      expect(form.split('@')[0]).toBe(local.replaceAll(/[A-Z]/g, (one) => one.toLowerCase()))
      if (/^[ -~]*$/.test(domain)) expect(form.split('@')[1]).toBe(domain.toLowerCase())
      // No label that is not ASCII becomes one that is somebody's ASCII name.
      else expect(form).toContain('xn--')
    }),
    { numRuns: 2_000 },
  )
})

test('a domain is judged as the domain of an address is', () => {
  expect(parseEmailDomain('B.Example')).toBe('b.example')
  expect(parseEmailDomain('müller.example')).toBe('xn--mller-kva.example')
  for (const none of ['', 'ban\u212A.com', 'a b.com', '*.example']) expect(parseEmailDomain(none)).toBeNull()
})
