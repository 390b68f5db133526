/* Keys and events as people copy them: `npub1…`, `nevent1…` (https://github.com/nostr-protocol/nips/blob/master/19.md). */

const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]
/** Longer than any that is in use. */
const MAX_LENGTH = 1_500

/** The bytes in a text of bech32 (BIP 173), whose length has no other bound here; null where it is none with this prefix. */
export function decode(prefix: string, text: string): Buffer | null {
  const whole = text.toLowerCase()
  if (!whole.startsWith(`${prefix}1`) || whole.length > MAX_LENGTH) return null
  if (text !== whole && text !== text.toUpperCase()) return null
  const values = Array.from(whole.slice(prefix.length + 1), (letter) => ALPHABET.indexOf(letter))
  if (values.length < 6 || values.includes(-1) || checksum([...expanded(prefix), ...values]) !== 1)
    return null
  const bits = values
    .slice(0, -6)
    .flatMap((value) => [16, 8, 4, 2, 1].map((bit) => ((value & bit) > 0 ? 1 : 0)))
  const bytes = Buffer.alloc(Math.floor(bits.length / 8))
  for (const [at] of bytes.entries()) bytes[at] = Number.parseInt(bits.slice(at * 8, at * 8 + 8).join(''), 2)
  const rest = bits.slice(bytes.length * 8)
  return rest.length < 5 && !rest.includes(1) ? bytes : null
}

export function encode(prefix: string, bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const values = (bits.match(/.{1,5}/g) ?? []).map((five) => Number.parseInt(five.padEnd(5, '0'), 2))
  const sum = checksum([...expanded(prefix), ...values, 0, 0, 0, 0, 0, 0]) ^ 1
  const end = [25, 20, 15, 10, 5, 0].map((shift) => (sum >>> shift) & 31)
  return `${prefix}1${[...values, ...end].map((value) => ALPHABET[value]).join('')}`
}

function expanded(prefix: string): number[] {
  const codes = [...Buffer.from(prefix)]
  return [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)]
}

function checksum(values: readonly number[]): number {
  let sum = 1
  for (const value of values) {
    const top = sum >>> 25
    sum = ((sum & 0x1ffffff) << 5) ^ value
    for (const [at, part] of GENERATOR.entries()) if (((top >> at) & 1) === 1) sum ^= part
  }
  return sum >>> 0
}

/** 32 bytes in hex, out of their own form with this prefix; null for any other. */
function decodeKey(prefix: string, text: string): string | null {
  const bytes = decode(prefix, text)
  return bytes?.length === 32 ? bytes.toString('hex') : null
}

/** The first value of this type in a list of types, lengths and values. */
function valueIn(bytes: Buffer | null, wanted: number): Buffer | null {
  for (let at = 0; bytes !== null && at + 2 <= bytes.length;) {
    const [type = 0, length = 0] = bytes.subarray(at, at + 2)
    const value = bytes.subarray(at + 2, at + 2 + length)
    if (type === wanted) return value.length === length ? value : null
    at += 2 + length
  }
  return null
}

const SPECIAL = 0
const RELAY = 1
const AUTHOR = 2
const KIND = 3

/** A secret key as typed: `nsec1…`, or 64 hex digits. */
export function secretKeyIn(text: string): string | null {
  return /^[0-9a-f]{64}$/i.test(text) ? text.toLowerCase() : decodeKey('nsec', text)
}

/** The public key in `npub1…` or `nprofile1…`. */
export function profileIn(text: string): string | null {
  return decodeKey('npub', text) ?? keyOf(valueIn(decode('nprofile', text), SPECIAL))
}

/** The id of the event in `note1…` or `nevent1…`, and its author where it is told. */
export function eventIn(text: string): { readonly id: string; readonly author: string | null } | null {
  const note = decodeKey('note', text)
  if (note !== null) return { id: note, author: null }
  const bytes = decode('nevent', text)
  const id = keyOf(valueIn(bytes, SPECIAL))
  return id === null ? null : { id, author: keyOf(valueIn(bytes, AUTHOR)) }
}

function keyOf(value: Buffer | null): string | null {
  return value?.length === 32 ? value.toString('hex') : null
}

export function npubOf(pubkey: string): string {
  return encode('npub', Buffer.from(pubkey, 'hex'))
}

/** A note with where it is and whose it is, so that a reader finds it. */
export function neventOf({ id, relay, author }: { id: string; relay: string; author: string }): string {
  const entry = (type: number, value: Buffer) => Buffer.concat([Buffer.from([type, value.length]), value])
  const hint = Buffer.from(relay)
  return encode(
    'nevent',
    Buffer.concat([
      entry(SPECIAL, Buffer.from(id, 'hex')),
      ...(hint.length > 255 ? [] : [entry(RELAY, hint)]),
      entry(AUTHOR, Buffer.from(author, 'hex')),
      entry(KIND, Buffer.from([0, 0, 0, 1])),
    ]),
  )
}
