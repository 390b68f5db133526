import { defineAdapter } from '../../port/define-adapter.ts'
import type { Adapter, Origins, ProviderFacts } from '../../port/port.ts'
import { ThreadsAuthorization, threadsAuthorization } from './authorization.ts'
import { connectingTo } from './connecting.ts'
import { examineAt } from './examine.ts'
import { addressAt, lookupAt } from './lookup.ts'
import { prepareAt, publishAt } from './posting.ts'

/** A token that has ended cannot be exchanged any more: it is for so long before, so that no outage makes it late. */
const EXCHANGED_BEFORE_MS = 7 * 24 * 60 * 60_000

/** What talks to Threads, by its API. */
export function threadsAdapter(facts: ProviderFacts, origins: Origins, scope: string): Adapter {
  return defineAdapter(facts, {
    ...connectingTo(origins, scope),
    authorization: ThreadsAuthorization,
    authorizationTimes: (authorization) => ({
      accessEndsAt: new Date(
        Date.parse(threadsAuthorization(authorization).accessEndsAt) - EXCHANGED_BEFORE_MS,
      ),
      authorizationEndsAt: null,
    }),
    origin: () => origins.api,
    examine: examineAt(origins),
    prepare: prepareAt(origins),
    publish: publishAt(origins),
    lookup: lookupAt(origins),
    looksByKey: () => true,
    findAddress: addressAt(origins),
  })
}
