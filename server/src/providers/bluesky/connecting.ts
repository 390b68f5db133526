import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import { isWebAddress, jsonOf } from '../answers.ts'
import { publicKey } from '../keys.ts'
import type {
  Account,
  AuthorizeVerdict,
  AuthorizeWork,
  ConnectRefusal,
  ConnectVerdict,
  ExchangeWork,
  FormWork,
  Grant,
  HttpRequest,
  HttpResponse,
  OauthClient,
  OauthConnect,
  PrivateKey,
  ProfileVerdict,
  ProfileWork,
  RefreshVerdict,
  RefreshWork,
} from '../port.ts'
import { call, newKey, signJwt, tryCall, type Procedure, type Steps } from '../procedure.ts'
import { readServerAddress } from '../server-address.ts'
import type { Directories } from './bluesky.ts'
import { blueskyGrant, endOfJwt, type BlueskyGrant } from './grant.ts'
import { errorOf, query, refusalOf } from './xrpc.ts'

type Unavailable = Extract<ConnectVerdict, { is: 'unavailable' }>
type NotConnected = ConnectRefusal | Unavailable

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
      return wrong('handle', 'This is no handle: it looks like alice.bsky.social.')
    }
    const response = yield* call(query(resolver, 'com.atproto.identity.resolveHandle', { handle: name }))
    const body = jsonOf(response)
    if (response.status >= 500 || response.status === 429)
      return unavailable('Handles cannot be looked up now.')
    if (response.status !== 200 || !Check(Resolved, body) || !DID.test(body.did)) {
      return wrong('handle', `Nobody has the handle ${name}. Check its spelling.`)
    }
    did = body.did
  }
  const document = yield* call(documentRequest(plc, did))
  const identity = identityIn(jsonOf(document), did)
  if (identity === null) return unavailable(`The document of the account ${did} cannot be read.`)
  if (!DID.test(typed.trim()) && identity.handle !== name) {
    return wrong(
      'handle',
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
  return { method: 'GET', url, headers: { accept: 'application/did+ld+json, application/json' } }
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
      headers: {},
      json: { identifier, password: appPassword },
    })
    const body = jsonOf(response)
    if (response.status === 200 && Check(Session, body)) {
      const session = sessionGrant(body, place.server, now)
      if (session === null) return unavailable('The server gave a session that cannot be read.')
      if (body.active === false) return unusable(body.status)
      return yield* connected(session)
    }
    return refusedSession(response)
  }
}

function sessionGrant(
  { did, handle, accessJwt, refreshJwt, didDoc }: Static<typeof Session>,
  server: string,
  now: Date,
): Extract<BlueskyGrant, { kind: 'password' }> | null {
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
    accessEndsAt: (endOfJwt(accessJwt) ?? new Date(now.getTime() + 2 * 3_600_000)).toISOString(),
  }
}

function refusedSession(response: HttpResponse): ConnectVerdict {
  const error = errorOf(response)
  if (error === 'AccountTakedown') return unusable('takendown')
  if (error === 'AccountDeactivated') return unusable('deactivated')
  if (error === 'AuthFactorTokenRequired') {
    return {
      is: 'refused',
      code: 'credentials_refused',
      field: 'appPassword',
      detail:
        "This is the account's own password, and needs a code besides. Make an app password and use that.",
    }
  }
  if (response.status === 401 && error !== null) {
    return {
      is: 'refused',
      code: 'credentials_refused',
      field: 'appPassword',
      detail: 'Bluesky does not accept this handle with this app password. Make a new one and copy it whole.',
    }
  }
  if (response.status === 429) {
    return unavailable('Bluesky takes no more sign-ins for this account for some minutes. Try again later.')
  }
  if (response.status >= 400 && error === null) {
    return wrong('server', 'What answers there is no server of Bluesky. Check the address.')
  }
  return unavailable(`The server answered the sign-in with status ${response.status}. Try again later.`)
}

function unusable(status: string | undefined): ConnectRefusal {
  const detail =
    status === 'deactivated'
      ? 'The account is deactivated. Activate it at Bluesky first.'
      : 'Bluesky has suspended this account: nothing can be published with it.'
  return { is: 'refused', code: 'account_unusable', detail }
}

