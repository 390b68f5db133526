import { createECDH, hkdfSync } from 'node:crypto'
import { permissionNames } from '@postrider/contract'
import type { IncomingMessage } from 'node:http'
import type { ClientMetadata, Configuration, KoaContextWithOIDC } from 'oidc-provider'
import type { Db } from '../../platform/postgres/db.ts'
import { pagePolicy } from '../../platform/text/html.ts'
import { languageAccepted, writtenIn } from '../../platform/text/language.ts'
import { readOAuthKey } from '../../platform/sealing/installation-store.ts'
import type { Log } from '../../platform/process/log.ts'
import type { Outbound } from '../../platform/outbound/outbound-http.ts'
import { knownPermissions, redirectFault } from './client-registration.ts'
import { nameFault } from './client-name.ts'
import { faultPage, type OAuthFault } from './fault-page.ts'
import { artifactStorage } from './artifact-storage.ts'
import { POLL_SECONDS } from './artifact-store.ts'

export type AuthorizationServerParts = {
  readonly db: Db
  readonly log: Log
  /** Fetches client metadata documents: any address that an unauthenticated client names, so only through the guard. */
  readonly outbound: Outbound
  /** Whether one more of them may be fetched for the sender of this request. */
  readonly mayFetch: (request: IncomingMessage) => Promise<boolean>
  readonly settings: OAuthSettings
  /** The address from which a request came. */
  readonly addressOf: (request: IncomingMessage) => string
  /** Whether the person whose browser sends a request has let this client in. */
  readonly isLetIn: (request: IncomingMessage, clientId: string) => Promise<boolean>
  /** Where people open the server in a browser: their session is there, so consent has to be, too. */
  readonly siteUrl: string
  /** What tokens are for, each for one (RFC 8707); a client that names none means the first. */
  readonly resources: readonly string[]
}

export type OAuthSettings = {
  /** Whether clients may register themselves (RFC 7591). */
  readonly registration: boolean
  /** Whether a client may be named by the https address of its metadata document. */
  readonly clientMetadata: boolean
}

/** Everything that a client may ask for. */
const SCOPE = permissionNames.join(' ')
const MINUTE = 60
const DAY = 24 * 60 * MINUTE

/** In seconds. Access tokens are short; a grant that is not used for `refreshToken` is over. */
export const lifetimes = { accessToken: 30 * MINUTE, refreshToken: 30 * DAY, grant: 365 * DAY } as const

/** How long a person has to enter the code of a device, in seconds. */
const DEVICE_CODE_SECONDS = 10 * MINUTE

/** Where a person enters it. */
export const DEVICE_PAGE = '/device'

/** The name of the authorization server, as tokens and metadata have it (RFC 8414, section 2). */
export function issuerOf(siteUrl: string): string {
  return `${siteUrl}/oauth`
}

export type AuthorizationServer = Awaited<ReturnType<typeof openAuthorizationServer>>

/**
 * The authorization server (OAuth 2.1: authorization code with PKCE S256, refresh tokens, revocation, RFC 8414, 8628, 8707, 9207),
 * loaded here and not before: most servers never meet an OAuth client.
 */
export async function openAuthorizationServer(parts: AuthorizationServerParts) {
  const { Provider, errors } = await import('oidc-provider')
  const { siteUrl, resources, log } = parts
  const refusals: Refusals = {
    invalidTarget: () => new errors.InvalidTarget(`the resources are ${resources.join(' and ')}`),
    usedBefore: () => new errors.InvalidGrant('code already consumed'),
    slowDown: () => new errors.SlowDown(),
    noKnownScope: (scope) =>
      new errors.InvalidScope(`there is none of these scopes; known are ${permissionNames.join(' ')}`, scope),
    unfitClient: (fault) => new errors.InvalidClientMetadata(fault),
  }
  const key = await readOAuthKey(parts.db)
  const server = new Provider(issuerOf(siteUrl), configuration(parts, key, refusals))
  // It is told by us whether it is on https: see library-request.
  server.proxy = true
  const logFault = (err: unknown) => log.error({ err }, 'the authorization server failed')
  server.on('server_error', (_ctx, error: Error) => logFault(error))
  server.use(async (ctx, next) => {
    try {
      await next()
    } catch (fault) {
      // Koa would answer in plain text, and drop the headers that are set.
      logFault(fault)
      ctx.status = 500
      ctx.body = { error: 'server_error', error_description: 'oops! something went wrong' }
    }
    const asked = ctx as KoaContextWithOIDC
    const route = (ctx as Partial<KoaContextWithOIDC>).oidc?.route
    if (route === 'authorization') await keepHere(asked, parts)
    if (route === 'device_authorization' && ctx.status === 200) ctx.body = deviceAnswer(ctx.body, siteUrl)
    if (route !== 'discovery') return
    ctx.set('cache-control', 'no-store')
    // Other modes are refused: see mount-oauth.
    Object.assign(ctx.body as object, { response_modes_supported: ['query'] })
  })
  return server
}

