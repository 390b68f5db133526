import type { HttpResponse } from '../../port/calls.ts'
import { faultOf, generalRefusalOf, isPermission } from '../meta-graph.ts'
import type { Refusal } from '../../port/port.ts'
import { rateLimited, rejected } from '../../port/verdicts.ts'

const DUPLICATE = rejected('duplicate_refused', 'Facebook already has the same post from this Page.')
const TOO_OFTEN = 1_390_008
/** No time is named, and each further try counts. */
const TOO_OFTEN_MS = 30 * 60_000

/**
 * What every call for a Page can be refused for before anything is done: null for whatever else it is. Codes 368, 506 and 1609005:
 * https://developers.facebook.com/docs/graph-api/guides/error-handling#errorcodes.
 */
export function refusalOf(response: HttpResponse): Refusal | null {
  const fault = faultOf(response)
  if (fault === null) return null
  if (isPermission(fault)) {
    return rejected(
      'permission_refused',
      'Facebook does not let this app do that on the Page: a permission was taken away, or the person who connected it can no longer create content there. Reconnect the channel and allow everything.',
    )
  }
  if (fault.code === 368) {
    // https://github.com/arsduo/koala/issues/422 (2014-11-26).
    if (/already posted/i.test(fault.message)) return DUPLICATE
    // "We limit how often you can post": https://github.com/gitroomhq/postiz-app/pull/2068 (2026-09-11).
    if (fault.error_subcode === TOO_OFTEN) return rateLimited(TOO_OFTEN_MS)
    return rejected(
      'permission_refused',
      'Facebook has blocked the Page or the app from this for a while, for content that it found abusive. Sign in to Facebook to see why.',
    )
  }
  if (fault.code === 506) return DUPLICATE
  if (fault.code === 1_609_005) {
    return rejected('content_refused', 'Facebook could not read the page of the link. Check the address.')
  }
  return generalRefusalOf(response)
}
