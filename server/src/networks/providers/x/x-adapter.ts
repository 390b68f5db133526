import { defineAdapter } from '../port/define-adapter.ts'
import type { Adapter, Origins, ProviderFacts } from '../port/port.ts'
import { connectingTo } from './connecting.ts'
import { XAuthorization, xAuthorization } from './authorization.ts'
import { examineAt } from './examine.ts'
import { lookupAt } from './lookup.ts'
import { publishAt } from './publish.ts'
import { readBudget } from './rate-limits.ts'
import { uploadAt } from './upload.ts'

/** What talks to X, by its API v2. Nothing has to be known before a call, and every read is charged. */
export function xAdapter(facts: ProviderFacts, origins: Origins, scope: string): Adapter {
  return defineAdapter(facts, {
    ...connectingTo(origins, scope),
    authorization: XAuthorization,
    authorizationTimes: (authorization) => ({
      accessEndsAt: new Date(xAuthorization(authorization).accessEndsAt),
      authorizationEndsAt: null,
    }),
    origin: () => origins.api,
    examine: examineAt(origins),
    upload: uploadAt(origins),
    publish: publishAt(origins),
    lookup: lookupAt(origins),
    budget: readBudget,
  })
}
