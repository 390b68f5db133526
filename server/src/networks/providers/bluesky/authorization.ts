import Type, { type Static } from 'typebox'
import type { RequestAuthorization } from '../port/calls.ts'
import { storedAs } from '../shared/stored-as.ts'

const Did = Type.String({ pattern: '^did:[a-z]+:[a-zA-Z0-9._:%-]{1,2000}$' })
const Instant = Type.String({ pattern: '^\\d{4}-' })
/** A private key, as a JWK. */
export const Key = Type.Object({
  kty: Type.String(),
  crv: Type.String(),
  x: Type.String(),
  y: Type.String(),
  d: Type.String(),
})

const common = {
  /** The origin of the account's own server (PDS). */
  server: Type.String(),
  did: Did,
  handle: Type.String(),
  accessToken: Type.String({ minLength: 1 }),
  refreshToken: Type.String({ minLength: 1 }),
  accessEndsAt: Instant,
}

/** A session made with an app password. */
const PasswordAuthorization = Type.Object({ kind: Type.Literal('password'), ...common })
/** A session made by OAuth, bound to a key. */
const OauthAuthorization = Type.Object({
  kind: Type.Literal('oauth'),
  ...common,
  key: Key,
  issuer: Type.String(),
  tokenEndpoint: Type.String(),
  clientId: Type.String(),
  /** When the server ends the session however it is used; for clients that it does not know by a key. */
  endsAt: Type.Union([Instant, Type.Null()]),
})

export const BlueskyAuthorization = Type.Union([PasswordAuthorization, OauthAuthorization])
export type BlueskyAuthorization = Static<typeof BlueskyAuthorization>

export const blueskyAuthorization = storedAs(BlueskyAuthorization, 'The authorization of a Bluesky channel')

/** How a request to the account's server is authorised. */
export function requestAuthorization(authorization: BlueskyAuthorization): RequestAuthorization {
  return authorization.kind === 'password'
    ? { scheme: 'Bearer', credentials: authorization.accessToken }
    : { scheme: 'DPoP', credentials: authorization.accessToken, key: authorization.key }
}

/** When a JWT ends, as it says itself; null where it cannot be read. */
export function endOfJwt(token: string): Date | null {
  const { exp } = claimsOf(token)
  return typeof exp === 'number' && exp > 0 && exp < 1e11 ? new Date(exp * 1_000) : null
}

/** The scopes of a JWT, separated by spaces, as it says itself; null where it does not. */
export function scopeOfJwt(token: string): string | null {
  const { scope } = claimsOf(token)
  return typeof scope === 'string' ? scope : null
}

function claimsOf(token: string): { readonly exp?: unknown; readonly scope?: unknown } {
  const [, claims = ''] = token.split('.')
  try {
    const read: unknown = JSON.parse(Buffer.from(claims, 'base64url').toString())
    return typeof read === 'object' && read !== null ? read : {}
  } catch {
    return {}
  }
}
