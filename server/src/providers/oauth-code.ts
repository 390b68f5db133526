import Type from 'typebox'
import { Check } from 'typebox/value'
import { jsonOf } from './answers.ts'
import type { HttpResponse } from './calls.ts'
import type { AuthorizeWork, ExchangeWork, RefreshVerdict } from './port.ts'
import { refused, unavailable } from './verdicts.ts'

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

/** The time `seconds` from now, as it is stored. */
export function after(now: Date, seconds: number): string {
  return new Date(now.getTime() + seconds * 1_000).toISOString()
}
