import Type from 'typebox'
import { Check } from 'typebox/value'
import { jsonOf, readBody } from '../shared/answers.ts'
import {
  challengeOf,
  codeExchange,
  codeRequest,
  covers,
  missingScope,
  notExchanged,
  oauthErrorOf,
} from '../shared/oauth-code.ts'
import type { Limits } from '../port/bounds.ts'
import type { HttpResponse } from '../port/calls.ts'
import type {
  Account,
  Adapter,
  AuthorizeVerdict,
  AuthorizeWork,
  ConnectFields,
  ConnectRefusal,
  ConnectVerdict,
  ExchangeWork,
  NetworkClient,
  RegisterVerdict,
  RegisterWork,
} from '../port/port.ts'
import { call, tryCall, type Steps } from '../port/procedure.ts'
import { withQuery } from '../shared/requests.ts'
import { readServerAddress } from '../shared/server-address.ts'
import { storedAs } from '../shared/stored-as.ts'
import { accountOf, refused, unavailable } from '../port/verdicts.ts'
import { errorOf, read } from './answers.ts'
import { mastodonAuthorization, type MastodonAuthorization } from './authorization.ts'
import { readLimits } from './instance-limits.ts'
import { serverKind } from './server-kind.ts'

type NotConnected = Exclude<ConnectVerdict, { is: 'connected' }>

/** How accounts at instances are connected. `defaults` holds where an instance does not tell its own limits. */
export function connectingTo(defaults: Limits, scope: string): Pick<Adapter, 'form' | 'oauth' | 'profile'> {
  return {
    *form({ fields }) {
      const place = instanceNamed(fields)
      if ('is' in place) return place
      return yield* connect(defaults, place.server, fields['accessToken'] ?? '')
    },
    oauth: {
      server(fields) {
        const place = instanceNamed(fields)
        return 'is' in place ? place : place.server
      },
      register: (work) => register(work, scope),
      publishClient: null,
      authorize: (work) => authorize(work, scope),
      exchange: (work) => exchange(work, defaults, scope),
    },
    *profile({ authorization }) {
      const found = yield* readAccount(mastodonAuthorization(authorization), defaults)
      if ('account' in found) return { is: 'profile', account: found.account }
      if ('is' in found) return unavailable(found.detail)
      const { status, error } = found.refused
      return status === 401 && error !== null
        ? { is: 'reauthorize' }
        : unavailable(`The instance answered with status ${status}.`)
    },
  }
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

type Instance = { readonly domain: string; readonly version: string; readonly limits: Limits }

/** What a server says of itself; what is no instance of Mastodon is refused. */
export function* readInstance(server: string, defaults: Limits): Steps<Instance | NotConnected> {
  const second = yield* call(read({ server }, '/api/v2/instance'))
  const response = second.status === 404 ? yield* call(read({ server }, '/api/v1/instance')) : second
  if (response.status >= 500 || response.status === 429) {
    return unavailable(`${server} is not available right now. Try again later.`)
  }
  const body = jsonOf(response)
  const named = Check(InstanceV2, body) ? body.domain : Check(InstanceV1, body) ? hostIn(body.uri) : null
  if (response.status !== 200 || named === null || !(Check(InstanceV2, body) || Check(InstanceV1, body))) {
    return noInstance(server)
  }
  // Handles carry the instance's domain, which may differ from the host of its API.
  const domain = DOMAIN.test(named) ? named : new URL(server).host
  const kind = yield* serverKind(server)
  const characterCounting = kind?.characterCounting ?? 'code_points'
  const limits = readLimits(body.configuration, { ...defaults, characterCounting })
  return { domain, version: body.version, limits }
}

function hostIn(uri: string): string {
  return URL.parse(uri)?.host ?? uri
}

function noInstance(server: string): ConnectRefusal {
  const detail = `${server} is not a Mastodon instance. Check the address.`
  return refused('invalid_field', detail, FIELD)
}

/* ----------------------------------------------------------------------------------------------------------- account */

/** https://docs.joinmastodon.org/entities/Account/#CredentialAccount */
const CredentialAccount = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 200 }),
  username: Type.String({ minLength: 1 }),
  display_name: Type.Optional(Type.String()),
  avatar: Type.Optional(Type.String()),
})

