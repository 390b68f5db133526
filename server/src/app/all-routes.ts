import type { DraftOptions } from '../content/ai/generate-drafts.ts'
import type { ImageOptions } from '../content/ai/generate-image.ts'
import { aiRoutes } from '../content/ai/routes.ts'
import { channelRoutes } from '../networks/channels/routes.ts'
import { identityRoutes } from '../people/keys/routes.ts'
import type { Renditions } from '../media/renditions.ts'
import { listingRoutes } from '../content/listing/routes.ts'
import { mediaRoutes } from '../media/routes.ts'
import type { UploadAddresses } from '../media/upload-addresses.ts'
import type { MediaParts } from '../media/upload-media.ts'
import { eventRoutes } from '../engine/outbox/routes.ts'
import type { Cursors } from '../edge/operations/cursor.ts'
import type { Route } from '../edge/operations/route.ts'
import { type OwnWebhookParts, ownWebhookRoutes } from '../engine/webhooks/own-routes.ts'
import type { FileReader } from '../content/imports/file-reader.ts'
import { importRoutes } from '../content/imports/routes.ts'
import { postRoutes } from '../content/posts/routes.ts'
import { seriesRoutes } from '../content/series/routes.ts'
import { templateRoutes } from '../content/templates/routes.ts'
import type { Outbound } from '../platform/outbound/outbound-http.ts'
import type { Providers } from '../networks/providers/port/port.ts'
import { readHistory } from '../engine/timeline/read-history.ts'

/** What models need besides the rest. */
export type AiParts = Omit<DraftOptions & ImageOptions, 'db' | 'providers' | 'media'>

export type RouteParts = {
  readonly providers: Providers
  readonly baseUrl: string
  readonly cursors: Cursors
  readonly media: MediaParts & {
    readonly renditions: Renditions
    readonly outbound: Outbound
    readonly addresses: UploadAddresses
  }
  readonly imports: FileReader
  readonly ai: AiParts
  readonly webhooks: OwnWebhookParts
}

/** The routes of all features: they carry out every operation of the contract. */
export function allRoutes({
  providers,
  baseUrl,
  cursors,
  media,
  imports,
  ai,
  webhooks,
}: RouteParts): Route[] {
  return [
    ...identityRoutes(providers),
    ...channelRoutes({ providers }),
    ...mediaRoutes({ ...media, cursors }),
    ...postRoutes({ providers, baseUrl, readHistory }),
    ...importRoutes({ providers, baseUrl, cursors, reader: imports }),
    ...listingRoutes({ cursors }),
    ...seriesRoutes({ providers, cursors }),
    ...templateRoutes(),
    ...aiRoutes({ ...ai, db: media.db, providers, media }),
    ...eventRoutes({ cursors }),
    ...ownWebhookRoutes(webhooks),
  ]
}
