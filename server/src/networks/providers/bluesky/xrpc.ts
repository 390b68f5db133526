import Type from 'typebox'
import { Check } from 'typebox/value'
import { jsonOf, msUntilReset, retryAfterMs } from '../shared/answers.ts'
import type { HttpRequest, HttpResponse } from '../port/calls.ts'
import type { Refusal } from '../port/port.ts'
import { get, withQuery } from '../shared/requests.ts'
import { AWAY, notOffered, rateLimited, rejected } from '../port/verdicts.ts'
import { requestAuthorization, type BlueskyAuthorization } from './authorization.ts'

/* XRPC, the HTTP API of the AT Protocol (https://atproto.com/specs/xrpc). An error is `{ error: name, message }`. */

const XrpcError = Type.Object({ error: Type.String() })

/** A query, which changes nothing; with an authorization it is authorised. */
export function query(
  server: string,
  method: string,
  parameters: Readonly<Record<string, string>>,
  authorization?: BlueskyAuthorization,
): HttpRequest {
  const url = withQuery(new URL(`/xrpc/${method}`, server), parameters)
  return get(url, authorization === undefined ? undefined : requestAuthorization(authorization))
}

/** The name of the error that an answer carries; null where it carries none. */
export function errorOf(response: HttpResponse): string | null {
  const body = jsonOf(response)
  return response.status >= 400 && Check(XrpcError, body) ? body.error : null
}

/** Names of errors by which a server refuses an access token before it does anything. A refresh tells more. */
const TOKEN_REFUSED: readonly string[] = [
  'ExpiredToken',
  'InvalidToken',
  'AuthMissing',
  'AuthenticationRequired',
  // OAuth (RFC 9449, 7.1).
  'invalid_token',
  'invalid_dpop_proof',
]

/**
 * What every authorised call can be refused for, told by status and name: null for whatever else it is. The server
 * checks all of this before it does what is asked (packages/pds/src/auth-verifier.ts).
 */
export function refusalOf(response: HttpResponse): Refusal | null {
  const { status } = response
  const error = errorOf(response)
  if (status === 429) return rateLimited(limitMs(response))
  // Who answers at the address is no account's server: it may be one again, and has made nothing.
  if (status === 404 && error === 'XRPCNotSupported') return AWAY
  // The server has no such call (packages/xrpc-server/src/server.ts).
  if (status === 501 && error === 'MethodNotImplemented') return notOffered("The account's server")
  if ((status === 400 || status === 401) && error !== null && TOKEN_REFUSED.includes(error)) {
    return { is: 'expired' }
  }
  if (status === 401 && error === 'use_dpop_nonce') return AWAY
  if (status === 401 && error === 'AccountTakedown') {
    return rejected('permission_refused', 'Bluesky has suspended this account.')
  }
  if (status === 401 && error === 'AccountDeactivated') {
    return rejected(
      'permission_refused',
      'The account is deactivated on this server. Activate it, or reconnect the channel if the account has moved.',
    )
  }
  // The account has moved to another server, or is deleted.
  if (status === 403 && error === 'AccountNotFound') return { is: 'reauthorize' }
  if (status === 403 && error !== null) {
    return rejected(
      'permission_refused',
      'Bluesky does not allow posts with this sign-in. Reconnect the channel and allow everything it asks for.',
    )
  }
  return null
}

/** `ratelimit-reset` is in Unix seconds (https://docs.bsky.app/docs/advanced-guides/rate-limits); not every answer has `retry-after` beside it. */
function limitMs(response: HttpResponse): number | null {
  const { 'ratelimit-reset': reset = '' } = response.headers
  return (
    retryAfterMs(response.headers) ??
    (/^\d{1,11}$/.test(reset) ? msUntilReset(Number(reset) * 1_000, response) : null)
  )
}
