import Type from 'typebox'
import { Check } from 'typebox/value'
import type { HttpRequest, HttpResponse } from '../../src/networks/providers/port/calls.ts'
import type {
  Account,
  Adapter,
  ConnectVerdict,
  ExchangeVerdict,
  Grant,
  NetworkClient,
  Provider,
  RefreshVerdict,
} from '../../src/networks/providers/port/port.ts'
import { call, type Steps } from '../../src/networks/providers/port/procedure.ts'
import { sandboxShort } from '../../src/networks/providers/sandbox/sandbox.ts'

/*
 * A network for tests of connecting and refreshing: an OAuth server in a few lines, whose refresh tokens count once, as
 * those of many networks do.
 */

const ExampleAuthorization = Type.Object({
  id: Type.String(),
  access: Type.String(),
  refresh: Type.String(),
  accessEndsAt: Type.String(),
})
type ExampleAuthorization = {
  readonly id: string
  readonly access: string
  readonly refresh: string
  readonly accessEndsAt: string
}

const origin = 'https://example-network.test'

function post(path: string, form: Record<string, string>): HttpRequest {
  return { method: 'POST', url: new URL(path, origin), headers: {}, form }
}

function authorizationOf(authorization: unknown): ExampleAuthorization {
  if (!Check(ExampleAuthorization, authorization)) throw new Error('no authorization of the example network')
  return authorization
}

function readAuthorization({ status, body }: HttpResponse): ConnectVerdict {
  if (status === 403) return { is: 'refused', code: 'missing_scope', detail: 'Allow posting, too.' }
  if (status !== 200) return { is: 'unavailable', detail: 'The example network is not there.' }
  const { authorization, account } = JSON.parse(body) as {
    authorization: ExampleAuthorization
    account: Account
  }
  return { is: 'connected', authorization, account }
}

/** A code can stand for several accounts, whose names are separated by commas. */
function readGrants(response: HttpResponse): ExchangeVerdict {
  const { grants } = JSON.parse(response.body === '' ? '{}' : response.body) as {
    grants?: [Grant, ...Grant[]]
  }
  return grants === undefined ? readAuthorization(response) : { is: 'granted', grants }
}

const { load, ...sandboxFacts } = sandboxShort
const facts = {
  ...sandboxFacts,
  provider: 'example',
  displayName: 'Example',
  connecting: {
    form: {
      fields: Type.Object({
        name: Type.String({ title: 'Name', minLength: 2 }),
        token: Type.String({ title: 'Token', format: 'password' }),
      }),
    },
    oauth: {
      fields: Type.Object({ name: Type.Optional(Type.String({ title: 'Name', examples: ['ada'] })) }),
      client: 'registered',
      scope: 'write',
      several: true,
    },
  },
} as const

const adapter: Adapter = {
  ...(await load()),
  ...facts,
  authorization: ExampleAuthorization,
  authorizationTimes: (authorization) => ({
    accessEndsAt: new Date(authorizationOf(authorization).accessEndsAt),
    authorizationEndsAt: null,
  }),
  *form({ fields: { name = '', token = '' } }) {
    return readAuthorization(yield* call(post('/token', { name, token })))
  },
  oauth: {
    server: ({ name }) =>
      name === 'nobody'
        ? { is: 'refused', code: 'invalid_field', field: 'name', detail: 'Nobody has this name.' }
        : origin,
    publishClient: null,
    *register({ redirectUri }) {
      const { status, body } = yield* call(post('/register', { redirectUri }))
      if (status !== 200) return { is: 'unavailable', detail: 'The example network registers nobody.' }
      return {
        is: 'registered',
        client: JSON.parse(body) as Pick<NetworkClient, 'clientId' | 'clientSecret'>,
      }
    },
    // oxlint-disable-next-line require-yield -- the way to this network needs no call
    *authorize({ client, state, codeChallenge, redirectUri }) {
      const url = new URL('/authorize', origin)
      const query = {
        client_id: client.clientId,
        state,
        code_challenge: codeChallenge,
        redirect_uri: redirectUri,
      }
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
      return { is: 'authorize', url, kept: { secret: 'kept-by-the-adapter' } }
    },
    *exchange({ callback, codeVerifier, client }) {
      const { clientId, clientSecret } = client
      const form = { code: callback['code'] ?? '', codeVerifier, clientId, clientSecret: clientSecret ?? '' }
      return readGrants(yield* call(post('/token', form)))
    },
  },
  *refresh({ authorization }): Steps<RefreshVerdict> {
    const { status, body } = yield* call(
      post('/refresh', { refresh: authorizationOf(authorization).refresh }),
    )
    if (status === 400) return { is: 'ended', detail: 'The example network ended the authorization.' }
    if (status !== 200) return { is: 'unavailable', detail: 'The example network is not there.' }
    return { is: 'refreshed', authorization: JSON.parse(body) as ExampleAuthorization }
  },
  *profile({ authorization }) {
    const { status, body } = yield* call(post('/profile', { access: authorizationOf(authorization).access }))
    if (status === 401) return { is: 'expired' }
    if (status === 403) return { is: 'reauthorize' }
    if (status !== 200) return { is: 'unavailable', detail: 'The example network is not there.' }
    return { is: 'profile', account: JSON.parse(body) as Account }
  },
}

