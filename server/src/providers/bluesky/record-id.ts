import { createHash } from 'node:crypto'
import type { Json } from '../port.ts'

/* What the server would call a record, computed here: so that it is known before the call, and compared after it. */

const SORTABLE = '234567abcdefghijklmnopqrstuvwxyz'

/**
 * A record key for this moment: a TID (https://atproto.com/specs/tid), 53 bits of microseconds and 10 of a clock. What
 * is finer than a millisecond, and the clock, come from the random bits of the intent's UUID: the same for each repeat.
 */
export function tidOf(now: Date, uuid: string): string {
  const random = BigInt(`0x${uuid.replaceAll('-', '').slice(-8)}`)
  const micros = BigInt(now.getTime()) * 1_000n + (random % 1_000n)
  let rest = (micros << 10n) | ((random >> 10n) & 0x3ffn)
  let tid = ''
  for (let place = 0; place < 13; place++) {
    tid = (SORTABLE[Number(rest & 31n)] ?? '') + tid
    rest >>= 5n
  }
  return tid
}

const LOWER_BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

/** The CID of a record: version 1, DAG-CBOR, SHA-256 (https://atproto.com/specs/data-model). */
export function cidOf(record: Json): string {
  const digest = createHash('sha256').update(encode(record)).digest()
  return `b${base32(Buffer.concat([Buffer.from([0x01, 0x71, 0x12, 0x20]), digest]))}`
}

/** DAG-CBOR: canonical CBOR with links. Records of posts hold no floats and no bytes. */
function encode(value: Json): Buffer {
  if (value === null) return Buffer.from([0xf6])
  if (value === true) return Buffer.from([0xf5])
  if (value === false) return Buffer.from([0xf4])
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value)) throw new Error('a record holds no such number')
    return value < 0 ? head(1, -1 - value) : head(0, value)
  }
  if (typeof value === 'string') {
    const text = Buffer.from(value)
    return Buffer.concat([head(3, text.length), text])
  }
  if (isList(value)) return Buffer.concat([head(4, value.length), ...value.map(encode)])
  const link = value['$link']
  if (typeof link === 'string') {
    const cid = Buffer.concat([Buffer.from([0]), unbase32(link.slice(1))])
    // Tag 42: a CID behind a zero byte.
    return Buffer.concat([Buffer.from([0xd8, 0x2a]), head(2, cid.length), cid])
  }
  const entries = Object.entries(value)
    .map(([name, member]) => [Buffer.from(name), member] as const)
    .toSorted(([a], [b]) => a.length - b.length || Buffer.compare(a, b))
  return Buffer.concat([
    head(5, entries.length),
    ...entries.flatMap(([name, member]) => [head(3, name.length), name, encode(member)]),
  ])
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

/** Major type and length, as short as can be (RFC 8949, 4.2.1). */
function head(major: number, length: number): Buffer {
  const type = major << 5
  if (length < 24) return Buffer.from([type | length])
  if (length < 0x100) return Buffer.from([type | 24, length])
  if (length < 0x10000) return Buffer.from([type | 25, length >> 8, length & 0xff])
  if (length < 0x100000000) {
    const bytes = Buffer.alloc(5, type | 26)
    bytes.writeUInt32BE(length, 1)
    return bytes
  }
  const bytes = Buffer.alloc(9, type | 27)
  bytes.writeBigUInt64BE(BigInt(length), 1)
  return bytes
}

function base32(bytes: Buffer): string {
  let text = ''
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = (value << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += LOWER_BASE32[(value >> bits) & 31]
    }
    value &= (1 << bits) - 1
  }
  return bits === 0 ? text : text + LOWER_BASE32[(value << (5 - bits)) & 31]
}

function unbase32(text: string): Buffer {
  const bytes: number[] = []
  let bits = 0
  let value = 0
  for (const character of text) {
    const digit = LOWER_BASE32.indexOf(character)
    if (digit < 0) throw new Error('this is no CID')
    value = (value << 5) | digit
    bits += 5
    if (bits >= 8) {
      bits -= 8
      bytes.push((value >> bits) & 0xff)
    }
    value &= (1 << bits) - 1
  }
  return Buffer.from(bytes)
}
