import Type from 'typebox'
import { readBody } from '../shared/answers.ts'
import type { HttpResponse } from '../port/calls.ts'
import {
  after,
  challengeOf,
  codeExchange,
  codeRequest,
  covers,
  missingScope,
  notExchanged,
  refreshAt,
  RenewableToken,
  tokenRequest,
  type ConfiguredApp,
  type GrantEnd,
} from '../shared/oauth-code.ts'
import type { Account, Adapter, ConnectVerdict, Origins } from '../port/port.ts'
import { call, type Steps } from '../port/procedure.ts'
import { bearer, get, withQuery } from '../shared/requests.ts'
import { accountOf, refused, unavailable } from '../port/verdicts.ts'
import { problemOf } from './answers.ts'
import { xAuthorization, type XAuthorization } from './authorization.ts'

/* OAuth 2 with PKCE as a confidential client (https://docs.x.com/fundamentals/authentication/oauth-2-0/user-access-token). */

/** https://docs.x.com/x-api/users/get-my-user */
const Me = Type.Object({
  data: Type.Object({
    id: Type.String({ pattern: '^[0-9]{1,19}$' }),
    name: Type.String(),
    username: Type.String({ minLength: 1 }),
    profile_image_url: Type.Optional(Type.String()),
    subscription_type: Type.Optional(Type.String()),
  }),
})

const APP: ConfiguredApp = {
  settings: 'X_CLIENT_ID and X_CLIENT_SECRET',
  isUnknown: (error, status) => status === 401 || error === 'invalid_client',
}
/** Worded as an invalid request (https://devcommunity.x.com/t/162461), where OAuth has a code. */
const END: GrantEnd = {
  detail: 'X no longer accepts the refresh token: the access was ended.',
  isTold: (error, words) => error === 'invalid_request' && /token was invalid/i.test(words),
}

/** How accounts are connected, and how their authorizations are kept. */
export function connectingTo(
  { api, site }: Origins,
  scope: string,
): Pick<Adapter, 'oauth' | 'refresh' | 'profile'> {
  return {
    oauth: {
      server: () => '',
      register: null,
      publishClient: null,
      // oxlint-disable-next-line require-yield -- the way to X needs no call
      *authorize(work) {
        const query = { ...codeRequest(work, scope), ...challengeOf(work) }
        return { is: 'authorize', url: withQuery(new URL('/i/oauth2/authorize', site), query), kept: null }
      },
      *exchange(work) {
        const form = { ...codeExchange(work), code_verifier: work.codeVerifier }
        const response = yield* call(tokenRequest(new URL('/2/oauth2/token', api), work.client, form))
        const token = readBody(response, RenewableToken)
        if (token === null) return notExchanged(response, 'X', APP)
        const { access_token: accessToken, refresh_token: refreshToken } = token
        if (refreshToken === undefined || !covers(token.scope ?? scope, scope)) return missingScope('X')
        const shown = yield* readAccount(api, accessToken)
        if (!('account' in shown)) return refusedAccount(shown)
        const { accountId, username, account } = shown
        const accessEndsAt = after(work.now, token.expires_in)
        const authorization: XAuthorization = { accountId, username, accessToken, refreshToken, accessEndsAt }
        return { is: 'connected', authorization, account }
      },
    },
    refresh: refreshAt(new URL('/2/oauth2/token', api), 'X', END, xAuthorization),
    *profile({ authorization }) {
      const shown = yield* readAccount(api, xAuthorization(authorization).accessToken)
      if ('account' in shown) return { is: 'profile', account: shown.account }
      if (shown.status === 401 && problemOf(shown) !== null) return { is: 'expired' }
      return unavailable(`X answered with status ${shown.status}.`)
    },
  }
}

type Shown = { readonly accountId: string; readonly username: string; readonly account: Account }

/** The account behind a token, with its subscription; or the answer that does not tell. */
export function* readAccount(api: string, accessToken: string): Steps<Shown | HttpResponse> {
  const fields = { 'user.fields': 'profile_image_url,subscription_type' }
  const response = yield* call(get(withQuery(new URL('/2/users/me', api), fields), bearer({ accessToken })))
  const me = readBody(response, Me)
  if (me === null) return response
  const { id, name, username, profile_image_url: avatar, subscription_type: subscription = null } = me.data
  const displayName = name === '' ? username : name
  const account = accountOf({ remoteAccountId: id, displayName, handle: username, avatar, subscription })
  return { accountId: id, username, account }
}

function refusedAccount(response: HttpResponse): ConnectVerdict {
  const { status } = response
  return status === 403 && problemOf(response) !== null
    ? refused(
        'account_unusable',
        'X does not let this app read the account: it is suspended or locked, or the app lacks access to the API. Sign in to X to check.',
      )
    : unavailable(`X answered with status ${status} when asked for the account. Try again later.`)
}
