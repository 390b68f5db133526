import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import { isWebAddress, jsonOf } from '../answers.ts'
import type {
  Account,
  AuthorizeVerdict,
  AuthorizeWork,
  ConnectFields,
  ConnectRefusal,
  ConnectVerdict,
  ExchangeWork,
  FormWork,
  Json,
  Limits,
  OauthClient,
  OauthConnect,
  ProfileVerdict,
  ProfileWork,
  RegisterVerdict,
  RegisterWork,
} from '../port.ts'
import { call, tryCall, type Procedure, type Steps } from '../procedure.ts'
import { readServerAddress } from '../server-address.ts'
import { errorOf, read } from './answers.ts'
import { mastodonGrant, type MastodonGrant } from './grant.ts'
import { readLimits } from './instance-limits.ts'
import { serverKind } from './server-kind.ts'

type Unavailable = Extract<ConnectVerdict, { is: 'unavailable' }>
type NotConnected = ConnectRefusal | Unavailable

/** How accounts at instances are connected. `defaults` holds where an instance does not tell its own limits. */
export function connectingTo(defaults: Limits, scope: string) {
  const connectByToken: Procedure<FormWork, ConnectVerdict> = function* ({ fields }) {
    const place = instanceNamed(fields)
    if ('is' in place) return place
    return yield* connect(defaults, place.server, fields['accessToken'] ?? '')
  }
  const oauth: OauthConnect = {
    server(fields) {
      const place = instanceNamed(fields)
      return 'is' in place ? place : place.server
    },
    *register(work) {
      return yield* register(work, scope)
    },
    publishClient: null,
    *authorize(work) {
      return yield* authorize(work, scope)
    },
    *exchange(work) {
      return yield* exchange(work, defaults, scope)
    },
  }
  function* profile({ grant }: ProfileWork): Steps<ProfileVerdict> {
    return yield* readProfile(mastodonGrant(grant), defaults)
  }
  return { connectByToken, oauth, profile }
}

/* ---------------------------------------------------------------------------------------------------------- instance */

const FIELD = 'server'

/** What was typed: an address, a host, or a whole handle. */
function instanceNamed(fields: ConnectFields): { readonly server: string } | ConnectRefusal {
  const typed = fields[FIELD] ?? ''
  const host = HANDLE.exec(typed)?.[1] ?? typed
  return readServerAddress(host, { field: FIELD, example: 'mastodon.social' })
}

const HANDLE = /^@?[^@/\s]+@([^@/\s]+)$/

/** https://docs.joinmastodon.org/entities/Instance/ and, for servers that have only that, /entities/V1_Instance/ */
const InstanceV2 = Type.Object({
  domain: Type.String(),
  version: Type.String(),
  configuration: Type.Optional(Type.Unknown()),
})
const InstanceV1 = Type.Object({
  uri: Type.String(),
  version: Type.String(),
  configuration: Type.Optional(Type.Unknown()),
})
const DOMAIN = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?(?::\d{1,5})?$/i

type Instance = { readonly domain: string; readonly limits: Limits }

/** What a server says of itself; what is no instance of Mastodon is refused. */
function* readInstance(server: string, defaults: Limits): Steps<Instance | NotConnected> {
  const second = yield* call(read({ server }, '/api/v2/instance'))
  const response = second.status === 404 ? yield* call(read({ server }, '/api/v1/instance')) : second
  if (response.status >= 500 || response.status === 429) {
    return unavailable(`${server} is not available now. Try again later.`)
  }
  const body = jsonOf(response)
  const named = Check(InstanceV2, body) ? body.domain : Check(InstanceV1, body) ? hostIn(body.uri) : null
  if (response.status !== 200 || named === null || !(Check(InstanceV2, body) || Check(InstanceV1, body))) {
    return noInstance(server)
  }
  // Handles carry the instance's domain, which may differ from the host of its API.
  const domain = DOMAIN.test(named) ? named : new URL(server).host
  const { characterCounting } = yield* serverKind(server)
  return { domain, limits: readLimits(body.configuration, { ...defaults, characterCounting }) }
}

