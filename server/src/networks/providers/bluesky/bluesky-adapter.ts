import { msUntil } from '../shared/answers.ts'
import type { HttpResponse } from '../port/calls.ts'
import { defineAdapter } from '../port/define-adapter.ts'
import type { Adapter, CallPurpose, ProviderFacts, RateBudget } from '../port/port.ts'
import type { Directories } from './directories.ts'
import { connectByPassword, oauth, profile, refresh } from './connecting.ts'
import { BlueskyAuthorization, blueskyAuthorization } from './authorization.ts'
import { examine } from './examine.ts'
import { judgePublish, lookup, prepare, publishRequest, upload } from './posting.ts'

/** What talks to Bluesky: to the account's own server (PDS), whoever runs it. */
export function blueskyAdapter(facts: ProviderFacts, directories: Directories): Adapter {
  return defineAdapter(facts, {
    authorization: BlueskyAuthorization,
    authorizationTimes(authorization) {
      const session = blueskyAuthorization(authorization)
      const endsAt = session.kind === 'oauth' ? session.endsAt : null
      return {
        accessEndsAt: new Date(session.accessEndsAt),
        authorizationEndsAt: endsAt === null ? null : new Date(endsAt),
      }
    },
    origin: (authorization) => blueskyAuthorization(authorization).server,
    upload,
    prepare,
    examine,
    publish: { request: publishRequest, judge: judgePublish },
    lookup,
    looksByKey: () => true,
    form: connectByPassword(directories),
    oauth: oauth(directories),
    refresh,
    // A used refresh token of an app password answers for two hours more, with the same session
    // (packages/pds/src/account-manager); one of OAuth that is used twice ends the whole authorization.
    refreshRepeatable: (authorization) => blueskyAuthorization(authorization).kind === 'password',
    profile,
    budget: readBudget,
  })
}

/** Points that one post costs at most (https://docs.bsky.app/docs/advanced-guides/rate-limits): post and two gates. */
const POINTS = 9

/**
 * `ratelimit-remaining` counts points of the tightest limit that the call counts in, `ratelimit-reset` is in Unix seconds.
 * Only writes cost more than one.
 */
function readBudget(response: HttpResponse, purpose: CallPurpose, now: Date): RateBudget | null {
  const {
    'ratelimit-remaining': remaining = '',
    'ratelimit-reset': reset = '',
    'ratelimit-policy': policy = '',
  } = response.headers
  if (!/^\d{1,9}$/.test(remaining) || !/^\d{1,11}$/.test(reset) || !/^\d/.test(policy)) return null
  const resetsInMs = msUntil(Number(reset) * 1_000, response, now)
  const cost = purpose === 'publish' ? POINTS : 1
  return resetsInMs === null ? null : { remaining: Math.floor(Number(remaining) / cost), resetsInMs }
}
