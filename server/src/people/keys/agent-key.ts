import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const PREFIX = 'pr_'
const RANDOM_BYTES = 20
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** 62^27 > 2^160 and 62^6 > 2^32: every value fits, padded to one width. */
const BODY_WIDTH = 27
const CHECKSUM_WIDTH = 6

const SHAPE = new RegExp(`^${PREFIX}([0-9A-Za-z]{${BODY_WIDTH}})([0-9A-Za-z]{${CHECKSUM_WIDTH}})$`)

/**
 * A fresh agent key: `pr_`, 160 random bits and a checksum, both in base62. The prefix lets secret scanners know
 * it, and the checksum lets them and us tell a typo from a key without a look-up.
 */
export function newAgentKey(): string {
  const body = base62(BigInt(`0x${randomBytes(RANDOM_BYTES).toString('hex')}`), BODY_WIDTH)
  return `${PREFIX}${body}${checksumOf(body)}`
}

/** Whether the text has the form of an agent key, checksum included; says nothing on whether such a key exists. */
export function looksLikeAgentKey(text: string): boolean {
  const [, body, checksum] = SHAPE.exec(text) ?? []
  return body !== undefined && checksumOf(body) === checksum
}

/** What is stored of a key: SHA-256 is enough where the secret is 160 random bits. */
export function hashAgentKey(key: string): Buffer {
  return hash('sha256', key, 'buffer')
}

/** Enough of a key to recognise it in a list, and far too little to use it. */
export function hintOfAgentKey(key: string): string {
  return `${key.slice(0, PREFIX.length + 4)}…`
}

/** CRC32 finds every change within 32 neighbouring bits, so no single wrong character passes. */
function checksumOf(body: string): string {
  return base62(BigInt(crc32(body)), CHECKSUM_WIDTH)
}

function base62(value: bigint, width: number): string {
  let digits = ''
  for (let rest = value; rest > 0n; rest /= 62n) digits = ALPHABET.charAt(Number(rest % 62n)) + digits
  return digits.padStart(width, '0')
}
