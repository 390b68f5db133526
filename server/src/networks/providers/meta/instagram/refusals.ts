import type { HttpResponse } from '../../port/calls.ts'
import { FULL_MS } from '../meta-containers.ts'
import { faultOf, generalRefusalOf, isMissing, isNoCall, isPermission } from '../meta-graph.ts'
import type { Refusal } from '../../port/port.ts'
import { AWAY, MEDIA_GONE, NOT_SHOWN_YET, notOffered, rateLimited, rejected } from '../../port/verdicts.ts'

/*
 * Error codes of Instagram: what tells them apart is the subcode; all that are named here are in Meta's table
 * (https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/error-codes).
 */

const BY_SUBCODE: ReadonlyMap<number, Refusal> = new Map<number, Refusal>([
  [
    2_207_051,
    rejected(
      'permission_refused',
      'Instagram treats this as spam and has blocked the account or the app for a while. Sign in to Instagram to see why.',
    ),
  ],
  [
    2_207_050,
    rejected(
      'permission_refused',
      'Instagram has restricted this account. Sign in to the Instagram app and follow its instructions.',
    ),
  ],
  // The posts of these 24 hours are used up.
  [2_207_042, rateLimited(FULL_MS)],
  // The container is not ready, or is not found though it is there: "try again in 30 seconds to 2 minutes", then with a new one.
  [2_207_027, NOT_SHOWN_YET],
  [2_207_006, NOT_SHOWN_YET],
  [2_207_008, NOT_SHOWN_YET],
])

/** What every call can be refused for before anything is done: null for whatever else it is. */
export function refusalOf(response: HttpResponse): Refusal | null {
  const fault = faultOf(response)
  if (fault === null) return null
  const known = BY_SUBCODE.get(fault.error_subcode ?? 0)
  if (known !== undefined) return known
  if (isPermission(fault)) {
    return rejected(
      'permission_refused',
      'Instagram does not let this app do that: a permission was taken away, or the person who connected the account can no longer create content on its Page. Reconnect the channel and allow everything.',
    )
  }
  return generalRefusalOf(response)
}

/** A file that could not be fetched may be had with the next try, as may what failed at Instagram. */
const NOT_FETCHED: ReadonlySet<number> = new Set([2_207_003, 2_207_020, 2_207_052])
const FAILED_THERE: ReadonlySet<number> = new Set([2_207_001, 2_207_032, 2_207_053])
/**
 * What a file is refused for: its kind, size, type, format and ratio. The last three are in no table of Meta's: containers end with them
 * whose video could not be processed (https://github.com/gitroomhq/postiz-app/pull/1992, 2026-08-30).
 */
const MEDIA: ReadonlySet<number> = new Set([
  2_207_004, 2_207_005, 2_207_009, 2_207_023, 2_207_026, 2_207_028, 2_207_057, 2_207_076, 2_207_082,
  2_207_085,
])
const CAPTION = 2_207_010

/** What a container failed for, by its subcode; null where that says nothing. */
function refusalBySubcode(subcode: number | undefined): Refusal | null {
  if (subcode === undefined) return null
  if (NOT_FETCHED.has(subcode)) return MEDIA_GONE
  if (FAILED_THERE.has(subcode)) return AWAY
  if (MEDIA.has(subcode)) {
    return rejected(
      'media_refused',
      `Instagram can't take the file (${subcode}). Export it as its guidelines say, and upload the result.`,
    )
  }
  if (subcode === CAPTION) return rejected('content_refused', 'Instagram refuses the caption as too long.')
  return null
}

/** What the status of a container that failed has in it. */
export function failed(status: string): Refusal {
  const subcode = Number(/\b2207\d{3}\b/.exec(status)?.[0])
  return refusalBySubcode(subcode) ?? rejected('processing_failed', 'Instagram could not process the post.')
}

/** Nothing is public by a container: what is not understood is tried again. */
export function refusedContainer(response: HttpResponse): Refusal {
  const fault = faultOf(response)
  const known = refusalOf(response) ?? refusalBySubcode(fault?.error_subcode)
  if (known !== null) return known
  if (fault !== null && isNoCall(fault)) return notOffered('Instagram')
  return fault?.code === 100 && !isMissing(fault) ? REFUSED_AS_IS : AWAY
}

export const REFUSED_AS_IS = rejected('content_refused', 'Instagram refuses the post as it is.')