/** The network as a provider. */
export const exampleProvider: Provider = { ...facts, load: () => Promise.resolve(adapter) }

export type ExampleServer = {
  /** Answers as the network does. */
  readonly answer: (request: HttpRequest) => HttpResponse
  /** Makes an authorization for this account, whose access token ends then. */
  readonly authorizationFor: (id: string, accessEndsAt: Date) => ExampleAuthorization
  /** From now on this account is so. */
  readonly change: (id: string, account: Partial<Account>) => void
  /** How often each path was asked. */
  readonly asked: Map<string, number>
  /** The account that each code of the way back stands for; several as in `ada,bob,`, and one of several as in `ada,`. */
  readonly codes: Map<string, string>
  /** The account whose authorization was ended because a refresh token came twice. */
  readonly ended: Set<string>
  /** Refuses every access token that was given out so far. */
  readonly expireAll: () => void
}

/** The server side: accounts, authorizations that rotate, and a memory of what was used. */
export function openExampleServer(): ExampleServer {
  const asked = new Map<string, number>()
  const codes = new Map<string, string>()
  const ended = new Set<string>()
  const accounts = new Map<string, Partial<Account>>()
  const refreshOf = new Map<string, { id: string; used: boolean }>()
  const accessOf = new Map<string, string>()
  let made = 0

  function authorizationFor(id: string, accessEndsAt: Date): ExampleAuthorization {
    made += 1
    const authorization = {
      id,
      access: `access-${made}`,
      refresh: `refresh-${made}`,
      accessEndsAt: accessEndsAt.toISOString(),
    }
    refreshOf.set(authorization.refresh, { id, used: false })
    accessOf.set(authorization.access, id)
    return authorization
  }
  const inAnHour = () => new Date(Date.now() + 3_600_000)
  const accountOf = (id: string): Account => ({
    remoteAccountId: id,
    displayName: id.toUpperCase(),
    handle: id,
    avatarUrl: null,
    subscription: null,
    limits: null,
    ...accounts.get(id),
  })
  const ok = (body: unknown): HttpResponse => ({ status: 200, headers: {}, body: JSON.stringify(body) })
  const no = (status: number): HttpResponse => ({ status, headers: {}, body: '' })

  function answer({ url, form = {} }: HttpRequest): HttpResponse {
    asked.set(url.pathname, (asked.get(url.pathname) ?? 0) + 1)
    switch (url.pathname) {
      case '/register':
        return ok({ clientId: 'client-1', clientSecret: 'secret-of-the-client' })
      case '/token': {
        const id = form['code'] === undefined ? (form['name'] ?? '') : codes.get(form['code'])
        if (id === undefined || form['token'] === 'wrong') return no(500)
        if (id === 'reader') return no(403)
        codes.delete(form['code'] ?? '')
        if (id.endsWith(',')) {
          const ids = id.split(',').filter((one) => one !== '')
          return ok({
            grants: ids.map((one) => ({
              authorization: authorizationFor(one, inAnHour()),
              account: accountOf(one),
            })),
          })
        }
        return ok({ authorization: authorizationFor(id, inAnHour()), account: accountOf(id) })
      }
      case '/refresh': {
        const known = refreshOf.get(form['refresh'] ?? '')
        if (known === undefined || known.used || ended.has(known.id)) {
          if (known !== undefined) ended.add(known.id)
          return no(400)
        }
        known.used = true
        return ok(authorizationFor(known.id, inAnHour()))
      }
      case '/profile': {
        const id = accessOf.get(form['access'] ?? '')
        return id === undefined ? no(401) : ended.has(id) ? no(403) : ok(accountOf(id))
      }
      default:
        return no(404)
    }
  }

  return {
    answer,
    authorizationFor,
    change: (id, account) => void accounts.set(id, account),
    asked,
    codes,
    ended,
    expireAll: () => accessOf.clear(),
  }
}
