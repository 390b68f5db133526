import type { ApiVersion } from '../port/port.ts'

/**
 * Introduced on November 4, 2026. A version lives for two years from the day on which the next one comes (`docs/apps/versions`), so at least for
 * two years from its own.
 */
export const GRAPH_VERSION = {
  name: 'v27.0',
  endsOn: '2028-11-04',
  source:
    'https://developers.facebook.com/documentation/ads-commerce/marketing-api/marketing-api-changelog/versions',
  read: '2026-11-29',
} as const satisfies ApiVersion
