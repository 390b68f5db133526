import Type from 'typebox'
import { Check } from 'typebox/value'
import { isWebAddress, jsonOf } from '../answers.ts'
import type {
  Account,
  Adapter,
  ConnectRefusal,
  ConnectVerdict,
  HttpRequest,
  HttpResponse,
  OauthClient,
  ProfileVerdict,
} from '../port.ts'
import { call, type Steps } from '../procedure.ts'
import { withQuery } from '../query.ts'
import { problemOf } from './answers.ts'
import { bearer, xGrant, type XGrant } from './grant.ts'
import type { XOrigins } from './x.ts'

/* OAuth 2 with PKCE as a confidential client (https://docs.x.com/fundamentals/authentication/oauth-2-0/user-access-token). */

const Token = Type.Object({
  access_token: Type.String({ minLength: 1 }),
  refresh_token: Type.Optional(Type.String({ minLength: 1 })),
  token_type: Type.String({ pattern: '^[Bb]earer$' }),
  expires_in: Type.Integer({ minimum: 1, maximum: 1e9 }),
  /** Left out where it is what was asked for (RFC 6749, 5.1; at a refresh what was granted before, 6). */
  scope: Type.Optional(Type.String()),
})
const OauthError = Type.Object({
  error: Type.String(),
  error_description: Type.Optional(Type.String()),
})
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

/** How accounts are connected, and how their grants are kept. */
export function connectingTo(
  { api, site }: XOrigins,
  scope: string,
): Pick<Adapter, 'oauth' | 'refresh' | 'profile'> {
  return {
    oauth: {
      server: () => '',
      register: null,
      publishClient: null,
      // oxlint-disable-next-line require-yield -- the way to X needs no call
      *authorize({ client, redirectUri, state, codeChallenge }) {
        const url = withQuery(new URL('/i/oauth2/authorize', site), {
          ...{ response_type: 'code', client_id: client.clientId, redirect_uri: redirectUri, scope, state },
          ...{ code_challenge: codeChallenge, code_challenge_method: 'S256' },
        })
        return { is: 'authorize', url, kept: null }
      },
      *exchange({ client, redirectUri, codeVerifier, callback, now }) {
        const response = yield* call(
          tokenRequest(api, client, {
            grant_type: 'authorization_code',
            code: callback['code'] ?? '',
            redirect_uri: redirectUri,
            code_verifier: codeVerifier,
          }),
        )
        const body = jsonOf(response)
        if (response.status !== 200 || !Check(Token, body)) return notExchanged(response)
        const { access_token: accessToken, refresh_token: refreshToken } = body
        if (refreshToken === undefined || !covers(body.scope ?? scope, scope)) return MISSING_SCOPE
        const shown = yield* readAccount(api, accessToken)
        if (!('account' in shown)) return refusedAccount(shown)
        const { accountId, username, account } = shown
        const accessEndsAt = endOf(now, body.expires_in)
        const grant: XGrant = { accountId, username, accessToken, refreshToken, accessEndsAt }
        return { is: 'connected', grant, account }
      },
    },
    *refresh({ grant: stored, client, now }) {
      const grant = xGrant(stored)
      if (client === null) return unavailable('This server has no app at X by which it could ask.')
      const form = { grant_type: 'refresh_token', refresh_token: grant.refreshToken }
      const response = yield* call(tokenRequest(api, client, form))
      const body = jsonOf(response)
      if (response.status === 200 && Check(Token, body)) {
        const refreshed: XGrant = {
          ...grant,
          accessToken: body.access_token,
          refreshToken: body.refresh_token ?? grant.refreshToken,
          accessEndsAt: endOf(now, body.expires_in),
        }
        return { is: 'refreshed', grant: refreshed }
      }
      if (isEnded(response)) {
        return { is: 'ended', detail: 'X no longer takes the refresh token: the owner ended the access.' }
      }
      return unavailable(`X answered the refresh with status ${response.status}.`)
    },
    *profile({ grant }): Steps<ProfileVerdict> {
      const shown = yield* readAccount(api, xGrant(grant).accessToken)
      if ('account' in shown) return { is: 'profile', account: shown.account }
      if (shown.status === 401 && problemOf(shown) !== null) return { is: 'expired' }
      return unavailable(`X answered with status ${shown.status}.`)
    },
  }
}

