import { defineAdapter } from '../port/define-adapter.ts'
import type { Adapter, Origins, ProviderFacts } from '../port/port.ts'
import { YoutubeAuthorization, youtubeAuthorization } from './authorization.ts'
import { connectingTo } from './connecting.ts'
import { examineAt } from './examine.ts'
import { leftoversAt } from './leftovers.ts'
import { lookupAt, prepareAt, publishAt } from './posting.ts'
import { uploadAt } from './upload.ts'

/** What talks to YouTube, by its Data API v3: videos are uploaded as private ones, and then shown. */
export function youtubeAdapter(
  facts: ProviderFacts,
  origins: Origins & { readonly token: string },
  scope: string,
): Adapter {
  return defineAdapter(facts, {
    ...connectingTo(origins, scope),
    authorization: YoutubeAuthorization,
    authorizationTimes: (authorization) => ({
      accessEndsAt: new Date(youtubeAuthorization(authorization).accessEndsAt),
      authorizationEndsAt: null,
    }),
    origin: () => origins.api,
    examine: examineAt(origins, scope),
    upload: uploadAt(origins),
    keepsUploads: true,
    prepare: prepareAt(origins),
    publish: publishAt(origins),
    lookup: lookupAt(origins),
    looksByKey: () => true,
    leftovers: leftoversAt(origins),
  })
}
