import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hashAgentKey, hintOfAgentKey, looksLikeAgentKey, newAgentKey } from './agent-key.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-. '

test('a new key has the documented form and is never the same twice', () => {
  const keys = Array.from({ length: 1000 }, newAgentKey)

  expect(new Set(keys).size).toBe(1000)
  for (const key of keys) {
    expect(key).toMatch(/^pr_[0-9A-Za-z]{33}$/)
    expect(looksLikeAgentKey(key)).toBe(true)
  }
})

test('any change of one character is refused by the checksum', () => {
  const key = newAgentKey()
  fc.assert(
    fc.property(fc.nat(key.length - 1), fc.constantFrom(...alphabet.split('')), (at, character) => {
      fc.pre(key[at] !== character)
      expect(looksLikeAgentKey(key.slice(0, at) + character + key.slice(at + 1))).toBe(false)
    }),
    { numRuns: 2000 },
  )
})

test('two swapped neighbours are refused by the checksum', () => {
  fc.assert(
    fc.property(fc.constant(null).map(newAgentKey), fc.integer({ min: 3, max: 28 }), (key, at) => {
      fc.pre(key[at] !== key[at + 1])
      expect(looksLikeAgentKey(`${key.slice(0, at)}${key[at + 1]}${key[at]}${key.slice(at + 2)}`)).toBe(false)
    }),
  )
})

test.each([
  ['nothing', ''],
  ['the prefix alone', 'pr_'],
  ['a key of someone else', 'ghp_16C7e42F292c6912E7710c838347Ae178B4a'],
  ['a cut key', newAgentKey().slice(0, -1)],
  ['a key with a line end', `${newAgentKey()}\n`],
  ['a key with more behind it', `${newAgentKey()}A`],
])('%s does not look like a key', (_, text) => {
  expect(looksLikeAgentKey(text)).toBe(false)
})

test('the hash is SHA-256 and the hint gives away four characters', () => {
  const key = newAgentKey()
  expect(hashAgentKey(key)).toHaveLength(32)
  expect(hashAgentKey(key).equals(hashAgentKey(newAgentKey()))).toBe(false)
  expect(hintOfAgentKey(key)).toBe(`${key.slice(0, 7)}…`)
})