function hostIn(uri: string): string {
  return URL.parse(uri)?.host ?? uri
}

function noInstance(server: string): ConnectRefusal {
  const detail = `What answers at ${server} is no instance of Mastodon. Check the address.`
  return { is: 'refused', code: 'invalid_field', field: FIELD, detail }
}

/* ----------------------------------------------------------------------------------------------------------- account */

/** https://docs.joinmastodon.org/entities/Account/#CredentialAccount */
const CredentialAccount = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 200 }),
  username: Type.String({ minLength: 1 }),
  display_name: Type.Optional(Type.String()),
  avatar: Type.Optional(Type.String()),
})

type Shown = { readonly accountId: string; readonly account: Account }

/** Reads the account behind a token, with the limits of its instance. */
function* readAccount(
  { server, accessToken }: { readonly server: string; readonly accessToken: string },
  defaults: Limits,
): Steps<
  Shown | { readonly refused: { readonly status: number; readonly error: string | null } } | NotConnected
> {
  const instance = yield* readInstance(server, defaults)
  if ('is' in instance) return instance
  const response = yield* call(read({ server, accessToken }, '/api/v1/accounts/verify_credentials'))
  const { status } = response
  const body = jsonOf(response)
  if (status === 401 || status === 403) return { refused: { status, error: errorOf(response) } }
  if (status !== 200 || !Check(CredentialAccount, body)) {
    return unavailable(`${server} answered with status ${status}. Try again later.`)
  }
  const { id, username, display_name: shownName = '', avatar = '' } = body
  const account = {
    // Ids are counted by each instance for itself.
    remoteAccountId: `${new URL(server).host}/${id}`,
    displayName: shownName === '' ? username : shownName,
    handle: `${username}@${instance.domain}`,
    avatarUrl: isWebAddress(avatar) ? avatar : null,
    subscription: null,
    limits: instance.limits,
  }
  return { accountId: id, account }
}

function* connect(defaults: Limits, server: string, accessToken: string): Steps<ConnectVerdict> {
  const found = yield* readAccount({ server, accessToken }, defaults)
  if ('is' in found) return found
  if ('refused' in found) return refusedAccount(found.refused)
  const grant: MastodonGrant = { server, accountId: found.accountId, accessToken }
  return { is: 'connected', grant, account: found.account }
}

function refusedAccount({ status, error }: { status: number; error: string | null }): ConnectRefusal {
  if (status === 401) {
    const detail = 'The instance does not accept this access token. Copy it whole, or make a new one.'
    return { is: 'refused', code: 'credentials_refused', field: 'accessToken', detail }
  }
  if (error !== null && /scope/i.test(error)) return MISSING_SCOPE
  const detail =
    'The instance does not let this account in: it is suspended, or its sign-up is not finished. Sign in at the instance to see why.'
  return { is: 'refused', code: 'account_unusable', detail }
}

const MISSING_SCOPE: ConnectRefusal = {
  is: 'refused',
  code: 'missing_scope',
  detail:
    'The instance did not grant all that publishing needs. Connect again, and allow everything that is asked for.',
}

function* readProfile(grant: MastodonGrant, defaults: Limits): Steps<ProfileVerdict> {
  const found = yield* readAccount(grant, defaults)
  if ('account' in found) return { is: 'profile', account: found.account }
  if ('is' in found) return unavailable(found.detail)
  const { status, error } = found.refused
  return status === 401 && error !== null
    ? { is: 'reauthorize' }
    : unavailable(`The instance answered with status ${status}.`)
}

/* ------------------------------------------------------------------------------------------------------------- OAuth */

/* https://docs.joinmastodon.org/spec/oauth/: authorization code; PKCE from 4.3, and not minded before. */

const Registered = Type.Object({
  client_id: Type.String({ minLength: 1 }),
  client_secret: Type.String({ minLength: 1 }),
})
const Token = Type.Object({
  access_token: Type.String({ minLength: 1 }),
  token_type: Type.String({ pattern: '^[Bb]earer$' }),
  scope: Type.Optional(Type.String()),
})
const OauthError = Type.Object({ error: Type.String() })
const Kept = Type.Object({ server: Type.String() })

