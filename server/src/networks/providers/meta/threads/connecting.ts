import Type from 'typebox'
import { readBody } from '../../shared/answers.ts'
import type { HttpRequest, HttpResponse } from '../../port/calls.ts'
import { after, codeExchange, codeRequest } from '../../shared/oauth-code.ts'
import type { Account, Adapter, ConnectVerdict, Origins } from '../../port/port.ts'
import { call, type Steps } from '../../port/procedure.ts'
import { withQuery } from '../../shared/requests.ts'
import { accountOf, refused, unavailable } from '../../port/verdicts.ts'
import { faultOf, isPermission, read, refusalOf } from './answers.ts'
import { threadsAuthorization, type ThreadsAuthorization } from './authorization.ts'
import { readQuota, type PublishingQuota } from './quota.ts'

/*
 * https://developers.facebook.com/documentation/threads/get-started/get-access-tokens-and-permissions: the code gives a token of an
 * hour, that one a token of 60 days, and that one, once it is a day old and while it lasts, another one of 60 days
 * (https://developers.facebook.com/documentation/threads/get-started/long-lived-tokens). There is no refresh token.
 */

const Short = Type.Object({ access_token: Type.String({ minLength: 1 }) })
const Long = Type.Object({
  access_token: Type.String({ minLength: 1 }),
  expires_in: Type.Integer({ minimum: 1, maximum: 1e9 }),
})
/** https://developers.facebook.com/documentation/threads/reference/user */
const Me = Type.Object({
  id: Type.String({ pattern: '^[0-9]+$' }),
  username: Type.String({ minLength: 1 }),
  name: Type.Optional(Type.String()),
  threads_profile_picture_url: Type.Optional(Type.String()),
})

/** How profiles are connected, and how their authorizations are kept. */
export function connectingTo(
  { api, site }: Origins,
  scope: string,
): Pick<Adapter, 'oauth' | 'refresh' | 'refreshRepeatable' | 'profile'> {
  return {
    oauth: {
      server: () => '',
      register: null,
      publishClient: null,
      // oxlint-disable-next-line require-yield -- the way to Threads needs no call
      *authorize(work) {
        const query = codeRequest(work, scope.replaceAll(' ', ','))
        return { is: 'authorize', url: withQuery(new URL('/oauth/authorize', site), query), kept: null }
      },
      *exchange(work) {
        const { clientId: client_id, clientSecret } = work.client
        const secret = { client_secret: clientSecret ?? '' }
        const form = { ...codeExchange(work), client_id, ...secret }
        const first = yield* call({ method: 'POST', url: new URL('/oauth/access_token', api), form })
        const short = readBody(first, Short)
        if (short === null) return notExchanged(first)
        const second = yield* call(
          tokenRequest(api, '/access_token', 'th_exchange_token', short.access_token, secret),
        )
        const long = readBody(second, Long)
        if (long === null) return notExchanged(second)
        const accessToken = long.access_token
        const account = yield* readAccount(api, { accessToken })
        if (!('remoteAccountId' in account)) return refusedAccount(account)
        const userId = account.remoteAccountId
        const permitted = yield* readPermitted(api, { accessToken, userId })
        if ('status' in permitted) return away(permitted)
        const { lacking } = permitted
        if (lacking.length > 0) {
          return refused(
            'missing_scope',
            `Threads did not grant everything that publishing needs: ${lacking.join(', ')} is missing. Connect again and allow everything it asks for.`,
          )
        }
        const accessEndsAt = after(work.now, long.expires_in)
        const authorization: ThreadsAuthorization = { userId, accessToken, accessEndsAt }
        return { is: 'connected', authorization, account }
      },
    },
    *refresh({ authorization: stored, client, now }) {
      const authorization = threadsAuthorization(stored)
      if (client === null) return unavailable('This server has no app at Threads.')
      const response = yield* call(
        tokenRequest(api, '/refresh_access_token', 'th_refresh_token', authorization.accessToken),
      )
      const token = readBody(response, Long)
      if (token !== null) {
        const accessEndsAt = after(now, token.expires_in)
        const refreshed: ThreadsAuthorization = {
          ...authorization,
          accessToken: token.access_token,
          accessEndsAt,
        }
        return { is: 'refreshed', authorization: refreshed }
      }
      return refusalOf(response)?.is === 'reauthorize'
        ? { is: 'ended', detail: 'Threads no longer accepts the access token: the access was ended.' }
        : unavailable(`Threads answered the refresh with status ${response.status}.`)
    },
    // The token that is exchanged stays valid until its own end.
    refreshRepeatable: () => true,
    *profile({ authorization }) {
      const account = yield* readAccount(api, threadsAuthorization(authorization))
      if ('remoteAccountId' in account) return { is: 'profile', account }
      if (refusalOf(account)?.is === 'reauthorize') return { is: 'reauthorize' }
      return unavailable(`Threads answered with status ${account.status}.`)
    },
  }
}

