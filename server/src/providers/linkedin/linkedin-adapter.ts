import type { Adapter, ProviderFacts } from '../port.ts'
import { connectingTo } from './connecting.ts'
import { LinkedinGrant, linkedinGrant } from './grant.ts'
import type { LinkedinOrigins } from './linkedin.ts'
import { lookupAt } from './lookup.ts'
import { prepareAt, publishAt } from './posting.ts'
import { uploadAt } from './upload.ts'

/** What talks to LinkedIn, as a member or as a page of theirs. */
export function linkedinAdapter(
  facts: ProviderFacts,
  origins: LinkedinOrigins,
  memberScope: string,
): Adapter {
  return {
    ...facts,
    ...connectingTo(origins, memberScope),
    grant: LinkedinGrant,
    grantTimes(grant) {
      const { accessEndsAt, refresh } = linkedinGrant(grant)
      const accessEnds = new Date(accessEndsAt)
      if (refresh === null) return { accessEndsAt: null, grantEndsAt: accessEnds }
      return {
        accessEndsAt: accessEnds,
        grantEndsAt: refresh.endsAt === null ? null : new Date(refresh.endsAt),
      }
    },
    origin: () => origins.api,
    upload: uploadAt(origins),
    sendsFiles: false,
    prepare: prepareAt(origins),
    publish: publishAt(origins),
    poll: null,
    lookup: lookupAt(origins),
    form: null,
    // A refresh token stays the same until it ends.
    refreshRepeatable: () => true,
    // Limits are told by no header.
    budget: () => null,
  }
}
