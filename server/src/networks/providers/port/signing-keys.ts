import { createHash, createPrivateKey, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import type { PrivateKey } from './calls.ts'

/* Keys for ES256 (RFC 7518, 3.4), and what is signed with them: DPoP proofs and client assertions. */

/** A new private key. */
export function newKey(): PrivateKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { kty = '', crv = '', x = '', y = '', d = '' } = privateKey.export({ format: 'jwk' })
  return { kty, crv, x, y, d }
}

/** The public half of a key, in the order that its thumbprint wants (RFC 7638, 3.2). */
export function publicKey({
  crv,
  kty,
  x,
  y,
}: PrivateKey): Readonly<Record<'crv' | 'kty' | 'x' | 'y', string>> {
  return { crv, kty, x, y }
}

/** The thumbprint of a key (RFC 7638). */
export function thumbprint(key: PrivateKey): string {
  return createHash('sha256')
    .update(JSON.stringify(publicKey(key)))
    .digest('base64url')
}

/** A JWT with `iat` and a fresh `jti` besides these claims. */
export function signJwt(
  key: PrivateKey & { readonly kid: string },
  claims: Readonly<Record<string, string | number>>,
): string {
  return signed(key, { alg: 'ES256', typ: 'JWT', kid: key.kid }, claims)
}

/** A DPoP proof (RFC 9449, 4.2) for one sending of a request. */
export function dpopProof(
  key: PrivateKey,
  { method, url, nonce, token }: { method: string; url: URL; nonce: string | null; token: string | null },
): string {
  return signed(
    key,
    { alg: 'ES256', typ: 'dpop+jwt', jwk: publicKey(key) },
    {
      htm: method,
      htu: url.origin + url.pathname,
      ...(nonce === null ? {} : { nonce }),
      ...(token === null ? {} : { ath: createHash('sha256').update(token).digest('base64url') }),
    },
  )
}

function signed(key: PrivateKey, header: object, claims: Readonly<Record<string, string | number>>): string {
  const iat = Math.floor(Date.now() / 1_000)
  const text = `${encoded(header)}.${encoded({ ...claims, iat, jti: randomUUID() })}`
  const { kty, crv, x, y, d } = key
  const privateKey = createPrivateKey({ key: { kty, crv, x, y, d }, format: 'jwk' })
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return `${text}.${signature.toString('base64url')}`
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