/** A confidential client proves itself by Basic authentication, and names itself nowhere else. */
function tokenRequest(
  api: string,
  { clientId, clientSecret }: OauthClient,
  form: Readonly<Record<string, string>>,
): HttpRequest {
  const credentials = Buffer.from(`${clientId}:${clientSecret ?? ''}`).toString('base64')
  return {
    method: 'POST',
    url: new URL('/2/oauth2/token', api),
    headers: {},
    authorization: { scheme: 'Basic', credentials },
    form,
  }
}

type Shown = { readonly accountId: string; readonly username: string; readonly account: Account }

/** The account behind a token, with its subscription; or the answer that does not tell. */
function* readAccount(api: string, accessToken: string): Steps<Shown | HttpResponse> {
  const fields = { 'user.fields': 'profile_image_url,subscription_type' }
  const url = withQuery(new URL('/2/users/me', api), fields)
  const authorization = bearer({ accessToken })
  const response = yield* call({ method: 'GET', url, headers: {}, authorization })
  const body = jsonOf(response)
  if (response.status !== 200 || !Check(Me, body)) return response
  const { id, name, username, profile_image_url: avatar = '', subscription_type: subscription } = body.data
  const account = {
    remoteAccountId: id,
    displayName: name === '' ? username : name,
    handle: username,
    avatarUrl: isWebAddress(avatar) ? avatar : null,
    subscription: subscription ?? null,
    limits: null,
  }
  return { accountId: id, username, account }
}

/** What X has answered to a code; `invalid_client` is a fault of the settings. */
function notExchanged(response: HttpResponse): ConnectVerdict {
  const { status } = response
  const body = jsonOf(response)
  if (status < 400 || status >= 500 || status === 429 || !Check(OauthError, body)) {
    return unavailable(`X answered the sign-in with status ${status}. Try again later.`)
  }
  if (status === 401 || body.error === 'invalid_client') {
    return unavailable(
      'X does not know the app of this server by its client id and secret. Whoever runs the server has to check X_CLIENT_ID and X_CLIENT_SECRET.',
    )
  }
  const detail = 'X did not take the sign-in back. Make a new link and connect again.'
  return { is: 'refused', code: 'credentials_refused', detail }
}

function refusedAccount(response: HttpResponse): ConnectVerdict {
  const { status } = response
  if (status === 403 && problemOf(response) !== null) {
    const detail =
      'X does not let this app read the account: it is suspended or locked, or the app lacks access to the API. Sign in at X to see.'
    return { is: 'refused', code: 'account_unusable', detail }
  }
  return unavailable(`X answered with status ${status} when it was asked for the account. Try again later.`)
}

const MISSING_SCOPE: ConnectRefusal = {
  is: 'refused',
  code: 'missing_scope',
  detail: 'X did not grant all that publishing needs. Connect again, and allow everything that is asked for.',
}

function covers(granted: string, asked: string): boolean {
  const scopes = new Set(granted.split(' '))
  return asked.split(' ').every((one) => scopes.has(one))
}

/** X words the end of a grant as an invalid request (https://devcommunity.x.com/t/162461), where OAuth has a code. */
function isEnded(response: HttpResponse): boolean {
  const body = jsonOf(response)
  if (response.status !== 400 || !Check(OauthError, body)) return false
  const { error, error_description: words = '' } = body
  return error === 'invalid_grant' || (error === 'invalid_request' && /token was invalid/i.test(words))
}

function endOf(now: Date, seconds: number): string {
  return new Date(now.getTime() + seconds * 1_000).toISOString()
}

function unavailable(detail: string) {
  return { is: 'unavailable', detail } as const
}
