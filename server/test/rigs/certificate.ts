import { createSign, generateKeyPairSync } from 'node:crypto'

export type Certificate = { readonly key: string; readonly cert: string }

/**
 * Makes a self-signed certificate (X.509 v3, ECDSA P-256) for these names: Node can read certificates, but has
 * nothing that makes one. `expired` gives one that ended yesterday.
 */
export function makeCertificate(names: readonly string[], { expired = false } = {}): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const dayMs = 86_400_000
  const until = Date.now() + (expired ? -dayMs : 365 * dayMs)
  const name = sequence(set(sequence(commonNameOid, text(0x0c, names[0] ?? 'test'))))
  const body = sequence(
    tagged(0xa0, integer(Buffer.of(2))),
    integer(Buffer.from([1, ...crypto.getRandomValues(new Uint8Array(8))])),
    sequence(ecdsaWithSha256Oid),
    name,
    sequence(time(until - 2 * 365 * dayMs), time(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(
      0xa3,
      sequence(
        extension(altNamesOid, sequence(...names.map((each) => text(0x82, each)))),
        extension(basicConstraintsOid, sequence(Buffer.of(0x01, 0x01, 0xff))),
      ),
    ),
  )
  const signature = createSign('sha256').update(body).sign(privateKey)
  const der = sequence(
    body,
    sequence(ecdsaWithSha256Oid),
    tagged(0x03, Buffer.concat([Buffer.of(0), signature])),
  )
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  }
}

const commonNameOid = Buffer.from('0603550403', 'hex')
const altNamesOid = Buffer.from('0603551d11', 'hex')
const basicConstraintsOid = Buffer.from('0603551d13', 'hex')
const ecdsaWithSha256Oid = Buffer.from('06082a8648ce3d040302', 'hex')

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function sequence(...items: Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(items))
}

function set(item: Buffer): Buffer {
  return tagged(0x31, item)
}

function integer(bytes: Buffer): Buffer {
  return tagged(0x02, bytes)
}

function text(tag: number, value: string): Buffer {
  return tagged(tag, Buffer.from(value))
}

/** GeneralizedTime, to the second. */
function time(ms: number): Buffer {
  return text(0x18, new Date(ms).toISOString().replaceAll(/[-:T]|\.\d+/g, ''))
}

function extension(oid: Buffer, value: Buffer): Buffer {
  return sequence(oid, tagged(0x04, value))
}
