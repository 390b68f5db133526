import { defineAdapter } from '../port/define-adapter.ts'
import type { Adapter, ProviderFacts } from '../port/port.ts'
import { WordpressAuthorization, wordpressAuthorization } from './authorization.ts'
import { connect, profile } from './connecting.ts'
import { examine } from './examine.ts'
import { judgePublish, leftovers, lookup, prepare, publishRequest } from './posting.ts'
import { upload } from './upload.ts'

/** What talks to a site. */
export function wordpressAdapter(facts: ProviderFacts): Adapter {
  return defineAdapter(facts, {
    authorization: WordpressAuthorization,
    origin: (authorization) => new URL(wordpressAuthorization(authorization).root).origin,
    upload,
    keepsUploads: true,
    prepare,
    examine,
    publish: { request: publishRequest, judge: judgePublish },
    lookup,
    looksByKey: () => true,
    leftovers,
    form: connect,
    profile,
  })
}
