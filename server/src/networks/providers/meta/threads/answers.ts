import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import { jsonOf, retryAfterMs } from '../../shared/answers.ts'
import type { HttpRequest, HttpResponse } from '../../port/calls.ts'
import { FULL_MS } from '../meta-containers.ts'
import type { Refusal } from '../../port/port.ts'
import { withQuery } from '../../shared/requests.ts'
import { rateLimited, rejected } from '../../port/verdicts.ts'

/*
 * The Threads API (https://developers.facebook.com/documentation/threads). Its errors are those of the Graph API: `{ error: { message,
 * type, code, error_subcode } }` (https://developers.facebook.com/docs/graph-api/guides/error-handling).
 */

const VERSION = 'v1.0'

const GraphError = Type.Object({
  error: Type.Object({
    message: Type.String(),
    code: Type.Integer(),
    error_subcode: Type.Optional(Type.Integer()),
  }),
})
type GraphFault = Static<typeof GraphError>['error']

/** The token goes into the query, as the documentation has it; no secret is in the URL before a request is sent. */
export function accessBy({ accessToken }: { readonly accessToken: string }) {
  return { scheme: 'Bearer', credentials: accessToken, query: { access_token: accessToken } } as const
}

type Query = Readonly<Record<string, string>>
type Access = { readonly accessToken: string }

export function read(api: string, access: Access, path: string, query: Query): HttpRequest {
  const url = withQuery(new URL(`/${VERSION}/${path}`, api), query)
  return { method: 'GET', url, authorization: accessBy(access) }
}

export function write(api: string, access: Access, path: string, form: Query): HttpRequest {
  const url = new URL(`/${VERSION}/${path}`, api)
  return { method: 'POST', url, authorization: accessBy(access), form }
}

/**
 * The error that an answer carries; null for every other answer. Threads says with 500, too, what it refuses (a permission that is missing,
 * code 10; a parameter, code 100), and it has said so of what it had published: https://github.com/tirthpatell/fia-f1-docs-bot/pull/52
 * (2026-05-20). So with that status it refuses only calls that publish nothing.
 */
export function faultOf(response: HttpResponse): GraphFault | null {
  const body = jsonOf(response)
  return response.status >= 400 && Check(GraphError, body) ? body.error : null
}

/**
 * Of the app, of the profile, of a Page, of one call (https://developers.facebook.com/docs/graph-api/overview/rate-limiting). No page
 * of Meta's that could be read says that Threads answers with 80014: it only stands in the range of such codes.
 */
const LIMITS: ReadonlySet<number> = new Set([4, 17, 32, 613, 80_014])
/**
 * "You reached maximum number of posts that is allowed": the limit of a rolling day, without a time. The code is documented of Instagram
 * (https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/error-codes).
 */
const POST_LIMIT = { code: 9, subcode: 2_207_042 }
/**
 * "We restrict certain activity", and a profile that is restricted, as others read them
 * (https://github.com/gitroomhq/postiz-app/blob/main/libraries/nestjs-libraries/src/integrations/social/threads.provider.ts, 2026-11-29).
 */
const RESTRICTED: ReadonlySet<number> = new Set([2_207_051, 4_279_013])

/** What every authorised call can be refused for before anything is done: null for whatever else it is. */
export function refusalOf(response: HttpResponse): Refusal | null {
  const fault = faultOf(response)
  if (fault === null) return null
  const { code, error_subcode: subcode } = fault
  if (code === 190 || code === 102) return { is: 'reauthorize' }
  if (subcode !== undefined && RESTRICTED.has(subcode)) {
    return rejected(
      'permission_refused',
      'Threads has restricted this profile, or blocks this post for a while. Sign in to Threads to see why.',
    )
  }
  if (LIMITS.has(code)) return rateLimited(retryAfterMs(response.headers))
  if (code === POST_LIMIT.code && subcode === POST_LIMIT.subcode) return rateLimited(FULL_MS)
  if (isPermission(fault)) {
    return rejected(
      'permission_refused',
      'Threads does not let this app do that: a permission was taken away, or the profile is restricted. Reconnect the channel and allow everything.',
    )
  }
  return null
}

export function isPermission({ code }: GraphFault): boolean {
  return code === 3 || code === 10 || (code >= 200 && code <= 299)
}

/** An account that its owner has to unlock: `isSuspended` of the Graph API, whose codes these are. */
export function isLocked({ code, error_subcode: subcode }: GraphFault): boolean {
  return (code === 190 && (subcode === 459 || subcode === 464)) || code === 368
}

/** An object that is not there, or not visible to the token. */
export function isMissing(fault: GraphFault | null): boolean {
  return fault !== null && fault.code === 100 && fault.error_subcode === 33
}
