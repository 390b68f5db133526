import { defineAdapter } from '../../port/define-adapter.ts'
import { readBudget } from '../meta-graph.ts'
import type { Adapter, Origins, ProviderFacts } from '../../port/port.ts'
import { InstagramAuthorization } from './authorization.ts'
import { connectingTo } from './connecting.ts'
import { examineAt } from './examine.ts'
import { addressAt, lookupAt } from './lookup.ts'
import { prepareAt, publishAt } from './posting.ts'

/** What talks to Instagram as a professional account, by the Graph API. */
export function instagramAdapter(facts: ProviderFacts, origins: Origins): Adapter {
  return defineAdapter(facts, {
    ...connectingTo(origins),
    authorization: InstagramAuthorization,
    origin: () => origins.api,
    examine: examineAt(origins),
    prepare: prepareAt(origins),
    publish: publishAt(origins),
    lookup: lookupAt(origins),
    // A comment is looked for by its words.
    looksByKey: ({ kind }) => kind !== 'first_comment',
    findAddress: addressAt(origins),
    budget: readBudget,
  })
}