/** Whether an answer shows the account of a token. */
export function accountShown(response: HttpResponse): boolean {
  return readBody(response, CredentialAccount) !== null
}

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
  const { id, username, display_name: shownName = '', avatar } = body
  const account = accountOf({
    // Ids are counted by each instance for itself.
    remoteAccountId: `${new URL(server).host}/${id}`,
    displayName: shownName === '' ? username : shownName,
    handle: `${username}@${instance.domain}`,
    avatar,
    limits: instance.limits,
  })
  return { accountId: id, account }
}

function* connect(defaults: Limits, server: string, accessToken: string): Steps<ConnectVerdict> {
  const found = yield* readAccount({ server, accessToken }, defaults)
  if ('is' in found) return found
  if ('refused' in found) return refusedAccount(found.refused)
  const authorization: MastodonAuthorization = { server, accountId: found.accountId, accessToken }
  return { is: 'connected', authorization, account: found.account }
}

function refusedAccount({ status, error }: { status: number; error: string | null }): ConnectRefusal {
  if (status === 401) {
    const detail = 'The instance does not accept this access token. Copy all of it, or create a new one.'
    return refused('credentials_refused', detail, 'accessToken')
  }
  if (error !== null && /scope/i.test(error)) return missingScope('The instance')
  return refused(
    'account_unusable',
    'The instance refuses this account: it is suspended, or its sign-up is not finished. Sign in to the instance to check.',
  )
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
const keptOf = storedAs(Type.Object({ server: Type.String() }), 'What is kept of a sign-in at Mastodon')

/** https://docs.joinmastodon.org/methods/apps/#create */
function* register({ server, redirectUri }: RegisterWork, scope: string): Steps<RegisterVerdict> {
  const response = yield* call({
    method: 'POST',
    url: new URL('/api/v1/apps', server),
    form: { client_name: 'Postrider', redirect_uris: redirectUri, scopes: scope },
  })
  const made = readBody(response, Registered)
  if (made !== null) {
    return { is: 'registered', client: { clientId: made.client_id, clientSecret: made.client_secret } }
  }
  if (response.status >= 500 || response.status === 429) {
    return unavailable(`${server} is not available right now. Try again later.`)
  }
  if (response.status === 422 && errorOf(response) !== null) {
    return unavailable(
      `${server} accepts no apps that return to ${redirectUri}. Use an access token made at the instance.`,
    )
  }
  return noInstance(server)
}

/**
 * Instances remove apps that nobody uses, so that ours may be gone by the time the next account is connected: the person
 * would end on an error page there. A token for the app itself shows whether it stands.
 */
function* authorize(work: AuthorizeWork, scope: string): Steps<AuthorizeVerdict> {
  const { fields, client, redirectUri } = work
  const place = instanceNamed(fields)
  if ('is' in place) return place
  const { server } = place
  const asked = yield* tryCall(
    tokenRequest(server, client, { grant_type: 'client_credentials', scope, redirect_uri: redirectUri }),
  )
  if (asked?.status === 401 && oauthErrorOf(asked)?.error === 'invalid_client')
    return { is: 'unknown_client' }
  const query = { ...codeRequest(work, scope), ...challengeOf(work) }
  return { is: 'authorize', url: withQuery(new URL('/oauth/authorize', server), query), kept: { server } }
}

function tokenRequest(server: string, client: NetworkClient, form: Readonly<Record<string, string>>) {
  const own = { client_id: client.clientId, client_secret: client.clientSecret ?? '' }
  return { method: 'POST', url: new URL('/oauth/token', server), form: { ...own, ...form } } as const
}

function* exchange(work: ExchangeWork, defaults: Limits, scope: string): Steps<ConnectVerdict> {
  const { server } = keptOf(work.kept)
  const form = { ...codeExchange(work), code_verifier: work.codeVerifier, scope }
  const response = yield* call(tokenRequest(server, work.client, form))
  const token = readBody(response, Token)
  if (token === null) return notExchanged(response, server)
  return covers(token.scope ?? scope, scope)
    ? yield* connect(defaults, server, token.access_token)
    : missingScope('The instance')
}
