import { defineAdapter } from '../port/define-adapter.ts'
import type { Adapter, Origins, ProviderFacts } from '../port/port.ts'
import { connectingTo } from './connecting.ts'
import { LinkedinAuthorization, linkedinAuthorization } from './authorization.ts'
import { examineAt } from './examine.ts'
import { lookupAt } from './lookup.ts'
import { prepareAt, publishAt } from './posting.ts'
import { uploadAt } from './upload.ts'

/** What talks to LinkedIn, as a member or as a page of theirs. */
export function linkedinAdapter(facts: ProviderFacts, origins: Origins, memberScope: string): Adapter {
  return defineAdapter(facts, {
    ...connectingTo(origins, memberScope),
    authorization: LinkedinAuthorization,
    authorizationTimes(authorization) {
      const { accessEndsAt, refresh } = linkedinAuthorization(authorization)
      const accessEnds = new Date(accessEndsAt)
      if (refresh === null) return { accessEndsAt: null, authorizationEndsAt: accessEnds }
      return {
        accessEndsAt: accessEnds,
        authorizationEndsAt: refresh.endsAt === null ? null : new Date(refresh.endsAt),
      }
    },
    origin: () => origins.api,
    examine: examineAt(origins, memberScope),
    upload: uploadAt(origins),
    prepare: prepareAt(origins),
    publish: publishAt(origins),
    lookup: lookupAt(origins),
    // A refresh token stays the same until it ends.
    refreshRepeatable: () => true,
  })
}