/** https://docs.joinmastodon.org/methods/apps/#create */
function* register({ server, redirectUri }: RegisterWork, scope: string): Steps<RegisterVerdict> {
  const response = yield* call({
    method: 'POST',
    url: new URL('/api/v1/apps', server),
    headers: {},
    form: { client_name: 'Postrider', redirect_uris: redirectUri, scopes: scope },
  })
  const body = jsonOf(response)
  if (response.status === 200 && Check(Registered, body)) {
    return { is: 'registered', client: { clientId: body.client_id, clientSecret: body.client_secret } }
  }
  if (response.status >= 500 || response.status === 429) {
    return unavailable(`${server} is not available now. Try again later.`)
  }
  if (response.status === 422 && errorOf(response) !== null) {
    return unavailable(
      `${server} does not take apps that come back to ${redirectUri}. An access token made at the instance works.`,
    )
  }
  return noInstance(server)
}

/**
 * Instances remove apps that nobody uses, so that ours may be gone by the time the next account is connected: the person
 * would end on an error page there. A token for the app itself shows whether it stands.
 */
function* authorize(
  { fields, client, redirectUri, state, codeChallenge }: AuthorizeWork,
  scope: string,
): Steps<AuthorizeVerdict> {
  const place = instanceNamed(fields)
  if ('is' in place) return place
  const { server } = place
  const asked = yield* tryCall(
    tokenRequest(server, client, { grant_type: 'client_credentials', scope, redirect_uri: redirectUri }),
  )
  if (asked !== null && isUnknownClient(asked)) return { is: 'unknown_client' }
  const url = new URL('/oauth/authorize', server)
  const query = {
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: redirectUri,
    scope,
    state,
    code_challenge: codeChallenge,
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return { is: 'authorize', url, kept: { server } }
}

function isUnknownClient(response: {
  status: number
  headers: Readonly<Record<string, string>>
  body: string
}) {
  const body = jsonOf(response)
  return response.status === 401 && Check(OauthError, body) && body.error === 'invalid_client'
}

function tokenRequest(server: string, client: OauthClient, form: Readonly<Record<string, string>>) {
  const { clientId, clientSecret } = client
  return {
    method: 'POST',
    url: new URL('/oauth/token', server),
    headers: {},
    form: { client_id: clientId, client_secret: clientSecret ?? '', ...form },
  } as const
}

function* exchange(
  { client, redirectUri, codeVerifier, kept, callback }: ExchangeWork,
  defaults: Limits,
  scope: string,
): Steps<ConnectVerdict> {
  const { server } = keptOf(kept)
  const response = yield* call(
    tokenRequest(server, client, {
      grant_type: 'authorization_code',
      code: callback['code'] ?? '',
      redirect_uri: redirectUri,
      code_verifier: codeVerifier,
      scope,
    }),
  )
  const body = jsonOf(response)
  if (response.status === 200 && Check(Token, body)) {
    return grants(body.scope ?? scope, scope)
      ? yield* connect(defaults, server, body.access_token)
      : MISSING_SCOPE
  }
  if (response.status >= 400 && response.status < 500 && response.status !== 429 && Check(OauthError, body)) {
    const detail = `${server} did not take the sign-in back. Make a new link and connect again.`
    return { is: 'refused', code: 'credentials_refused', detail }
  }
  return unavailable(`${server} answered the sign-in with status ${response.status}. Try again later.`)
}

/** Whether scopes cover what was asked: `write` covers `write:statuses`. */
function grants(granted: string, asked: string): boolean {
  const scopes = new Set(granted.split(' '))
  return asked.split(' ').every((one) => scopes.has(one) || scopes.has(one.split(':')[0] ?? ''))
}

function keptOf(kept: Json): Static<typeof Kept> {
  if (!Check(Kept, kept)) throw new Error('A sign-in at Mastodon is not kept as it was stored.')
  return kept
}

function unavailable(detail: string): Unavailable {
  return { is: 'unavailable', detail }
}
