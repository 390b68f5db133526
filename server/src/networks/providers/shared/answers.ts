import type { Static, TSchema } from 'typebox'
import { Check } from 'typebox/value'
import type { HttpResponse } from '../port/calls.ts'

/* What every adapter needs in order to read an answer. */

/** The body as JSON; undefined when it is none, which fits no documented shape. */
export function jsonOf({ body }: Pick<HttpResponse, 'body'>): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** The body of an answer with one of these statuses (200), where it has this shape; null for every other answer. */
export function readBody<Schema extends TSchema>(
  response: HttpResponse,
  schema: Schema,
  ...statuses: readonly number[]
): Static<Schema> | null {
  const body = jsonOf(response)
  const expected = statuses.length === 0 ? [200] : statuses
  return expected.includes(response.status) && Check(schema, body) ? body : null
}

/** Retry-After in whole seconds (RFC 9110, 10.2.3); null when it is absent or anything else. */
export function retryAfterMs(headers: HttpResponse['headers']): number | null {
  const seconds = headers['retry-after'] ?? ''
  return /^\d{1,7}$/.test(seconds) ? Number(seconds) * 1000 : null
}

/** Limits are of a day at most, and clocks differ. */
const LONGEST_LIMIT_MS = 25 * 3_600_000

/** How long a limit holds that ends at this time (in ms since 1970), by the network's own clock; null where that is no time of a limit. */
export function msUntilReset(at: number, { headers }: Pick<HttpResponse, 'headers'>): number | null {
  const waitMs = at - Date.parse(headers['date'] ?? '')
  return waitMs > 0 && waitMs < LONGEST_LIMIT_MS ? waitMs : null
}

/**
 * How long it is until a time that the provider named, by the provider's own clock where the answer has its date; null
 * where the time is none. `at` is in milliseconds since 1970.
 */
export function msUntil(at: number, { headers }: Pick<HttpResponse, 'headers'>, now: Date): number | null {
  const date = Date.parse(headers['date'] ?? '')
  const waitMs = at - (Number.isNaN(date) ? now.getTime() : date)
  return Number.isNaN(waitMs) ? null : Math.max(0, waitMs)
}

/**
 * Whether `now` is further ahead of the network's clock than this, by the date of its answer: then a post of the call
 * may seem to be older than the call. So it is, too, where an answer has no date.
 */
export function isAhead(now: Date, { headers }: Pick<HttpResponse, 'headers'>, byMs: number): boolean {
  return !(now.getTime() - Date.parse(headers['date'] ?? '') <= byMs)
}

/** Whether a text is an address that may be shown as a link. */
export function isWebAddress(text: string): boolean {
  const { protocol } = URL.parse(text) ?? {}
  return protocol === 'https:' || protocol === 'http:'
}
