import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import { isWebAddress, jsonOf, readBody } from '../shared/answers.ts'
import {
  after,
  challengeOf,
  codeExchange,
  codeRequest,
  covers,
  notRefreshed,
  oauthErrorOf,
} from '../shared/oauth-code.ts'
import { publicKey } from '../port/signing-keys.ts'
import type { HttpRequest, HttpResponse, PrivateKey } from '../port/calls.ts'
import type {
  Account,
  AuthorizeVerdict,
  AuthorizeWork,
  ConnectRefusal,
  ConnectVerdict,
  ExchangeWork,
  FormWork,
  NetworkClient,
  OauthConnect,
  ProfileVerdict,
  ProfileWork,
  RefreshVerdict,
  RefreshWork,
} from '../port/port.ts'
import { call, newKey, signJwt, tryCall, type Procedure, type Steps } from '../port/procedure.ts'
import { get, withQuery } from '../shared/requests.ts'
import { readServerAddress } from '../shared/server-address.ts'
import { storedAs } from '../shared/stored-as.ts'
import { accountOf, refused, unavailable } from '../port/verdicts.ts'
import type { Directories } from './directories.ts'
import { blueskyAuthorization, endOfJwt, Key, type BlueskyAuthorization } from './authorization.ts'
import { errorOf, query, refusalOf } from './xrpc.ts'

type NotConnected = Exclude<ConnectVerdict, { is: 'connected' }>
type Unavailable = Extract<ConnectVerdict, { is: 'unavailable' }>

/* ---------------------------------------------------------------------------------------------------------- identity */

/** Who an account is, and which server has the last word on it. */
type Identity = { readonly did: string; readonly handle: string; readonly server: string }