/* ------------------------------------------------------------------------------------------------------------- OAuth */

/* The profile of OAuth at https://atproto.com/specs/oauth: PAR, PKCE, DPoP, and a client that is known by its document. */

const SCOPE = 'atproto transition:generic'
const ResourceMetadata = Type.Object({ authorization_servers: Type.Array(Type.String(), { minItems: 1 }) })
const ServerMetadata = Type.Object({
  issuer: Type.String(),
  authorization_endpoint: Type.String(),
  token_endpoint: Type.String(),
  pushed_authorization_request_endpoint: Type.String(),
})
const Pushed = Type.Object({ request_uri: Type.String() })
const OauthError = Type.Object({ error: Type.String() })
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
const Kept = Type.Object({
  identity: Type.Object({ did: Type.String(), handle: Type.String(), server: Type.String() }),
  issuer: Type.String(),
  tokenEndpoint: Type.String(),
  key: Type.Object({
    kty: Type.String(),
    crv: Type.String(),
    x: Type.String(),
    y: Type.String(),
    d: Type.String(),
  }),
})

/** For how long a client that servers do not know by a key can hope to keep a session (7 days to two weeks). */
const PUBLIC_SESSION_DAYS = 7
/** What an access token lives where the server does not say: "less than 30 minutes in all situations". */
const ACCESS_SECONDS = 300

