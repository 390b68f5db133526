import { msUntil } from '../shared/answers.ts'
import type { HttpResponse } from '../port/calls.ts'
import { defineAdapter } from '../port/define-adapter.ts'
import type { Adapter, CallPurpose, ProviderFacts, RateBudget } from '../port/port.ts'
import { connectingTo } from './connecting.ts'
import { MastodonAuthorization, mastodonAuthorization } from './authorization.ts'
import { examineWith } from './examine.ts'
import { judgePublish, lookup, prepare, publishRequest, upload } from './posting.ts'

/** What talks to Mastodon: to the instance that the account is at. */
export function mastodonAdapter(facts: ProviderFacts, scope: string): Adapter {
  return defineAdapter(facts, {
    ...connectingTo(facts.limits, scope),
    authorization: MastodonAuthorization,
    origin: (authorization) => mastodonAuthorization(authorization).server,
    upload,
    prepare,
    examine: examineWith(facts.limits, scope),
    publish: { request: publishRequest, judge: judgePublish },
    lookup,
    budget: readBudget,
  })
}

/** `X-RateLimit-Reset` is a time in ISO 8601 (https://docs.joinmastodon.org/api/rate-limits/). */
function readBudget(response: HttpResponse, _purpose: CallPurpose, now: Date): RateBudget | null {
  const { 'x-ratelimit-remaining': remaining = '', 'x-ratelimit-reset': reset = '' } = response.headers
  const resetsAt = /^\d{4}-\d\d-\d\dT/.test(reset) ? Date.parse(reset) : Number.NaN
  const resetsInMs = msUntil(resetsAt, response, now)
  return !/^\d{1,9}$/.test(remaining) || resetsInMs === null
    ? null
    : { remaining: Number(remaining), resetsInMs }
}
