import Type from 'typebox'
import { Check } from 'typebox/value'
import { jsonOf, readBody } from './answers.ts'
import type { HttpRequest, HttpResponse } from '../port/calls.ts'
import type {
  Authorization,
  AuthorizeWork,
  ExchangeWork,
  NetworkClient,
  RefreshVerdict,
  RefreshWork,
} from '../port/port.ts'
import { call, type Procedure } from '../port/procedure.ts'
import { refused, unavailable } from '../port/verdicts.ts'

/* Connecting by an authorization code (RFC 6749, 4.1): what is the same at every network that has it. */

const OauthError = Type.Object({ error: Type.String(), error_description: Type.Optional(Type.Unknown()) })

/** The error of an answer of an authorization server, and its words; null where it carries none. */
export function oauthErrorOf(
  response: HttpResponse,
): { readonly error: string; readonly words: string } | null {
  const body = jsonOf(response)
  if (response.status < 400 || !Check(OauthError, body)) return null
  const { error, error_description: words } = body
  return { error, words: typeof words === 'string' ? words : '' }
}

/** What a code is asked for with (4.1.1). */
export function codeRequest({ client, redirectUri, state }: AuthorizeWork, scope: string) {
  return { response_type: 'code', client_id: client.clientId, redirect_uri: redirectUri, scope, state }
}

/** What proves later who asked for it (RFC 7636, 4.3). */
export function challengeOf({ codeChallenge }: AuthorizeWork) {
  return { code_challenge: codeChallenge, code_challenge_method: 'S256' }
}

/** What it is exchanged with (4.1.3). */
export function codeExchange({ redirectUri, callback }: ExchangeWork) {
  return { grant_type: 'authorization_code', code: callback['code'] ?? '', redirect_uri: redirectUri }
}

/** Whether scopes cover what was asked. They are separated by spaces, or by commas; `write` covers `write:statuses`. */
export function covers(granted: string, asked: string): boolean {
  const scopes = new Set(granted.split(/[ ,]+/))
  return asked.split(' ').every((one) => scopes.has(one) || scopes.has(one.split(':')[0] ?? ''))
}

export function missingScope(network: string) {
  const detail = `${network} did not grant everything that publishing needs. Connect again and allow everything it asks for.`
  return refused('missing_scope', detail)
}

/** The app that this server is at a network: one that the network does not know is a fault of the settings. */
export type ConfiguredApp = {
  readonly settings: string
  readonly isUnknown: (error: string, status: number) => boolean
}

/** What an authorization server has answered to a code, if it gave no token. */
export function notExchanged(response: HttpResponse, network: string, app?: ConfiguredApp) {
  const { status } = response
  const error = oauthErrorOf(response)?.error
  if (error === undefined || status >= 500 || status === 429) {
    return unavailable(`${network} answered the sign-in with status ${status}. Try again later.`)
  }
  if (app?.isUnknown(error, status) === true) {
    return unavailable(
      `${network} does not recognize this server's app by its client ID and secret. Ask your server operator to check ${app.settings}.`,
    )
  }
  const detail = `${network} did not accept the sign-in. Create a new link and connect again.`
  return refused('credentials_refused', detail)
}

/** How the end of an authorization is told to its owner, and how a network words it besides `invalid_grant` (5.2). */
export type GrantEnd = {
  readonly detail: string
  readonly isTold?: (error: string, words: string) => boolean
}

/** What an authorization server has answered to a refresh token, if it gave no token. */
export function notRefreshed(response: HttpResponse, network: string, end: GrantEnd): RefreshVerdict {
  const { error, words } = oauthErrorOf(response) ?? { error: '', words: '' }
  const isOver = error === 'invalid_grant' || end.isTold?.(error, words) === true
  return response.status === 400 && isOver
    ? { is: 'ended', detail: end.detail }
    : unavailable(`${network} answered the refresh with status ${response.status}.`)
}

/** An access token that ends, and what gets another one (5.1). */
export const RenewableToken = Type.Object({
  access_token: Type.String({ minLength: 1 }),
  /** A refresh may leave it out: then the former one stays (6). */
  refresh_token: Type.Optional(Type.String({ minLength: 1 })),
  token_type: Type.String({ pattern: '^[Bb]earer$' }),
  expires_in: Type.Integer({ minimum: 1, maximum: 1e9 }),
  /** Left out where it is what was asked for (5.1); at a refresh, what was granted before (6). */
  scope: Type.Optional(Type.String()),
})

/** A confidential client proves itself by Basic authentication, and names itself nowhere else (2.3.1). */
export function tokenRequest(
  url: URL,
  { clientId, clientSecret }: NetworkClient,
  form: Readonly<Record<string, string>>,
): HttpRequest {
  const credentials = Buffer.from(`${clientId}:${clientSecret ?? ''}`).toString('base64')
  return { method: 'POST', url, authorization: { scheme: 'Basic', credentials }, form }
}

/** Gets another access token for a refresh token (6), at a server that clients prove themselves to in that way. */
export function refreshAt(
  url: URL,
  network: string,
  end: GrantEnd,
  read: (stored: Authorization) => Authorization & { readonly refreshToken: string },
): Procedure<RefreshWork, RefreshVerdict> {
  return function* refresh({ authorization: stored, client, now }) {
    const authorization = read(stored)
    if (client === null) return unavailable(`This server has no app at ${network}.`)
    const form = { grant_type: 'refresh_token', refresh_token: authorization.refreshToken }
    const response = yield* call(tokenRequest(url, client, form))
    const token = readBody(response, RenewableToken)
    if (token === null) return notRefreshed(response, network, end)
    const renewed = {
      accessToken: token.access_token,
      refreshToken: token.refresh_token ?? authorization.refreshToken,
      accessEndsAt: after(now, token.expires_in),
    }
    return { is: 'refreshed', authorization: { ...authorization, ...renewed } }
  }
}

/** The time `seconds` from now, as it is stored. */
export function after(now: Date, seconds: number): string {
  return new Date(now.getTime() + seconds * 1_000).toISOString()
}