export function oauth(directories: Directories): OauthConnect {
  return {
    server: () => '',
    register: null,
    publishClient,
    *authorize(work) {
      return yield* authorize(directories, work)
    },
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
  const { fields, client, redirectUri, state, codeChallenge } = work
  const { protocol, hostname } = new URL(redirectUri)
  if (protocol !== 'https:' && hostname !== '127.0.0.1' && hostname !== '[::1]') {
    return unavailable(
      `Bluesky sends people back to https addresses and to http://127.0.0.1 only, and not to ${redirectUri}. Whoever runs this server sets BASE_URL; an app password works meanwhile.`,
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
    headers: {},
    authorization: { scheme: 'DPoP', credentials: null, key },
    form: {
      ...(yield* clientProof(client, issuer)),
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: SCOPE,
      state,
      code_challenge: codeChallenge,
      code_challenge_method: 'S256',
      login_hint: identity.handle || identity.did,
    },
  })
  const body = jsonOf(response)
  if ((response.status !== 200 && response.status !== 201) || !Check(Pushed, body)) {
    const name = Check(OauthError, body) && /^[a-z_]{1,60}$/.test(body.error) ? ` (${body.error})` : ''
    return unavailable(
      `The account's server does not take a sign-in of this server${name}. Its document has to be readable at ${client.clientId}; an app password works meanwhile.`,
    )
  }
  const url = new URL(authorizationEndpoint)
  url.searchParams.set('client_id', client.clientId)
  url.searchParams.set('request_uri', body.request_uri)
  return { is: 'authorize', url, kept: { identity, issuer, tokenEndpoint, key } }
}

type Authority = {
  readonly issuer: string
  readonly authorizationEndpoint: string
  readonly tokenEndpoint: string
  readonly parEndpoint: string
}

/** The authorisation server of an account's server, as both say (RFC 9728, RFC 8414). */
function* authorityOf(server: string): Steps<Authority | Unavailable> {
  const resource = yield* call(plainGet(new URL('/.well-known/oauth-protected-resource', server)))
  const named = jsonOf(resource)
  const origin =
    resource.status === 200 && Check(ResourceMetadata, named)
      ? (URL.parse(named.authorization_servers[0] ?? '')?.origin ?? null)
      : null
  if (origin === null || !isWebAddress(origin)) return unavailable(`${server} offers no sign-in for apps.`)
  const metadata = yield* call(plainGet(new URL('/.well-known/oauth-authorization-server', origin)))
  const body = jsonOf(metadata)
  if (metadata.status !== 200 || !Check(ServerMetadata, body) || body.issuer !== origin) {
    return unavailable(`${origin} does not say how to sign in.`)
  }
  const endpoints = {
    authorizationEndpoint: body.authorization_endpoint,
    tokenEndpoint: body.token_endpoint,
    parEndpoint: body.pushed_authorization_request_endpoint,
  }
  if (!Object.values(endpoints).every(isWebAddress))
    return unavailable(`${origin} does not say how to sign in.`)
  return { issuer: body.issuer, ...endpoints }
}

function plainGet(url: URL): HttpRequest {
  return { method: 'GET', url, headers: {} }
}

/** How a client proves who it is (RFC 7523, 2.2); one without a key only says so. */
function* clientProof({ clientId, key }: OauthClient, issuer: string): Steps<Record<string, string>> {
  if (key === null) return { client_id: clientId }
  return {
    client_id: clientId,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: yield* signJwt(key, { iss: clientId, sub: clientId, aud: issuer }),
  }
}

function* exchange(work: ExchangeWork): Steps<ConnectVerdict> {
  const { client, redirectUri, codeVerifier, kept, callback, now } = work
  if (!Check(Kept, kept)) throw new Error('A Bluesky sign-in has not kept what it needs.')
  const { identity, issuer, tokenEndpoint, key } = kept
  // RFC 9207: whoever answers has to be who was asked.
  if (callback['iss'] !== issuer) {
    return {
      is: 'refused',
      code: 'credentials_refused',
      detail: 'Another server answered the sign-in than was asked. Nothing was connected.',
    }
  }
  const response = yield* call(
    tokenRequest(tokenEndpoint, key, {
      ...(yield* clientProof(client, issuer)),
      grant_type: 'authorization_code',
      code: callback['code'] ?? '',
      code_verifier: codeVerifier,
      redirect_uri: redirectUri,
    }),
  )
  const body = jsonOf(response)
  if (response.status !== 200 || !Check(Tokens, body)) {
    if (response.status >= 500 || response.status === 429)
      return unavailable('Bluesky could not finish the sign-in. Try again.')
    return {
      is: 'refused',
      code: 'credentials_refused',
      detail: 'Bluesky did not accept the sign-in. Make a new link and try again.',
    }
  }
  if (body.sub !== identity.did) {
    return {
      is: 'refused',
      code: 'credentials_refused',
      detail: `You signed in with another account than @${identity.handle}. Nothing was connected.`,
    }
  }
  const scopes = body.scope.split(' ')
  if (!scopes.includes('atproto') || !scopes.includes('transition:generic')) {
    return {
      is: 'refused',
      code: 'missing_scope',
      detail: 'Not all that was asked for was allowed. Allow it, or nothing can be published.',
    }
  }
  const days = client.key === null ? PUBLIC_SESSION_DAYS : null
  const session: BlueskyGrant = {
    kind: 'oauth',
    ...identity,
    accessToken: body.access_token,
    refreshToken: body.refresh_token,
    accessEndsAt: accessEnd(body.expires_in, now),
    key,
    issuer,
    tokenEndpoint,
    clientId: client.clientId,
    endsAt: days === null ? null : new Date(now.getTime() + days * 86_400_000).toISOString(),
  }
  return yield* connected(session)
}

function tokenRequest(endpoint: string, key: PrivateKey, form: Record<string, string>): HttpRequest {
  return {
    method: 'POST',
    url: new URL(endpoint),
    headers: {},
    authorization: { scheme: 'DPoP', credentials: null, key },
    form,
  }
}

function accessEnd(expiresIn: number | undefined, now: Date): string {
  const seconds = expiresIn !== undefined && expiresIn > 0 && expiresIn < 1e8 ? expiresIn : ACCESS_SECONDS
  return new Date(now.getTime() + seconds * 1_000).toISOString()
}

/* ------------------------------------------------------------------------------------------------ refresh and profile */

export function* refresh({ grant, client, now }: RefreshWork): Steps<RefreshVerdict> {
  const session = blueskyGrant(grant)
  return session.kind === 'password'
    ? yield* refreshSession(session, now)
    : yield* refreshTokens(session, client, now)
}

/** com.atproto.server.refreshSession. A token that was used before still answers for two hours, with the same session. */
function* refreshSession(
  session: Extract<BlueskyGrant, { kind: 'password' }>,
  now: Date,
): Steps<RefreshVerdict> {
  const response = yield* call({
    method: 'POST',
    url: new URL('/xrpc/com.atproto.server.refreshSession', session.server),
    headers: {},
    authorization: { scheme: 'Bearer', credentials: session.refreshToken },
  })
  const body = jsonOf(response)
  if (response.status === 200 && Check(Session, body) && body.did === session.did) {
    const fresh = sessionGrant(body, session.server, now)
    if (fresh !== null) return { is: 'refreshed', grant: fresh }
  }
  const error = errorOf(response)
  const over = error === 'ExpiredToken' || error === 'InvalidToken'
  if ((response.status === 400 || response.status === 401) && over) {
    return { is: 'ended', detail: 'The app password was deleted, or the session was not used for too long.' }
  }
  return { is: 'unavailable', detail: `The server answered the refresh with status ${response.status}.` }
}

/** RFC 6749, 6. The refresh token counts once: whoever calls this is alone. */
function* refreshTokens(
  session: Extract<BlueskyGrant, { kind: 'oauth' }>,
  client: OauthClient | null,
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
  const body = jsonOf(response)
  if (response.status === 200 && Check(Refreshed, body) && (body.sub ?? session.did) === session.did) {
    const grant: BlueskyGrant = {
      ...session,
      accessToken: body.access_token,
      refreshToken: body.refresh_token ?? session.refreshToken,
      accessEndsAt: accessEnd(body.expires_in, now),
    }
    return { is: 'refreshed', grant }
  }
  if (response.status === 400 && Check(OauthError, body) && body.error === 'invalid_grant') {
    return { is: 'ended', detail: 'The account withdrew the access, or its time is over.' }
  }
  return { is: 'unavailable', detail: `The server answered the refresh with status ${response.status}.` }
}

const Profile = Type.Object({
  did: Type.String(),
  displayName: Type.Optional(Type.String()),
  avatar: Type.Optional(Type.String()),
})
const SessionState = Type.Object({ did: Type.String(), handle: Type.String() })

/** What was connected, with the profile that the network shows; one that cannot be read keeps nothing back. */
function* connected(session: BlueskyGrant): Steps<ConnectVerdict> {
  const shown = yield* shownProfile(session)
  const grant: Grant = session
  return { is: 'connected', grant, account: accountOf(session, session.handle, shown) }
}

export function* profile({ grant }: ProfileWork): Steps<ProfileVerdict> {
  const session = blueskyGrant(grant)
  const response = yield* call(query(session.server, 'com.atproto.server.getSession', {}, session))
  const body = jsonOf(response)
  if (response.status === 200 && Check(SessionState, body) && body.did === session.did) {
    return { is: 'profile', account: accountOf(session, body.handle, yield* shownProfile(session)) }
  }
  const refusal = refusalOf(response)
  if (refusal?.is === 'expired' || refusal?.is === 'reauthorize') return refusal
  return { is: 'unavailable', detail: `The server answered with status ${response.status}.` }
}

/** app.bsky.actor.getProfile, by way of the account's server; null where it cannot be read. */
function* shownProfile(session: BlueskyGrant): Steps<Static<typeof Profile> | null> {
  const response = yield* tryCall(
    query(session.server, 'app.bsky.actor.getProfile', { actor: session.did }, session),
  )
  if (response === null || response.status !== 200) return null
  const body = jsonOf(response)
  return Check(Profile, body) && body.did === session.did ? body : null
}

function accountOf(session: BlueskyGrant, handle: string, shown: Static<typeof Profile> | null): Account {
  const { displayName = '', avatar = '' } = shown ?? {}
  return {
    remoteAccountId: session.did,
    displayName: displayName.trim() || handle,
    handle,
    avatarUrl: isWebAddress(avatar) ? avatar : null,
    subscription: null,
    limits: null,
  }
}

function wrong(field: string, detail: string): ConnectRefusal {
  return { is: 'refused', code: 'invalid_field', field, detail }
}

function unavailable(detail: string): Unavailable {
  return { is: 'unavailable', detail }
}