/**
 * A request with a fault is answered before anybody is asked, by a redirect to an address that whoever registered chose: a link to us
 * would lead anywhere (RFC 9700, 4.11.2). So who has not let the client in stays here, and is told.
 */
async function keepHere(
  ctx: KoaContextWithOIDC,
  { siteUrl, isLetIn }: Pick<AuthorizationServerParts, 'siteUrl' | 'isLetIn'>,
): Promise<void> {
  const { location } = ctx.response.headers as { location?: string }
  if (location === undefined || location.startsWith(`${siteUrl}/oauth/consent/`)) return
  if (await isLetIn(ctx.req, ctx.oidc.client?.clientId ?? '')) return
  // In the fragment where another kind of answer was asked for.
  const { searchParams, hash } = new URL(location)
  const answered = new URLSearchParams([...searchParams, ...new URLSearchParams(hash.slice(1))])
  ctx.remove('location')
  ctx.status = 400
  await showFault(ctx, {
    error: answered.get('error') ?? 'invalid_request',
    error_description: answered.get('error_description') ?? undefined,
  })
}

/** As a page where a browser asks for one. */
async function showFault(ctx: KoaContextWithOIDC, fault: OAuthFault): Promise<void> {
  if (ctx.accepts('json', 'html') === 'html') {
    ctx.type = 'html'
    ctx.set('content-security-policy', pagePolicy())
    ctx.body = await writtenIn(languageAccepted(ctx.get('accept-language')), () => faultPage(fault))
  } else {
    ctx.type = 'application/json'
    ctx.body = fault
  }
}

/**
 * What a device is told: where its person enters the code, on a page of ours, and how often to ask. It is told of no address
 * with the code in it: a link that others send would save a person the look at where the code is from (RFC 8628, section 5.4).
 */
function deviceAnswer(body: unknown, siteUrl: string): object {
  const { device_code, user_code, expires_in } = body as Record<string, unknown>
  return {
    device_code,
    user_code,
    expires_in,
    verification_uri: `${siteUrl}${DEVICE_PAGE}`,
    interval: POLL_SECONDS,
  }
}

type Refusals = {
  readonly invalidTarget: () => Error
  readonly usedBefore: () => Error
  readonly slowDown: () => Error
  readonly noKnownScope: (scope: string) => Error
  readonly unfitClient: (fault: string) => Error
}

function configuration(
  parts: AuthorizationServerParts,
  key: Buffer,
  { invalidTarget, noKnownScope, unfitClient, ...refusals }: Refusals,
): Configuration {
  const { db, siteUrl } = parts
  return {
    adapter: artifactStorage(db, refusals),
    clients: [],
    // Not one signature is made with it, since tokens are opaque; the library wants to have a key of its own.
    jwks: { keys: [signingKey(derive(key, 'signing'))] },
    cookies: { keys: [derive(key, 'cookies').toString('base64url')] },
    scopes: [...permissionNames],
    claims: {},
    responseTypes: ['code'],
    subjectTypes: ['public'],
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    clientDefaults: {
      // Loopback redirects with any port (RFC 8252, 7.3), and schemes of applications; http elsewhere is refused.
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      id_token_signed_response_alg: 'ES256',
      scope: SCOPE,
    },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    pkce: { required: () => true },
    extraClientMetadata: {
      properties: ['client_name'],
      validator(ctx, _property, name, metadata) {
        const fault = isNew(ctx, metadata) ? (nameFault(name) ?? redirectFault(metadata.redirect_uris)) : null
        if (fault !== null) throw unfitClient(fault)
      },
    },
    extraParams: {
      scope(_ctx, scope) {
        if (knownPermissions(scope ?? '').length === 0) throw noKnownScope(scope ?? '')
      },
    },
    features: features(parts, invalidTarget),
    ttl,
    expiresWithSession: () => false,
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    // Each authorization is a decision of its own: only what was ticked for this one counts.
    loadExistingGrant: (ctx) => grantOf(ctx),
    findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    interactions: { url: (_ctx, { uid }) => `${siteUrl}/oauth/consent/${uid}` },
    clientBasedCORS: () => true,
    fetch: (url, options) =>
      fetchGuarded(parts.outbound, new URL(url instanceof Request ? url.url : url), options),
    // Shown only where there is no address of the client's that could be trusted with the error.
    renderError: showFault,
  }
}

