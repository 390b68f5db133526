import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { makeKeyring, parseSecretKeys, SealBroken, Secret } from './sealing.ts'

const old = randomBytes(32)
const recent = randomBytes(32)

describe('sealing', () => {
  test('what was sealed comes back in its context', () => {
    const ring = makeKeyring([old])
    const sealed = ring.seal('päss', 'channel:1')

    expect(ring.unseal(sealed, 'channel:1').toString()).toBe('päss')
    expect(sealed.includes('päss')).toBe(false)
    expect(ring.seal('päss', 'channel:1')).not.toEqual(sealed)
    expect(ring.unseal(ring.seal(Buffer.alloc(0), ''), '')).toEqual(Buffer.alloc(0))
  })

  test('another context does not open it', () => {
    const ring = makeKeyring([old])
    expect(() => ring.unseal(ring.seal('x', 'channel:1'), 'channel:2')).toThrow(SealBroken)
  })

  test('no byte of it can be changed, and none left out', () => {
    const ring = makeKeyring([old])
    const sealed = ring.seal('secret', 'c')
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed)
      changed[index]! ^= 1
      expect(() => ring.unseal(changed, 'c')).toThrow(SealBroken)
      expect(() => ring.unseal(sealed.subarray(0, index), 'c')).toThrow(SealBroken)
    }
  })

  test('after a rotation the old key still opens, and the new one seals', () => {
    const sealed = makeKeyring([old]).seal('x', 'c')
    const rotated = makeKeyring([recent, old])

    expect(rotated.unseal(sealed, 'c').toString()).toBe('x')
    expect(rotated.keyIds).toEqual([makeKeyring([recent]).keyId, makeKeyring([old]).keyId])
    expect(() => makeKeyring([old]).unseal(rotated.seal('x', 'c'), 'c')).toThrow(/not among SECRET_KEYS/)
  })
})

test.each([
  ['one key', old.toString('base64'), 1],
  ['two keys, line ends', `${old.toString('base64')},\n${recent.toString('base64')}\n`, 2],
  ['the URL alphabet without padding', old.toString('base64url'), 1],
  ['nothing', ' ', null],
  ['a short key', randomBytes(16).toString('base64'), null],
  ['no base64', '!'.repeat(44), null],
])('keys are read from %s', (_, text, count) => {
  expect(parseSecretKeys(text)?.length ?? null).toBe(count)
})

test('a secret shows itself in no print', () => {
  const secret = new Secret('hunter2')
  const prints = [
    String(secret),
    JSON.stringify({ secret }),
    inspect({ secret }),
    inspect(secret, { showHidden: true }),
  ]

  for (const print of prints) {
    expect(print).toContain('[sealed]')
    expect(print).not.toContain('hunter2')
  }
  expect(secret.reveal()).toBe('hunter2')
})
