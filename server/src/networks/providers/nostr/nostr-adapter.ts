import { defineAdapter } from '../port/define-adapter.ts'
import type { Adapter, ProviderFacts } from '../port/port.ts'
import { NostrAuthorization, nostrAuthorization } from './authorization.ts'
import { connectingWith } from './connecting.ts'
import { examineWith } from './examine.ts'
import type { NostrPlaces } from './places.ts'
import { judgePublish, lookup, prepare, publishRequest } from './posting.ts'
import { relayUrl, writeRelays } from './relays.ts'
import { upload } from './upload.ts'

/** What talks to the relays of an account, and to its media server. */
export function nostrAdapter(facts: ProviderFacts, places: NostrPlaces): Adapter {
  return defineAdapter(facts, {
    ...connectingWith(places, facts.limits),
    authorization: NostrAuthorization,
    origin: (authorization) => relayUrl(writeRelays(nostrAuthorization(authorization))[0] ?? '').origin,
    upload,
    prepare: prepare(places),
    examine: examineWith(facts.limits),
    publish: { request: publishRequest, judge: judgePublish },
    lookup,
    looksByKey: () => true,
  })
}