function features(
  { settings, resources, mayFetch, addressOf }: AuthorizationServerParts,
  invalidTarget: () => Error,
): NonNullable<Configuration['features']> {
  return {
    devInteractions: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    deviceFlow: {
      enabled: true,
      // 20^8 codes, of letters that are not taken for others and make no words.
      charset: 'base-20',
      mask: '****-****',
      deviceInfo: ({ req }) => ({ address: addressOf(req) }),
    },
    revocation: {
      enabled: true,
      allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
    },
    registration: {
      enabled: settings.registration,
      // A registration is changed by registering again.
      issueRegistrationAccessToken: false,
    },
    clientIdMetadataDocument: {
      enabled: settings.clientMetadata,
      ack: 'draft-02',
      // The consent page, which is no request of the library's, asks for a client that was let through already.
      allowFetch: async (ctx: KoaContextWithOIDC | undefined) => ctx === undefined || mayFetch(ctx.req),
    },
    resourceIndicators: {
      enabled: true,
      // Of several that were granted, a token is for one.
      defaultResource: (_ctx, _client, granted) => granted?.[0] ?? resources[0] ?? '',
      useGrantedResource: () => true,
      getResourceServerInfo(_ctx, audience) {
        if (!resources.includes(audience)) throw invalidTarget()
        return { scope: SCOPE, audience, accessTokenTTL: lifetimes.accessToken, accessTokenFormat: 'opaque' }
      },
    },
  }
}

const ttl = {
  AccessToken: lifetimes.accessToken,
  AuthorizationCode: MINUTE,
  DeviceCode: DEVICE_CODE_SECONDS,
  RefreshToken: lifetimes.refreshToken,
  Grant: lifetimes.grant,
  Interaction: 30 * MINUTE,
  Session: 30 * MINUTE,
  IdToken: MINUTE,
}

/** Whether a client is being registered, or describes itself, rather than read from where it was stored. */
function isNew(ctx: KoaContextWithOIDC | undefined, { client_id }: ClientMetadata): boolean {
  return ctx !== undefined || client_id.startsWith('https://')
}

async function grantOf(ctx: KoaContextWithOIDC) {
  const grantId = ctx.oidc.result?.consent?.grantId
  return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId)
}

/** 32 bytes for one purpose (HKDF, RFC 5869). */
function derive(key: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', `postrider oauth ${purpose}`, 32))
}

/** A P-256 key, the same one each time for the same 32 bytes. */
function signingKey(bytes: Buffer) {
  const curve = createECDH('prime256v1')
  curve.setPrivateKey(bytes)
  const point = curve.getPublicKey()
  const [x, y, d] = [point.subarray(1, 33), point.subarray(33), bytes].map((part) =>
    part.toString('base64url'),
  )
  return { kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig', x, y, d } as const
}

async function fetchGuarded(
  outbound: Outbound,
  url: URL,
  options: RequestInit | undefined,
): Promise<Response> {
  const headers = Object.fromEntries(new Headers(options?.headers).entries())
  const answer = await outbound.call({ method: 'GET', url, headers })
  if (!answer.arrived) throw new Error(`no answer: ${answer.reason}`)
  const { status, headers: answered, body } = answer.response
  return new Response([204, 304].includes(status) ? null : body, { status, headers: answered })
}
