import { defineAdapter } from '../../port/define-adapter.ts'
import type { Adapter, ProviderFacts } from '../../port/port.ts'
import { FacebookAuthorization } from './authorization.ts'
import { connectingTo } from './connecting.ts'
import { examineAt } from './examine.ts'
import type { FacebookOrigins } from './origins.ts'
import { readBudget } from '../meta-graph.ts'
import { leftoversAt } from './leftovers.ts'
import { lookupAt, pollAt, prepareAt, publishAt } from './posting.ts'
import { uploadAt } from './upload.ts'

/** What talks to Facebook as a Page, by the Graph API: posts are made as drafts, and then shown. */
export function facebookAdapter(facts: ProviderFacts, origins: FacebookOrigins): Adapter {
  return defineAdapter(facts, {
    ...connectingTo(origins),
    authorization: FacebookAuthorization,
    origin: () => origins.api,
    examine: examineAt(origins),
    upload: uploadAt(origins),
    keepsUploads: true,
    prepare: prepareAt(origins),
    publish: publishAt(origins),
    poll: pollAt(origins),
    lookup: lookupAt(origins),
    // A comment is looked for by its words.
    looksByKey: ({ kind }) => kind !== 'first_comment',
    leftovers: leftoversAt(origins),
    budget: readBudget,
  })
}
