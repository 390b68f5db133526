import Type, { type Static } from 'typebox'
import { readBody } from '../../shared/answers.ts'
import type { HttpResponse } from '../../port/calls.ts'
import { call, type Steps } from '../../port/procedure.ts'
import { read } from './answers.ts'
import type { ThreadsAuthorization } from './authorization.ts'

const Count = Type.Integer({ minimum: 0 })
const Config = Type.Object({ quota_total: Count })
const Posts = Type.Object({
  data: Type.Array(Type.Object({ quota_usage: Count, config: Config }), { minItems: 1 }),
})
const Replies = Type.Object({
  data: Type.Array(Type.Object({ reply_quota_usage: Count, reply_config: Config }), { minItems: 1 }),
})

/** How many posts, or replies, the profile may publish within 24 hours, and how many of them are used. */
export type PublishingQuota = { readonly used: number; readonly total: number }

/** https://developers.facebook.com/documentation/threads/overview#rate-limiting: it is asked for, since it changes. */
export function* readQuota(
  api: string,
  access: Pick<ThreadsAuthorization, 'userId' | 'accessToken'>,
  kind: 'post' | 'reply',
): Steps<{ readonly response: HttpResponse; readonly quota: PublishingQuota | null }> {
  const fields = kind === 'post' ? 'quota_usage,config' : 'reply_quota_usage,reply_config'
  const response = yield* call(read(api, access, `${access.userId}/threads_publishing_limit`, { fields }))
  if (kind === 'post') return { response, quota: ofPosts(readBody(response, Posts)) }
  return { response, quota: ofReplies(readBody(response, Replies)) }
}

function ofPosts(body: Static<typeof Posts> | null): PublishingQuota | null {
  const [found] = body?.data ?? []
  return found === undefined ? null : { used: found.quota_usage, total: found.config.quota_total }
}

function ofReplies(body: Static<typeof Replies> | null): PublishingQuota | null {
  const [found] = body?.data ?? []
  return found === undefined ? null : { used: found.reply_quota_usage, total: found.reply_config.quota_total }
}
