import { createHmac } from 'node:crypto'
import type { Configuration, CustomFetch, IDToken } from 'openid-client'
import type { CappedFetch } from '../../../platform/outbound/capped-fetch.ts'
import { onFirstUse } from '../../../platform/process/on-first-use.ts'
import type { Secret } from '../../../platform/sealing/sealing.ts'
import { refuse, type Refusal } from '../../../edge/operations/refusal.ts'
import type { Identity } from './issuer-identity-store.ts'

/** The issuer of the configuration. */
export type OidcSettings = {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: Secret
  /** What people call it. */
  readonly name: string
  /** Addresses in these domains get in without an invitation. */
  readonly domains: readonly string[]
}

/** Whom the issuer has signed in. The address counts only when the issuer has verified it. */
export type IssuerUser = Identity & {
  readonly email: string | null
  readonly emailVerified: boolean
  readonly name: string | null
}

export type OidcClient = {
  readonly settings: OidcSettings
  /** Where the browser goes to sign in there. `secret` is known to that browser alone. */
  readonly begin: (secret: string) => Promise<URL | Refusal<'not_ready'>>
  /** Whom it has come back as, by the query of the address that it was sent to. */
  readonly finish: (
    secret: string,
    search: string,
  ) => Promise<IssuerUser | Refusal<'not_ready' | 'sign_in_failed'>>
}

const TIMEOUT_SECONDS = 10
const METADATA_MS = 3_600_000
/** Of an answer: metadata, keys, tokens and profiles have some kilobytes. */
const MAX_BYTES = 1_048_576
/** What the library calls it when the issuer could not be asked, or gave no answer of the protocol. */
const AWAY = ['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON']

/** A client of the issuer; the library is loaded, and the issuer's metadata are read, with the first sign-in. */
export function openOidcClient(
  settings: OidcSettings,
  redirectUri: string,
  onFault: (fault: unknown) => void,
): OidcClient {
  const wire = onFirstUse(openWire)
  let known: { readonly configuration: Configuration; readonly until: number } | null = null

  async function configure(): Promise<Configuration> {
    if (known !== null && known.until > performance.now()) return known.configuration
    const configuration = await discover(settings, await wire.get())
    known = { configuration, until: performance.now() + METADATA_MS }
    return configuration
  }

  return {
    settings,
    async begin(secret) {
      try {
        const configuration = await configure()
        const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await import('openid-client')
        const { state, nonce, verifier } = derive(secret)
        return buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri,
          scope: 'openid email profile',
          code_challenge: await calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          state,
          nonce,
        })
      } catch (fault) {
        onFault(fault)
        return away(settings)
      }
    },
    async finish(secret, search) {
      const url = new URL(redirectUri)
      url.search = search
      try {
        return (await signedInAt(await configure(), url, derive(secret))) ?? notTrusted(settings)
      } catch (fault) {
        onFault(fault)
        return explain(fault, settings)
      }
    },
  }
}

/** Reads the issuer's metadata. */
async function discover(settings: OidcSettings, { fetch }: CappedFetch): Promise<Configuration> {
  const { allowInsecureRequests, customFetch, discovery, enableNonRepudiationChecks } =
    await import('openid-client')
  const issuer = new URL(settings.issuer)
  return discovery(issuer, settings.clientId, settings.clientSecret.reveal(), undefined, {
    timeout: TIMEOUT_SECONDS,
    [customFetch]: fetch as CustomFetch,
    execute: [
      // The signature of an ID token counts beside the connection that it came over (OpenID Connect Core 1.0, 3.1.3.7).
      enableNonRepudiationChecks,
      // The settings take http for this machine only.
      ...(issuer.protocol === 'http:' ? [allowInsecureRequests] : []),
    ],
  })
}

/** Whom the issuer says that it has signed in, at the address that it sent the browser back to; null for what is no one's name. */
async function signedInAt(
  configuration: Configuration,
  url: URL,
  { state, nonce, verifier }: ReturnType<typeof derive>,
): Promise<IssuerUser | null> {
  const { authorizationCodeGrant, fetchUserInfo } = await import('openid-client')
  const tokens = await authorizationCodeGrant(configuration, url, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
    idTokenExpected: true,
  })
  const claims = tokens.claims()
  if (claims === undefined || !isSubject(claims.sub)) return null
  const { userinfo_endpoint: more } = configuration.serverMetadata()
  const isWhole = claims['email'] !== undefined || more === undefined
  return isWhole
    ? userOf(claims, claims)
    : userOf(claims, await fetchUserInfo(configuration, tokens.access_token, claims.sub))
}

function userOf(claims: IDToken, more: Readonly<Record<string, unknown>>): IssuerUser {
  const facts: Readonly<Record<string, unknown>> = { ...claims, ...more }
  return {
    issuer: claims.iss,
    subject: claims.sub,
    // As it is given: what would have to be trimmed is not the address that was verified.
    email: typeof facts['email'] === 'string' ? facts['email'] : null,
    emailVerified: facts['email_verified'] === true,
    name: textOf(facts['name']),
  }
}

/** The library's own calls have no limit but that of time. */
async function openWire(): Promise<CappedFetch> {
  const { openCappedFetch } = await import('../../../platform/outbound/capped-fetch.ts')
  return openCappedFetch({ maxBytes: MAX_BYTES, connectMs: TIMEOUT_SECONDS * 1_000 })
}

/** State, nonce and code verifier of one sign-in: known to the holder of its secret alone. */
function derive(secret: string): { state: string; nonce: string; verifier: string } {
  const one = (what: string) => createHmac('sha256', secret).update(what).digest('base64url')
  return { state: one('state'), nonce: one('nonce'), verifier: one('verifier') }
}

/** What the protocol allows: at most 255 ASCII characters (OpenID Connect Core 1.0, section 2). */
function isSubject(sub: string): boolean {
  return /^[\x20-\x7e]{1,255}$/.test(sub)
}

function textOf(claim: unknown): string | null {
  return typeof claim === 'string' && claim.trim() !== '' ? claim.trim() : null
}

function explain(fault: unknown, settings: OidcSettings): Refusal<'not_ready' | 'sign_in_failed'> {
  const { code = '', error = '', cause } = fault as { code?: string; error?: string; cause?: unknown }
  if (error === 'access_denied')
    return refuse('sign_in_failed', `${settings.name} did not sign you in, or you cancelled. Start over.`)
  if (['invalid_client', 'unauthorized_client'].includes(error))
    return refuse(
      'not_ready',
      `${settings.name} does not recognize this server. Ask your server operator to check OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.`,
    )
  const isNetwork = fault instanceof TypeError && cause !== undefined
  return isNetwork || AWAY.includes(code) ? away(settings) : notTrusted(settings)
}

function away({ name }: OidcSettings): Refusal<'not_ready'> {
  return refuse(
    'not_ready',
    `${name} is not answering properly. Try again in a minute, or sign in another way.`,
  )
}

function notTrusted({ name }: OidcSettings): Refusal<'sign_in_failed'> {
  return refuse(
    'sign_in_failed',
    `The answer from ${name} doesn't belong to a sign-in that began in this browser, or did not come from ${name}. Start over.`,
  )
}
