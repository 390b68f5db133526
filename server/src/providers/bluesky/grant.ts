import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import type { Authorization } from '../port.ts'

const Did = Type.String({ pattern: '^did:[a-z]+:[a-zA-Z0-9._:%-]{1,2000}$' })
const Instant = Type.String({ pattern: '^\\d{4}-' })
const Key = Type.Object({
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
const PasswordGrant = Type.Object({ kind: Type.Literal('password'), ...common })
/** A session made by OAuth, bound to a key. */
const OauthGrant = Type.Object({
  kind: Type.Literal('oauth'),
  ...common,
  key: Key,
  issuer: Type.String(),
  tokenEndpoint: Type.String(),
  clientId: Type.String(),
  /** When the server ends the session however it is used; for clients that it does not know by a key. */
  endsAt: Type.Union([Instant, Type.Null()]),
})

export const BlueskyGrant = Type.Union([PasswordGrant, OauthGrant])
export type BlueskyGrant = Static<typeof BlueskyGrant>

export function blueskyGrant(grant: unknown): BlueskyGrant {
  if (!Check(BlueskyGrant, grant))
    throw new Error('The grant of a Bluesky channel has not the shape it was stored with.')
  return grant
}

/** How a request to the account's server is authorised. */
export function authorizationOf(grant: BlueskyGrant): Authorization {
  return grant.kind === 'password'
    ? { scheme: 'Bearer', credentials: grant.accessToken }
    : { scheme: 'DPoP', credentials: grant.accessToken, key: grant.key }
}

/** When a JWT ends, as it says itself; null where it cannot be read. */
export function endOfJwt(token: string): Date | null {
  const [, claims = ''] = token.split('.')
  try {
    const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { exp?: unknown }
    return typeof exp === 'number' && exp > 0 && exp < 1e11 ? new Date(exp * 1_000) : null
  } catch {
    return null
  }
}
