import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** How one use departs from that of an honest browser with an honest authenticator. */
export type Departure = {
  readonly origin?: string
  readonly rpId?: string
  readonly challenge?: string
  readonly verified?: boolean
  readonly counter?: number
  readonly userHandle?: Buffer | null
  readonly type?: string
}

type Json = Record<string, any>

/** A device that makes passkeys (ES256, discoverable) and signs with them, together with the browser before it. */
export class Authenticator {
  readonly #origin: string
  #key: KeyObject | null = null
  #userHandle: Buffer | null = null
  #rpId = ''
  readonly credentialId = randomBytes(32)
  counter: number

  constructor(origin: string, { counts = true } = {}) {
    this.#origin = origin
    this.counter = counts ? 1 : 0
  }

  /** The same key in another device. */
  copy(): Authenticator {
    const copy = new Authenticator(this.#origin)
    copy.#key = this.#key
    copy.#userHandle = this.#userHandle
    copy.#rpId = this.#rpId
    copy.counter = this.counter
    Object.assign(copy, { credentialId: this.credentialId })
    return copy
  }

  /** What `navigator.credentials.create()` gives for these options. */
  create(options: Json, departure: Departure = {}): Json {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    this.#key = privateKey
    this.#userHandle = Buffer.from(options['user'].id, 'base64url')
    this.#rpId = options['rp'].id
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    // COSE_Key (RFC 9053, 7.1): EC2, ES256, P-256.
    const cose = cborMap([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ])
    const length = Buffer.alloc(2)
    length.writeUInt16BE(this.credentialId.length)
    const attested = Buffer.concat([Buffer.alloc(16), length, this.credentialId, cose])
    const authData = this.#authData(0x40, departure, attested)
    const attestationObject = cborMap([
      ['fmt', 'none'],
      ['attStmt', new Map<string, Cbor>()],
      ['authData', authData],
    ])
    const { clientDataJSON } = this.#clientData(options, { type: 'webauthn.create', ...departure })
    return this.#credential({
      clientDataJSON,
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal', 'made-up'],
    })
  }

  /** What `navigator.credentials.get()` gives for these options. */
  get(options: Json, departure: Departure = {}): Json {
    if (this.#key === null) throw new Error('there is no passkey on this device')
    if (this.counter > 0) this.counter += 1
    const authData = this.#authData(0, departure)
    const { clientDataJSON, bytes } = this.#clientData(options, { type: 'webauthn.get', ...departure })
    const signature = sign('sha256', Buffer.concat([authData, sha256(bytes)]), this.#key)
    const { userHandle = this.#userHandle } = departure
    return this.#credential({
      clientDataJSON,
      authenticatorData: authData.toString('base64url'),
      signature: signature.toString('base64url'),
      ...(userHandle === null ? {} : { userHandle: userHandle.toString('base64url') }),
    })
  }

  #authData(
    flags: number,
    { rpId = this.#rpId, verified = true, counter = this.counter }: Departure,
    attested?: Buffer,
  ) {
    const head = Buffer.alloc(5)
    head.writeUInt8(flags | 0x01 | (verified ? 0x04 : 0))
    head.writeUInt32BE(counter, 1)
    return Buffer.concat([sha256(Buffer.from(rpId)), head, attested ?? Buffer.alloc(0)])
  }

  #clientData(options: Json, { type, challenge, origin = this.#origin }: Departure) {
    const data = {
      type,
      challenge: challenge ?? (options['challenge'] as string),
      origin,
      crossOrigin: false,
    }
    const bytes = Buffer.from(JSON.stringify(data))
    return { bytes, clientDataJSON: bytes.toString('base64url') }
  }

  #credential(response: Json): Json {
    const id = this.credentialId.toString('base64url')
    return {
      id,
      rawId: id,
      type: 'public-key',
      response,
      clientExtensionResults: {},
      authenticatorAttachment: 'platform',
    }
  }
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}

type Cbor = number | string | Buffer | ReadonlyMap<string, Cbor>

/** RFC 8949, as much of it as passkeys need. */
function cborMap(entries: readonly (readonly [number | string, Cbor])[]): Buffer {
  return Buffer.concat([
    head(5, entries.length),
    ...entries.flatMap(([key, value]) => [cbor(key), cbor(value)]),
  ])
}

function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  return Buffer.isBuffer(value) ? Buffer.concat([head(2, value.length), value]) : cborMap([])
}

function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.of((major << 5) | value)
  return value < 256
    ? Buffer.of((major << 5) | 24, value)
    : Buffer.of((major << 5) | 25, value >> 8, value & 0xff)
}
