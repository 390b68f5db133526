import type { Adapter, ProviderFacts } from '../port.ts'
import { connectingTo } from './connecting.ts'
import { XGrant, xGrant } from './grant.ts'
import { lookupAt } from './lookup.ts'
import { publishAt } from './publish.ts'
import { readBudget } from './rate-limits.ts'
import { uploadAt } from './upload.ts'
import type { XOrigins } from './x.ts'

/** What talks to X, by its API v2. */
export function xAdapter(facts: ProviderFacts, origins: XOrigins, scope: string): Adapter {
  return {
    ...facts,
    ...connectingTo(origins, scope),
    grant: XGrant,
    grantTimes: (grant) => ({ accessEndsAt: new Date(xGrant(grant).accessEndsAt), grantEndsAt: null }),
    origin: () => origins.api,
    upload: uploadAt(origins),
    sendsFiles: false,
    // Nothing has to be known before the call, and every read is charged.
    prepare: null,
    publish: publishAt(origins),
    poll: null,
    lookup: lookupAt(origins),
    form: null,
    // A refresh token counts once.
    refreshRepeatable: () => false,
    budget: readBudget,
  }
}
