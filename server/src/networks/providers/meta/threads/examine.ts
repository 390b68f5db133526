import type { HttpResponse } from '../../port/calls.ts'
import { accepted, APP_REFUSED, examined, examinedRefusal, SUSPENDED } from '../../port/examinations.ts'
import type { Examination, Examine, Origins, Quota } from '../../port/port.ts'
import { faultOf, isLocked, isPermission, refusalOf } from './answers.ts'
import { threadsAuthorization } from './authorization.ts'
import { readAccount, readPermitted } from './connecting.ts'
import type { PublishingQuota } from './quota.ts'

const DOCS = 'https://developers.facebook.com/documentation/threads'
const READ = '2026-11'

/**
 * Threads has a `debug_token`, for tokens of people who test the app alone (`DOCS`/reference/debug, read on 2026-11-29): permissions are
 * seen by what needs them.
 */
export function examineAt({ api }: Origins): Examine {
  return {
    told: {
      access: { by: 'GET /me', source: `${DOCS}/reference/user`, read: READ },
      scopes: {
        by: 'GET /{profile}/threads_publishing_limit and GET /{profile}/replies',
        source: `${DOCS}/get-started`,
        read: '2026-11-29',
      },
      quota: {
        by: 'GET /{profile}/threads_publishing_limit',
        source: `${DOCS}/troubleshooting#retrieve-quota-limits`,
        read: READ,
      },
    },
    *ask({ authorization }) {
      const access = threadsAuthorization(authorization)
      const shown = yield* readAccount(api, access)
      if (!('remoteAccountId' in shown)) return refused(shown)
      const permitted = yield* readPermitted(api, access)
      if ('status' in permitted) return { ...refused(permitted), access: accepted() }
      const { lacking, posts, replies } = permitted
      return examined(accepted(), {
        missing: { scopes: lacking },
        quotas: [...quotaOf('posts', posts), ...quotaOf('replies', replies)],
      })
    },
  }
}

function refused(response: HttpResponse): Examination {
  const fault = faultOf(response)
  if (fault !== null && isPermission(fault))
    return examined(accepted(), { missing: { scopes: ['threads_basic'] } })
  const told = examinedRefusal(response, refusalOf(response), APP_REFUSED)
  return fault !== null && isLocked(fault) ? { ...told, access: SUSPENDED } : told
}

/** Within any 24 hours: when there is room again is not told. */
function quotaOf(unit: Quota['unit'], quota: PublishingQuota | null): Quota[] {
  if (quota === null) return []
  return [{ unit, left: Math.max(0, quota.total - quota.used), of: quota.total, resetsInMs: null }]
}
