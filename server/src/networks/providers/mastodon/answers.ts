import Type from 'typebox'
import { Check } from 'typebox/value'
import { jsonOf, msUntilReset, retryAfterMs } from '../shared/answers.ts'
import type { HttpRequest, HttpResponse } from '../port/calls.ts'
import type { Refusal } from '../port/port.ts'
import { bearer, get, withQuery } from '../shared/requests.ts'
import { notOffered, rateLimited, rejected } from '../port/verdicts.ts'
import type { MastodonAuthorization } from './authorization.ts'

/* An error of Mastodon's API is `{ error: text }` (https://docs.joinmastodon.org/entities/Error/). */

const ApiError = Type.Object({ error: Type.String({ minLength: 1 }) })

/** A request that changes nothing, authorised where there is an authorization. */
export function read(
  { server, accessToken }: Pick<MastodonAuthorization, 'server'> & Partial<MastodonAuthorization>,
  path: string,
  query: Readonly<Record<string, string>> = {},
): HttpRequest {
  const url = withQuery(new URL(path, server), query)
  return get(url, accessToken === undefined ? undefined : bearer({ accessToken }))
}

/** The text of the error that an answer carries; null where it carries none. */
export function errorOf(response: HttpResponse): string | null {
  const body = jsonOf(response)
  return response.status >= 400 && Check(ApiError, body) ? body.error : null
}

/**
 * What every authorised call can be refused for before anything is done: null for whatever else it is. A 401 counts as
 * the end of the authorization only as Mastodon words it, or as servers that answer it without a word do: not the page of a proxy.
 */
export function refusalOf(response: HttpResponse): Refusal | null {
  const { status, body } = response
  const error = errorOf(response)
  if (status === 429) return rateLimited(rateLimitMs(response))
  if (status === 401 && (error !== null || body === '')) return { is: 'reauthorize' }
  if (status === 403 && error !== null) {
    return rejected(
      'permission_refused',
      'The instance does not let this account post: it is suspended or limited, or the access token lacks a scope. Sign in to the instance to check, then reconnect the channel.',
    )
  }
  return null
}

/**
 * Whether the instance has no such call: what it does not have has the words of HTTP, and a thing that is not there has others
 * (app/controllers/application_controller.rb, app/controllers/api/base_controller.rb).
 */
export function isNoCall(response: HttpResponse): boolean {
  const error = errorOf(response)
  return (response.status === 404 && error === 'Not Found') || (response.status === 405 && error !== null)
}

/** What a question is refused for each time; null for whatever else. */
export function refusedQuestion(response: HttpResponse): Refusal | null {
  const isRefused = [400, 405, 422].includes(response.status) && errorOf(response) !== null
  return isRefused ? notOffered('The instance') : null
}

/** How long a rate limit holds: until X-RateLimit-Reset, by the clock of the server itself. */
function rateLimitMs(response: HttpResponse): number | null {
  const { headers } = response
  return msUntilReset(Date.parse(headers['x-ratelimit-reset'] ?? ''), response) ?? retryAfterMs(headers)
}