const DidDocument = Type.Object({
  id: Type.String(),
  alsoKnownAs: Type.Optional(Type.Array(Type.Unknown())),
  service: Type.Optional(Type.Array(Type.Unknown())),
})
const Service = Type.Object({ id: Type.String(), type: Type.String(), serviceEndpoint: Type.String() })
const Resolved = Type.Object({ did: Type.String() })
const DID = /^did:(?:plc:[a-z2-7]{24}|web:[a-zA-Z0-9.-]+(?:%3A\d{1,5})?)$/
const HANDLE = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * Resolves what a person typed to an account and its server. A handle counts only if the account's own document claims
 * it, too (https://atproto.com/specs/handle).
 */
function* identify({ resolver, plc }: Directories, typed: string): Steps<Identity | NotConnected> {
  const name = typed.trim().replace(/^@/, '').toLowerCase()
  let did = typed.trim()
  if (!DID.test(did)) {
    if (!HANDLE.test(name)) {
      return wrongHandle('This is not a handle. A handle looks like alice.bsky.social.')
    }
    const response = yield* call(query(resolver, 'com.atproto.identity.resolveHandle', { handle: name }))
    if (response.status >= 500 || response.status === 429)
      return unavailable("Handles can't be looked up right now.")
    did = readBody(response, Resolved)?.did ?? ''
    if (!DID.test(did)) return wrongHandle(`No account has the handle ${name}. Check its spelling.`)
  }
  const document = yield* call(documentRequest(plc, did))
  const identity = identityIn(jsonOf(document), did)
  if (identity === null) return unavailable(`The document of the account ${did} cannot be read.`)
  if (!DID.test(typed.trim()) && identity.handle !== name) {
    return wrongHandle(
      `The account that ${name} points to calls itself ${identity.handle || 'otherwise'}. Use that.`,
    )
  }
  return identity
}

/** did:plc is kept by its directory, did:web by the host that it names (https://atproto.com/specs/did). */
function documentRequest(plc: string, did: string): HttpRequest {
  const [, method, id = ''] = did.split(':')
  const url =
    method === 'plc'
      ? new URL(`/${did}`, plc)
      : new URL('/.well-known/did.json', `https://${decodeURIComponent(id)}`)
  return { ...get(url), headers: { accept: 'application/did+ld+json, application/json' } }
}

function identityIn(document: unknown, did: string): Identity | null {
  if (!Check(DidDocument, document) || document.id !== did) return null
  const { alsoKnownAs = [], service = [] } = document
  const handle = alsoKnownAs.find((name) => typeof name === 'string' && name.startsWith('at://'))
  const pds = service.find(
    (one): one is Static<typeof Service> =>
      Check(Service, one) && one.id.endsWith('#atproto_pds') && one.type === 'AtprotoPersonalDataServer',
  )
  const server = pds === undefined ? null : URL.parse(pds.serviceEndpoint)
  if (server === null || !isWebAddress(server.href)) return null
  return {
    did,
    handle: typeof handle === 'string' ? handle.slice('at://'.length) : '',
    server: server.origin,
  }
}

/* ------------------------------------------------------------------------------------------------------ app password */

const Session = Type.Object({
  did: Type.String(),
  handle: Type.String(),
  accessJwt: Type.String({ minLength: 1 }),
  refreshJwt: Type.String({ minLength: 1 }),
  didDoc: Type.Optional(Type.Unknown()),
  active: Type.Optional(Type.Boolean()),
  status: Type.Optional(Type.String()),
})

/** com.atproto.server.createSession. The password itself is not kept: the session is, and refreshed. */
export function connectByPassword(directories: Directories): Procedure<FormWork, ConnectVerdict> {
  return function* connect({ fields, now }) {
    const { handle = '', appPassword = '', server } = fields
    const place =
      server === undefined
        ? yield* identify(directories, handle)
        : readServerAddress(server, { field: 'server', example: 'https://pds.example.com' })
    if ('is' in place) return place
    const identifier = 'did' in place ? place.did : handle.replace(/^@/, '')
    const response = yield* call({
      method: 'POST',
      url: new URL('/xrpc/com.atproto.server.createSession', place.server),
      json: { identifier, password: appPassword },
    })
    const body = readBody(response, Session)
    if (body === null) return refusedSession(response)
    const session = sessionAuthorization(body, place.server, now)
    if (session === null) return unavailable("The server returned a session that can't be read.")
    if (body.active === false) return unusable(body.status)
    return yield* connected(session)
  }
}

function sessionAuthorization(
  { did, handle, accessJwt, refreshJwt, didDoc }: Static<typeof Session>,
  server: string,
  now: Date,
): Extract<BlueskyAuthorization, { kind: 'password' }> | null {
  if (!DID.test(did)) return null
  return {
    kind: 'password',
    // An entrance such as bsky.social signs in for many servers; the document says which is the account's own.
    server: identityIn(didDoc, did)?.server ?? server,
    did,
    handle,
    accessToken: accessJwt,
    refreshToken: refreshJwt,
    // Two hours, where the token does not say (https://atproto.com/specs/xrpc).
    accessEndsAt: endOfJwt(accessJwt)?.toISOString() ?? after(now, 2 * 3_600),
  }
}

function refusedSession(response: HttpResponse): ConnectVerdict {
  const error = errorOf(response)
  if (error === 'AccountTakedown') return unusable('takendown')
  if (error === 'AccountDeactivated') return unusable('deactivated')
  if (error === 'AuthFactorTokenRequired') {
    const detail =
      "This is the account's own password, which also needs a code. Create an app password and use that."
    return refused('credentials_refused', detail, 'appPassword')
  }
  if (response.status === 401 && error !== null) {
    const detail =
      'Bluesky does not accept this handle with this app password. Create a new one and copy all of it.'
    return refused('credentials_refused', detail, 'appPassword')
  }
  if (response.status === 429) {
    return unavailable('Bluesky takes no more sign-ins for this account for a few minutes. Try again later.')
  }
  if (response.status >= 400 && error === null) {
    return refused(
      'invalid_field',
      'The server at this address is not a Bluesky server. Check the address.',
      'server',
    )
  }
  return unavailable(`The server answered the sign-in with status ${response.status}. Try again later.`)
}

function unusable(status: string | undefined): ConnectRefusal {
  const detail =
    status === 'deactivated'
      ? 'The account is deactivated. Activate it at Bluesky first.'
      : 'Bluesky has suspended this account, so nothing can be published with it.'
  return refused('account_unusable', detail)
}

/* ------------------------------------------------------------------------------------------------------------- OAuth */

/* The profile of OAuth at https://atproto.com/specs/oauth: PAR, PKCE, DPoP, and a client that is known by its document. */

export const SCOPE = 'atproto transition:generic'
const ResourceMetadata = Type.Object({ authorization_servers: Type.Array(Type.String(), { minItems: 1 }) })
const ServerMetadata = Type.Object({
  issuer: Type.String(),
  authorization_endpoint: Type.String(),
  token_endpoint: Type.String(),
  pushed_authorization_request_endpoint: Type.String(),
})
const Pushed = Type.Object({ request_uri: Type.String() })
const Tokens = Type.Object({
  access_token: Type.String({ minLength: 1 }),
  refresh_token: Type.String({ minLength: 1 }),
  token_type: Type.String({ pattern: '^[Dd][Pp][Oo][Pp]$' }),
  scope: Type.String(),
  sub: Type.String(),
  expires_in: Type.Optional(Type.Number()),
})
const Refreshed = Type.Object({
  ...Tokens.properties,
  refresh_token: Type.Optional(Type.String({ minLength: 1 })),
  scope: Type.Optional(Type.String()),
  sub: Type.Optional(Type.String()),
})
const keptOf = storedAs(
  Type.Object({
    identity: Type.Object({ did: Type.String(), handle: Type.String(), server: Type.String() }),
    issuer: Type.String(),
    tokenEndpoint: Type.String(),
    key: Key,
  }),
  'What is kept of a sign-in at Bluesky',
)

/** For how long a client that servers do not know by a key can hope to keep a session (7 days to two weeks). */
const PUBLIC_SESSION_SECONDS = 7 * 86_400
/** What an access token lives where the server does not say: "less than 30 minutes in all situations". */
const ACCESS_SECONDS = 300

export function oauth(directories: Directories): OauthConnect {
  return {
    server: () => '',
    register: null,
    publishClient,
    authorize: (work) => authorize(directories, work),
    exchange,
  }
}

const publishClient: NonNullable<OauthConnect['publishClient']> = ({
  baseUrl,
  documentUrl,
  redirectUri,
  key,
}) => {
  if (!baseUrl.startsWith('https:')) {
    // A server without a public address is nobody that could be known: a development client, whose id says it all.
    const clientId = `http://localhost?redirect_uri=${encodeURIComponent(redirectUri)}&scope=${encodeURIComponent(SCOPE)}`
    return { client: { clientId, clientSecret: null, key: null }, document: null }
  }
  const document = {
    client_id: documentUrl,
    client_name: 'Postrider',
    client_uri: baseUrl,
    application_type: 'web',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    redirect_uris: [redirectUri],
    scope: SCOPE,
    dpop_bound_access_tokens: true,
    token_endpoint_auth_method: 'private_key_jwt',
    token_endpoint_auth_signing_alg: 'ES256',
    jwks: { keys: [{ ...publicKey(key), kid: key.kid, use: 'sig', alg: 'ES256' }] },
  }
  return { client: { clientId: documentUrl, clientSecret: null, key }, document }
}

function* authorize(directories: Directories, work: AuthorizeWork): Steps<AuthorizeVerdict> {
  const { fields, client, redirectUri } = work
  const { protocol, hostname } = new URL(redirectUri)
  if (protocol !== 'https:' && hostname !== '127.0.0.1' && hostname !== '[::1]') {
    return unavailable(
      `Bluesky sends people back only to https addresses and http://127.0.0.1, and not to ${redirectUri}. Your server operator can set BASE_URL. Until then, use an app password.`,
    )
  }
  const identity = yield* identify(directories, fields['handle'] ?? '')
  if ('is' in identity) return identity
  const authority = yield* authorityOf(identity.server)
  if ('is' in authority) return authority

  const key = yield* newKey()
  const { tokenEndpoint, parEndpoint, authorizationEndpoint, issuer } = authority
  const response = yield* call({
    method: 'POST',
    url: new URL(parEndpoint),
    authorization: { scheme: 'DPoP', credentials: null, key },
    form: {
      ...(yield* clientProof(client, issuer)),
      ...codeRequest(work, SCOPE),
      ...challengeOf(work),
      login_hint: identity.handle || identity.did,
    },
  })
  const pushed = readBody(response, Pushed, 200, 201)
  if (pushed === null) {
    const error = oauthErrorOf(response)?.error ?? ''
    const name = /^[a-z_]{1,60}$/.test(error) ? ` (${error})` : ''
    return unavailable(
      `The account's server takes no sign-in from this server${name}. Its document has to be readable at ${client.clientId}. Until then, use an app password.`,
    )
  }
  const sent = { client_id: client.clientId, request_uri: pushed.request_uri }
  const url = withQuery(new URL(authorizationEndpoint), sent)
  return { is: 'authorize', url, kept: { identity, issuer, tokenEndpoint, key } }
}

type Authority = {
  readonly issuer: string
  readonly authorizationEndpoint: string
  readonly tokenEndpoint: string
  readonly parEndpoint: string
}

/** The authorization server of an account's server, as both say (RFC 9728, RFC 8414). */
function* authorityOf(server: string): Steps<Authority | Unavailable> {
  const resource = yield* call(get(new URL('/.well-known/oauth-protected-resource', server)))
  const [named = ''] = readBody(resource, ResourceMetadata)?.authorization_servers ?? []
  const origin = URL.parse(named)?.origin ?? ''
  if (!isWebAddress(origin)) return unavailable(`${server} offers no sign-in for apps.`)
  const metadata = yield* call(get(new URL('/.well-known/oauth-authorization-server', origin)))
  const body = readBody(metadata, ServerMetadata)
  if (body?.issuer !== origin) return unavailable(`${origin} does not say how to sign in.`)
  const endpoints = {
    authorizationEndpoint: body.authorization_endpoint,
    tokenEndpoint: body.token_endpoint,
    parEndpoint: body.pushed_authorization_request_endpoint,
  }
  if (!Object.values(endpoints).every(isWebAddress))
    return unavailable(`${origin} does not say how to sign in.`)
  return { issuer: body.issuer, ...endpoints }
}

/** How a client proves who it is (RFC 7523, 2.2); one without a key only says so. */
function* clientProof({ clientId, key }: NetworkClient, issuer: string): Steps<Record<string, string>> {
  if (key === null) return { client_id: clientId }
  return {
    client_id: clientId,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: yield* signJwt(key, { iss: clientId, sub: clientId, aud: issuer }),
  }
}

function* exchange(work: ExchangeWork): Steps<ConnectVerdict> {
  const { client, codeVerifier, callback, now } = work
  const { identity, issuer, tokenEndpoint, key } = keptOf(work.kept)
  // RFC 9207: whoever answers has to be who was asked.
  if (callback['iss'] !== issuer) {
    return refused('credentials_refused', 'Another server answered the sign-in. Nothing was connected.')
  }
  const proof = yield* clientProof(client, issuer)
  const form = { ...proof, ...codeExchange(work), code_verifier: codeVerifier }
  const response = yield* call(tokenRequest(tokenEndpoint, key, form))
  const tokens = readBody(response, Tokens)
  if (tokens === null) {
    return response.status >= 500 || response.status === 429
      ? unavailable('Bluesky could not finish the sign-in. Try again.')
      : refused('credentials_refused', 'Bluesky did not accept the sign-in. Create a new link and try again.')
  }
  if (tokens.sub !== identity.did) {
    const detail = `You signed in with another account than @${identity.handle}. Nothing was connected.`
    return refused('credentials_refused', detail)
  }
  if (!covers(tokens.scope, SCOPE)) {
    const detail = 'Not everything that publishing needs was allowed. Allow all of it.'
    return refused('missing_scope', detail)
  }
  return yield* connected({
    kind: 'oauth',
    ...identity,
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token,
    accessEndsAt: accessEnd(tokens.expires_in, now),
    key,
    issuer,
    tokenEndpoint,
    clientId: client.clientId,
    endsAt: client.key === null ? after(now, PUBLIC_SESSION_SECONDS) : null,
  })
}

function tokenRequest(endpoint: string, key: PrivateKey, form: Record<string, string>): HttpRequest {
  const authorization = { scheme: 'DPoP', credentials: null, key } as const
  return { method: 'POST', url: new URL(endpoint), authorization, form }
}

function accessEnd(expiresIn: number | undefined, now: Date): string {
  const isTold = expiresIn !== undefined && expiresIn > 0 && expiresIn < 1e8
  return after(now, isTold ? expiresIn : ACCESS_SECONDS)
}

/* ------------------------------------------------------------------------------------------------ refresh and profile */

export function* refresh({ authorization, client, now }: RefreshWork): Steps<RefreshVerdict> {
  const session = blueskyAuthorization(authorization)
  return session.kind === 'password'
    ? yield* refreshSession(session, now)
    : yield* refreshTokens(session, client, now)
}

/** com.atproto.server.refreshSession. A token that was used before still answers for two hours, with the same session. */
function* refreshSession(
  session: Extract<BlueskyAuthorization, { kind: 'password' }>,
  now: Date,
): Steps<RefreshVerdict> {
  const response = yield* call({
    method: 'POST',
    url: new URL('/xrpc/com.atproto.server.refreshSession', session.server),
    authorization: { scheme: 'Bearer', credentials: session.refreshToken },
  })
  const body = readBody(response, Session)
  const fresh = body?.did === session.did ? sessionAuthorization(body, session.server, now) : null
  if (fresh !== null) return { is: 'refreshed', authorization: fresh }
  const error = errorOf(response)
  const over = error === 'ExpiredToken' || error === 'InvalidToken'
  if ((response.status === 400 || response.status === 401) && over) {
    return { is: 'ended', detail: 'The app password was deleted, or the session was unused for too long.' }
  }
  return unavailable(`The server answered the refresh with status ${response.status}.`)
}

/** RFC 6749, 6. The refresh token counts once: whoever calls this is alone. */
function* refreshTokens(
  session: Extract<BlueskyAuthorization, { kind: 'oauth' }>,
  client: NetworkClient | null,
  now: Date,
): Steps<RefreshVerdict> {
  const known = client !== null && client.clientId === session.clientId ? client : null
  const proof = known ?? { clientId: session.clientId, clientSecret: null, key: null }
  const response = yield* call(
    tokenRequest(session.tokenEndpoint, session.key, {
      ...(yield* clientProof(proof, session.issuer)),
      grant_type: 'refresh_token',
      refresh_token: session.refreshToken,
    }),
  )
  const tokens = readBody(response, Refreshed)
  if (tokens === null || (tokens.sub ?? session.did) !== session.did) {
    const detail = 'The account withdrew the access, or it expired.'
    return notRefreshed(response, 'The server', { detail })
  }
  const authorization: BlueskyAuthorization = {
    ...session,
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token ?? session.refreshToken,
    accessEndsAt: accessEnd(tokens.expires_in, now),
  }
  return { is: 'refreshed', authorization }
}

const Profile = Type.Object({
  did: Type.String(),
  displayName: Type.Optional(Type.String()),
  avatar: Type.Optional(Type.String()),
})
const SessionState = Type.Object({ did: Type.String(), handle: Type.String() })

/** What was connected, with the profile that the network shows; one that cannot be read keeps nothing back. */
function* connected(session: BlueskyAuthorization): Steps<ConnectVerdict> {
  return { is: 'connected', authorization: session, account: yield* readAccount(session, session.handle) }
}

export function* profile({ authorization }: ProfileWork): Steps<ProfileVerdict> {
  const session = blueskyAuthorization(authorization)
  const response = yield* call(query(session.server, 'com.atproto.server.getSession', {}, session))
  const state = readBody(response, SessionState)
  if (state?.did === session.did) {
    return { is: 'profile', account: yield* readAccount(session, state.handle) }
  }
  const refusal = refusalOf(response)
  if (refusal?.is === 'expired' || refusal?.is === 'reauthorize') return refusal
  return unavailable(`The server answered with status ${response.status}.`)
}

/** app.bsky.actor.getProfile, by way of the account's server. */
function* readAccount(session: BlueskyAuthorization, handle: string): Steps<Account> {
  const { did: actor, server } = session
  const response = yield* tryCall(query(server, 'app.bsky.actor.getProfile', { actor }, session))
  const shown = response === null ? null : readBody(response, Profile)
  const { displayName = '', avatar } = shown?.did === actor ? shown : {}
  return accountOf({ remoteAccountId: actor, displayName: displayName.trim() || handle, handle, avatar })
}

function wrongHandle(detail: string): ConnectRefusal {
  return refused('invalid_field', detail, 'handle')
}
