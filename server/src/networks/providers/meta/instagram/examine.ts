import { ERRORS, examineGraph, READ_IN, toldByGraph } from '../meta-examine.ts'
import type { Examine, Origins, Quota } from '../../port/port.ts'
import type { Steps } from '../../port/procedure.ts'
import { instagramAuthorization, type InstagramAuthorization } from './authorization.ts'
import { FIELDS, userIn } from './connecting.ts'
import { PERMISSIONS } from './permissions.ts'
import { LIMIT_SOURCE, readQuota } from './quota.ts'
import { refusalOf } from './refusals.ts'

/** A professional account, and the access token of its Page. */
export function examineAt({ api }: Origins): Examine {
  return {
    told: {
      ...toldByGraph,
      access: { by: 'GET /{account}', source: ERRORS, read: READ_IN },
      quota: { by: 'GET /{account}/content_publishing_limit', source: LIMIT_SOURCE, read: READ_IN },
    },
    ask({ authorization, client }) {
      const access = instagramAuthorization(authorization)
      const asking = {
        api,
        access,
        client,
        path: access.userId,
        fields: FIELDS,
        permissions: PERMISSIONS,
        isShown: (response: Parameters<typeof userIn>[0]) => userIn(response)?.id === access.userId,
        refusalOf,
      }
      return examineGraph(asking, () => quotasOf(api, access))
    },
  }
}

/** Posts within any 24 hours: when there is room again is not told. */
function* quotasOf(api: string, access: InstagramAuthorization): Steps<readonly Quota[]> {
  const { quota } = yield* readQuota(api, access)
  if (quota === null) return []
  const { used, total } = quota
  return [{ unit: 'posts', left: Math.max(0, total - used), of: total, resetsInMs: null }]
}
