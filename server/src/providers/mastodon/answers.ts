import Type from 'typebox'
import { Check } from 'typebox/value'
import { jsonOf, retryAfterMs } from '../answers.ts'
import type { HttpRequest, HttpResponse, Refusal } from '../port.ts'
import type { MastodonGrant } from './grant.ts'

/* An error of Mastodon's API is `{ error: text }` (https://docs.joinmastodon.org/entities/Error/). */

const ApiError = Type.Object({ error: Type.String({ minLength: 1 }) })

/** A request that changes nothing, authorised where there is a grant. */
export function read(
  { server, accessToken }: Pick<MastodonGrant, 'server'> & Partial<MastodonGrant>,
  path: string,
  query: Readonly<Record<string, string>> = {},
): HttpRequest {
  const url = new URL(path, server)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  const request = { method: 'GET', url, headers: {} } as const
  return accessToken === undefined ? request : { ...request, authorization: bearer(accessToken) }
}

export function bearer(accessToken: string) {
  return { scheme: 'Bearer', credentials: accessToken } as const
}

/** The text of the error that an answer carries; null where it carries none. */
export function errorOf(response: HttpResponse): string | null {
  const body = jsonOf(response)
  return response.status >= 400 && Check(ApiError, body) ? body.error : null
}

/**
 * What every authorised call can be refused for before anything is done: null for whatever else it is. A 401 counts as
 * the end of the grant only as Mastodon words it, or as servers that answer it without a word do: not the page of a proxy.
 */
export function refusalOf(response: HttpResponse): Refusal | null {
  const { status, body } = response
  const error = errorOf(response)
  if (status === 429) return { is: 'deferred', code: 'rate_limited', afterMs: rateLimitMs(response) }
  if (status === 401 && (error !== null || body === '')) return { is: 'reauthorize' }
  if (status === 403 && error !== null) {
    return rejected(
      'permission_refused',
      'The instance does not let this account post: it is suspended or limited, or the access token lacks a scope. Sign in at the instance to see, then reconnect the channel.',
    )
  }
  return null
}

export function rejected(code: Extract<Refusal, { is: 'rejected' }>['code'], detail: string): Refusal {
  return { is: 'rejected', code, detail }
}

/** How long a rate limit holds: until X-RateLimit-Reset, by the clock of the server itself. */
function rateLimitMs({ headers }: HttpResponse): number | null {
  const waitMs = Date.parse(headers['x-ratelimit-reset'] ?? '') - Date.parse(headers['date'] ?? '')
  return waitMs > 0 && waitMs < 86_400_000 ? waitMs : retryAfterMs(headers)
}
