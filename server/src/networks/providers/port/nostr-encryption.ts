import {
  createCipheriv,
  createDecipheriv,
  createECDH,
  createHmac,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

/* Encrypted payloads between two keys, version 2 (https://github.com/nostr-protocol/nips/blob/master/44.md). */

const VERSION = 2
const NONCE_BYTES = 32
const MAC_BYTES = 32
const MAX_PLAIN_BYTES = 65_535
const LEAST_PADDED_BYTES = 32

/** The same for both sides; null where a key is none. */
export function conversationKey(secretKey: string, pubkey: string): Buffer | null {
  try {
    const own = createECDH('secp256k1')
    own.setPrivateKey(secretKey, 'hex')
    return hmac('nip44-v2', own.computeSecret(`02${pubkey}`, 'hex'))
  } catch {
    return null
  }
}

export function encrypt(plain: string, key: Uint8Array, nonce: Buffer = randomBytes(NONCE_BYTES)): string {
  const bytes = Buffer.from(plain)
  if (bytes.length === 0 || bytes.length > MAX_PLAIN_BYTES)
    throw new RangeError('nothing, or too much, to encrypt')
  const padded = Buffer.alloc(2 + paddedLength(bytes.length))
  padded.writeUInt16BE(bytes.length)
  bytes.copy(padded, 2)
  const { cipherKey, iv, macKey } = keysOf(key, nonce)
  const hidden = createCipheriv('chacha20', cipherKey, iv).update(padded)
  return Buffer.concat([Buffer.of(VERSION), nonce, hidden, hmac(macKey, nonce, hidden)]).toString('base64')
}

/** Null for what nobody with this key has encrypted. */
export function decrypt(payload: string, key: Uint8Array): string | null {
  const bytes = Buffer.from(payload, 'base64')
  if (bytes[0] !== VERSION || bytes.length < 1 + NONCE_BYTES + 2 + LEAST_PADDED_BYTES + MAC_BYTES) return null
  const nonce = bytes.subarray(1, 1 + NONCE_BYTES)
  const hidden = bytes.subarray(1 + NONCE_BYTES, -MAC_BYTES)
  const { cipherKey, iv, macKey } = keysOf(key, nonce)
  if (!timingSafeEqual(hmac(macKey, nonce, hidden), bytes.subarray(-MAC_BYTES))) return null
  const padded = createDecipheriv('chacha20', cipherKey, iv).update(hidden)
  const length = padded.readUInt16BE()
  if (length === 0 || padded.length !== 2 + paddedLength(length)) return null
  return padded.subarray(2, 2 + length).toString()
}

/** Powers of two, in eight steps each above 256. */
function paddedLength(length: number): number {
  if (length <= LEAST_PADDED_BYTES) return LEAST_PADDED_BYTES
  const power = 2 ** (Math.floor(Math.log2(length - 1)) + 1)
  const step = power <= 256 ? 32 : power / 8
  return step * (Math.floor((length - 1) / step) + 1)
}

/** HKDF-Expand of RFC 5869 with SHA-256, to 76 bytes. */
function keysOf(key: Uint8Array, nonce: Uint8Array) {
  const first = hmac(key, nonce, Buffer.of(1))
  const second = hmac(key, first, nonce, Buffer.of(2))
  const third = hmac(key, second, nonce, Buffer.of(3))
  const all = Buffer.concat([first, second, third])
  // OpenSSL has the counter of the first block, 0, before the nonce of 12 bytes.
  const iv = Buffer.concat([Buffer.alloc(4), all.subarray(32, 44)])
  return { cipherKey: all.subarray(0, 32), iv, macKey: all.subarray(44, 76) }
}

function hmac(key: string | Uint8Array, ...pieces: readonly Uint8Array[]): Buffer {
  const made = createHmac('sha256', key)
  for (const piece of pieces) made.update(piece)
  return made.digest()
}
