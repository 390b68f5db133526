import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Seconds for which a code holds (RFC 6238, 4.1). */
const STEP_SECONDS = 30
const DIGITS = 6
const SECRET_BYTES = 20
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

export function newTotpSecret(): Buffer {
  return randomBytes(SECRET_BYTES)
}

/** The number of the time step that an instant lies in. */
export function stepAt(instant: Date): number {
  return Math.floor(instant.getTime() / 1_000 / STEP_SECONDS)
}

/** The code of a time step: HOTP over its number (RFC 4226, 5.3). */
export function totpCode(secret: Uint8Array, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = mac.readUInt8(mac.length - 1) & 0x0f
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/** The step whose code this is: the present one, the one before or the one after (RFC 6238, 5.2); null for none. */
export function matchingStep(secret: Uint8Array, code: string, now: Date): number | null {
  const sent = Buffer.from(code)
  const present = stepAt(now)
  const matching = [present, present - 1, present + 1].filter((step) => {
    const wanted = Buffer.from(totpCode(secret, step))
    return sent.length === wanted.length && timingSafeEqual(sent, wanted)
  })
  return matching[0] ?? null
}

/** RFC 4648 base32 without padding, as authenticator apps take it. */
export function base32(bytes: Uint8Array): string {
  let bits = 0
  let value = 0
  let text = ''
  for (const byte of bytes) {
    value = (value << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += ALPHABET.charAt((value >>> bits) & 31)
    }
    value &= (1 << bits) - 1
  }
  return bits === 0 ? text : text + ALPHABET.charAt((value << (5 - bits)) & 31)
}

/** The address by which an authenticator app takes the secret (Key Uri Format). */
export function totpUri(
  secret: Uint8Array,
  { issuer, account }: { issuer: string; account: string },
): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}`
}
