import { createCipheriv, createDecipheriv, createHash, createSecretKey, randomBytes } from 'node:crypto'
import { inspect } from 'node:util'

/** What `seal` made: one byte of format, 8 of key id, 12 of nonce, 16 of tag, then the ciphertext. */
export type Sealed = Buffer

/** A text that must not be printed: JSON, string conversion and inspection all show `[sealed]`. */
export class Secret {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /** The text itself; for the one place that needs it. */
  reveal(): string {
    return this.#text
  }

  toString(): string {
    return '[sealed]'
  }

  toJSON(): string {
    return '[sealed]'
  }

  [inspect.custom](): string {
    return '[sealed]'
  }
}

/** The sealed bytes were changed, belong to another context, or were sealed with a key that is not among ours. */
export class SealBroken extends Error {
  override name = 'SealBroken'
}

export type Keyring = {
  /** Names the key that seals, in hexadecimal; it tells nothing of the key. */
  keyId: string
  /** Names all keys, that one first. */
  keyIds: readonly string[]
  /**
   * Encrypts with AES-256-GCM. `context` says what the secret is and whose (`channel-authorization:<id>`): the same context
   * has to be given to unseal, so that a sealed value cannot be moved to another row.
   */
  seal(plaintext: Buffer | string, context: string): Sealed
  /** Throws SealBroken. */
  unseal(sealed: Sealed, context: string): Buffer
}

const FORMAT = 1
const KEY_BYTES = 32
const KEY_ID_BYTES = 8
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEAD_BYTES = 1 + KEY_ID_BYTES

/** Makes a keyring of keys of 32 bytes: the first seals, all of them unseal. */
export function makeKeyring(keys: readonly Buffer[]): Keyring {
  // A key as an object is checked once: with bytes, every use of it takes four times as long.
  const byId = new Map(keys.map((key) => [keyIdOf(key), createSecretKey(key)]))
  const [first] = keys
  if (first === undefined || keys.some((key) => key.length !== KEY_BYTES)) {
    throw new Error(`A keyring needs at least one key, and every key has ${KEY_BYTES} bytes.`)
  }
  const keyId = keyIdOf(first)

  return {
    keyId,
    keyIds: [...byId.keys()],
    seal(plaintext, context) {
      const head = Buffer.concat([Buffer.from([FORMAT]), Buffer.from(keyId, 'hex')])
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', first, nonce)
      cipher.setAAD(Buffer.concat([head, Buffer.from(context)]))
      const body = Buffer.concat([cipher.update(plaintext), cipher.final()])
      return Buffer.concat([head, nonce, cipher.getAuthTag(), body])
    },
    unseal(sealed, context) {
      const key = byId.get(sealedKeyId(sealed))
      if (key === undefined) throw new SealBroken('Sealed with a key that is not among SECRET_KEYS.')
      const head = sealed.subarray(0, HEAD_BYTES)
      const nonce = sealed.subarray(HEAD_BYTES, HEAD_BYTES + NONCE_BYTES)
      const tag = sealed.subarray(HEAD_BYTES + NONCE_BYTES, HEAD_BYTES + NONCE_BYTES + TAG_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.concat([head, Buffer.from(context)]))
      decipher.setAuthTag(tag)
      const body = decipher.update(sealed.subarray(HEAD_BYTES + NONCE_BYTES + TAG_BYTES))
      try {
        return Buffer.concat([body, decipher.final()])
      } catch (error) {
        throw new SealBroken('Changed since it was sealed, or sealed for something else.', { cause: error })
      }
    },
  }
}

/** As `unseal`; null where it would throw SealBroken. */
export function tryUnseal(keyring: Pick<Keyring, 'unseal'>, sealed: Sealed, context: string): Buffer | null {
  try {
    return keyring.unseal(sealed, context)
  } catch (error) {
    if (error instanceof SealBroken) return null
    throw error
  }
}

/** Reads base64 texts of 32 bytes, separated by commas or line ends; null when one is anything else or none is there. */
export function parseSecretKeys(text: string): Buffer[] | null {
  const words = text.split(/[\s,]+/).filter((word) => word !== '')
  const keys = words.map((word) => Buffer.from(word, 'base64'))
  const valid = keys.every((key, index) => {
    const canonical = words[index]?.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '')
    return key.length === KEY_BYTES && key.toString('base64').replace(/=+$/, '') === canonical
  })
  return valid && keys.length > 0 ? keys : null
}

function keyIdOf(key: Buffer): string {
  return createHash('sha256')
    .update('postrider key id')
    .update(key)
    .digest('hex')
    .slice(0, KEY_ID_BYTES * 2)
}

function sealedKeyId(sealed: Sealed): string {
  if (sealed[0] !== FORMAT || sealed.length < HEAD_BYTES + NONCE_BYTES + TAG_BYTES) {
    throw new SealBroken('Not a sealed value of a known format.')
  }
  return sealed.subarray(1, HEAD_BYTES).toString('hex')
}
