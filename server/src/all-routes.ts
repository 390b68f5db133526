import { channelRoutes } from './channels/routes.ts'
import { identityRoutes } from './identity/routes.ts'
import { mediaRoutes } from './media/routes.ts'
import type { MediaParts } from './media/upload-media.ts'
import { eventRoutes } from './outbox/routes.ts'
import type { Cursors } from './platform/cursor.ts'
import type { Route } from './platform/route.ts'
import { postRoutes } from './posts/routes.ts'
import type { Providers } from './providers/port.ts'

export type RouteParts = {
  readonly providers: Providers
  readonly baseUrl: string
  readonly cursors: Cursors
  readonly media: MediaParts
}

/** The routes of all features: they carry out every operation of the contract. */
export function allRoutes({ providers, baseUrl, cursors, media }: RouteParts): Route[] {
  return [
    ...identityRoutes(providers),
    ...channelRoutes({ providers }),
    ...mediaRoutes({ ...media, cursors }),
    ...postRoutes({ providers, baseUrl, cursors }),
    ...eventRoutes({ cursors }),
  ]
}
