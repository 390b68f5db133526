import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { conversationKey, decrypt, encrypt } from './nostr-encryption.ts'

/* Vectors of the specification (https://github.com/paulmillr/nip44/blob/main/nip44.vectors.json). */

const one = '00'.repeat(31) + '01'
const two = 'c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5'
const shared = 'c41c775356fd92eadc63ff5a0dc1da211b268cbea22316767095b2871ea1412d'

describe('a payload of NIP-44', () => {
  test.each([
    [one, two, shared],
    [
      '315e59ff51cb9209768cf7da80791ddcaae56ac9775eb25b6dee1234bc5d2268',
      'c2f9d9948dc8c7c38321e4b85c8558872eafa0641cd269db76848a6073e69133',
      '3dfef0ce2a4d80a25e7a328accf73448ef67096f65f79588e358d9a0eb9013f1',
    ],
  ])('has the key of both sides: %s', (secretKey, pubkey, key) => {
    expect(conversationKey(secretKey, pubkey)?.toString('hex')).toBe(key)
  })

  test('is the one of the specification', () => {
    const key = Buffer.from(shared, 'hex')
    const payload =
      'AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABee0G5VSK0/9YypIObAtDKfYEAjD35uVkHyB0F4DwrcNaCXlCWZKaArsGrY6M9wnuTMxWfp1RTN9Xga8no+kF5Vsb'
    expect(encrypt('a', key, Buffer.from(one, 'hex'))).toBe(payload)
    expect(decrypt(payload, key)).toBe('a')
  })

  test('is read again whatever its length, and by nobody else', () => {
    const key = conversationKey(one, two)!
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3_000 }), fc.nat(), (text, at) => {
        const payload = encrypt(text, key)
        expect(decrypt(payload, key)).toBe(text)
        expect(decrypt(payload, Buffer.alloc(32, 7))).toBeNull()
        const bytes = Buffer.from(payload, 'base64')
        bytes[at % bytes.length]! ^= 1
        expect(decrypt(bytes.toString('base64'), key)).toBeNull()
      }),
      { numRuns: 30 },
    )
  })

  test('is none without a key, and of nothing', () => {
    expect(conversationKey('00'.repeat(32), two)).toBeNull()
    expect(conversationKey(one, 'ff'.repeat(32))).toBeNull()
    expect(decrypt('', Buffer.alloc(32))).toBeNull()
    expect(() => encrypt('', Buffer.alloc(32))).toThrow(RangeError)
  })
})