function tokenRequest(
  api: string,
  path: string,
  grantType: string,
  accessToken: string,
  secrets: Readonly<Record<string, string>> = {},
): HttpRequest {
  const query = { access_token: accessToken, ...secrets }
  return {
    method: 'GET',
    url: withQuery(new URL(path, api), { grant_type: grantType }),
    authorization: { scheme: 'Bearer', credentials: accessToken, query },
  }
}

/** The profile behind a token; or the answer that does not tell. */
export function* readAccount(
  api: string,
  access: { readonly accessToken: string },
): Steps<Account | HttpResponse> {
  const fields = 'id,username,name,threads_profile_picture_url'
  const response = yield* call(read(api, access, 'me', { fields }))
  const me = readBody(response, Me)
  if (me === null) return response
  const { id, username, name = '', threads_profile_picture_url: avatar } = me
  const displayName = name === '' ? username : name
  return accountOf({ remoteAccountId: id, displayName, handle: username, avatar })
}

/** What the questions about a profile that need a permission each were answered with. */
export type Permitted = {
  readonly lacking: readonly string[]
  /** Where they are told. */
  readonly posts: PublishingQuota | null
  readonly replies: PublishingQuota | null
}

/**
 * Which permissions were not granted: a token does not say, so what needs them is asked for
 * (https://developers.facebook.com/documentation/threads/troubleshooting#retrieve-quota-limits). Or the answer that does not tell.
 */
export function* readPermitted(
  api: string,
  access: { readonly accessToken: string; readonly userId: string },
): Steps<Permitted | HttpResponse> {
  const lacking: string[] = []
  const quotas: { post: PublishingQuota | null; reply: PublishingQuota | null } = { post: null, reply: null }
  for (const [permission, kind] of [
    ['threads_content_publish', 'post'],
    ['threads_manage_replies', 'reply'],
  ] as const) {
    const { response, quota } = yield* readQuota(api, access, kind)
    quotas[kind] = quota
    if (quota !== null) continue
    const fault = faultOf(response)
    if (fault === null || !isPermission(fault)) return response
    lacking.push(permission)
    // What replies need includes it: whether theirs is missing, too, cannot be seen.
    if (kind === 'post') break
  }
  const replies = yield* call(read(api, access, `${access.userId}/replies`, { fields: 'id', limit: '1' }))
  const fault = faultOf(replies)
  if (fault !== null && isPermission(fault)) lacking.push('threads_read_replies')
  return { lacking, posts: quotas.post, replies: quotas.reply }
}

function notExchanged(response: HttpResponse): ConnectVerdict {
  const fault = faultOf(response)
  if (fault === null) return away(response)
  if (fault.code === 101 || /client.?(?:secret|id)/i.test(fault.message)) {
    return unavailable(
      "Threads does not recognize this server's app by its client ID and secret. Ask your server operator to check THREADS_CLIENT_ID and THREADS_CLIENT_SECRET.",
    )
  }
  return refused(
    'credentials_refused',
    'Threads did not accept the sign-in. Create a new link and connect again.',
  )
}

function refusedAccount(response: HttpResponse): ConnectVerdict {
  const fault = faultOf(response)
  return fault !== null && isPermission(fault)
    ? refused(
        'missing_scope',
        'Threads did not grant everything that publishing needs: threads_basic is missing. Connect again and allow everything it asks for.',
      )
    : away(response)
}

function away({ status }: HttpResponse) {
  return unavailable(`Threads answered with status ${status}. Try again later.`)
}
