import Type from 'typebox'
import { readBody } from '../../shared/answers.ts'
import type { HttpResponse } from '../../port/calls.ts'
import { read } from '../meta-graph.ts'
import { call, type Steps } from '../../port/procedure.ts'
import type { InstagramAuthorization } from './authorization.ts'

export const LIMIT_SOURCE =
  'https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/ig-user/content_publishing_limit'

const Count = Type.Integer({ minimum: 0 })
/** LIMIT_SOURCE */
const Limit = Type.Object({
  data: Type.Tuple([Type.Object({ quota_usage: Count, config: Type.Object({ quota_total: Count }) })]),
})

/** How many posts the account may publish within 24 hours, and how many of them are used; null where the answer does not say. */
export function* readQuota(
  api: string,
  access: InstagramAuthorization,
): Steps<{
  readonly response: HttpResponse
  readonly quota: { readonly used: number; readonly total: number } | null
}> {
  const fields = 'quota_usage,config'
  const response = yield* call(read(api, access, `${access.userId}/content_publishing_limit`, { fields }))
  const [limit] = readBody(response, Limit)?.data ?? []
  return {
    response,
    quota: limit === undefined ? null : { used: limit.quota_usage, total: limit.config.quota_total },
  }
}
