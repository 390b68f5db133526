import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import { jsonOf, retryAfterMs } from '../shared/answers.ts'
import type { HttpRequest, HttpResponse } from '../port/calls.ts'
import type { Quota, RateBudget, Refusal } from '../port/port.ts'
import { withQuery } from '../shared/requests.ts'
import { GRAPH_VERSION } from './graph-version.ts'
import { rateLimited } from '../port/verdicts.ts'

/*
 * The Graph API (https://developers.facebook.com/docs/graph-api). An error is `{ error: { message, type, code, error_subcode } }`
 * (https://developers.facebook.com/docs/graph-api/guides/error-handling).
 */

export const VERSION = GRAPH_VERSION.name

const GraphError = Type.Object({
  error: Type.Object({
    message: Type.String(),
    code: Type.Integer(),
    error_subcode: Type.Optional(Type.Integer()),
  }),
})

export type GraphFault = Static<typeof GraphError>['error']

/** An access token, and the proof that it comes from the app. */
export const metaAccess = {
  accessToken: Type.String({ minLength: 1 }),
  /** HMAC-SHA256 of the token under the app's secret (https://developers.facebook.com/docs/graph-api/guides/secure-requests). */
  proof: Type.String({ pattern: '^[0-9a-f]{64}$' }),
}
export type MetaAccess = { readonly accessToken: string; readonly proof: string }

/** Whose call it is; the proof shows that it comes from the app, and goes into the query when it is sent. */
export function accessOf({ accessToken, proof }: MetaAccess) {
  return { scheme: 'Bearer', credentials: accessToken, query: { appsecret_proof: proof } } as const
}

export function graphUrl(api: string, path: string, query: Readonly<Record<string, string>> = {}): URL {
  return withQuery(new URL(`/${VERSION}/${path}`, api), query)
}

export function read(
  api: string,
  access: MetaAccess,
  path: string,
  query: Readonly<Record<string, string>>,
): HttpRequest {
  return { method: 'GET', url: graphUrl(api, path, query), authorization: accessOf(access) }
}

export function write(
  api: string,
  access: MetaAccess,
  path: string,
  form: Readonly<Record<string, string>>,
): HttpRequest {
  return { method: 'POST', url: graphUrl(api, path), authorization: accessOf(access), form }
}

/** The error that an answer carries as a refusal; null for every other answer. */
export function faultOf(response: HttpResponse): GraphFault | null {
  const body = jsonOf(response)
  const { status } = response
  return status >= 400 && status < 500 && Check(GraphError, body) ? body.error : null
}

/** What every authorised call can be refused for before anything is done, whatever it asks for: null for whatever else it is. */
export function generalRefusalOf(response: HttpResponse): Refusal | null {
  const fault = faultOf(response)
  if (fault === null) return null
  const { code, message } = fault
  // A proof of another secret: the app's was changed, and the owner has to connect again.
  if (code === 190 || code === 102 || (code === 100 && /appsecret_proof/i.test(message)))
    return { is: 'reauthorize' }
  return LIMITS.has(code) ? rateLimited(limitMs(response)) : null
}

export function isPermission({ code }: GraphFault): boolean {
  return code === 3 || code === 10 || (code >= 200 && code <= 299)
}

/**
 * An account that its owner has to unlock at Facebook: "User Checkpointed" and "Unconfirmed User", with 190
 * (https://developers.facebook.com/docs/graph-api/guides/error-handling#subcodes, 2026-11), and one that is blocked (368).
 */
export function isSuspended({ code, error_subcode: subcode }: GraphFault): boolean {
  return (code === 190 && (subcode === 459 || subcode === 464)) || code === 368
}

/**
 * There is no such call: not at this address, by this method or in this version. Meta's tables of errors do not have these codes; of an object
 * that is not there the same words have a subcode.
 */
export function isNoCall({ code, error_subcode: subcode, message }: GraphFault): boolean {
  if (subcode !== undefined) return false
  return code === 2_500 || code === 2_635 || (code === 100 && /^Unsupported (?:\w+ )?request/.test(message))
}

/** An object that is not there, or no longer visible to the token: in no table of Meta's, but what its answers are known to say. */
export function isMissing(fault: GraphFault | null): boolean {
  return fault !== null && ((fault.code === 100 && fault.error_subcode === 33) || fault.code === 803)
}

/** Of the app, of the person, of a Page, of one call, of an app by use case (overview/rate-limiting). */
const LIMITS: ReadonlySet<number> = new Set([4, 17, 32, 341, 613, 80_001, 80_002])

/** Windows are an hour where no time is named (overview/rate-limiting). */
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const Percent = Type.Number({ minimum: 0 })
const AppUsage = Type.Object({ call_count: Percent, total_time: Percent, total_cputime: Percent })
const Use = Type.Object({
  call_count: Percent,
  total_time: Percent,
  total_cputime: Percent,
  /** Minutes. */
  estimated_time_to_regain_access: Type.Optional(Type.Number({ minimum: 0 })),
})
const BusinessUsage = Type.Record(Type.String(), Type.Array(Use))

function usesIn({ headers }: HttpResponse): Static<typeof Use>[] {
  const business = jsonOf({ body: headers['x-business-use-case-usage'] ?? '' })
  const app = jsonOf({ body: headers['x-app-usage'] ?? '' })
  return [
    ...(Check(BusinessUsage, business) ? Object.values(business).flat() : []),
    ...(Check(AppUsage, app) ? [app] : []),
  ]
}

/** The most that is used of a limit, in percent. */
function usedOf({ call_count: calls, total_time: time, total_cputime: cpu }: Static<typeof Use>): number {
  return Math.max(calls, time, cpu)
}

/** How long the limits that are used up hold, in milliseconds; null where none is told to be. */
function usedUpForMs(response: HttpResponse): number | null {
  const waits = usesIn(response)
    .filter((use) => usedOf(use) >= 100)
    .map(({ estimated_time_to_regain_access: minutes = 0 }) =>
      minutes === 0 ? HOUR_MS : Math.min(Math.ceil(minutes * 60_000), DAY_MS),
    )
  return waits.length === 0 ? null : Math.max(...waits)
}

/** What is left of the tightest limit, in percent; null where an answer tells of none. */
export function usageIn(response: HttpResponse): Quota | null {
  const uses = usesIn(response).map(usedOf)
  if (uses.length === 0) return null
  const left = Math.max(0, Math.floor(100 - Math.max(...uses)))
  return { unit: 'percent', left, of: 100, resetsInMs: usedUpForMs(response) }
}

function limitMs(response: HttpResponse): number | null {
  return usedUpForMs(response) ?? retryAfterMs(response.headers)
}

/** Headers tell how much is used in percent, of calls and of time: only of a limit that is used up is it known what is left. */
export function readBudget(response: HttpResponse): RateBudget | null {
  const resetsInMs = usedUpForMs(response)
  return resetsInMs === null ? null : { remaining: 0, resetsInMs }
}
