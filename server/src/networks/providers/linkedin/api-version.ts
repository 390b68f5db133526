import type { ApiVersion } from '../port/port.ts'

/** A version lives for about a year; then every call is answered with 426. */
export const API_VERSION = {
  name: '202609',
  endsOn: '2027-09-15',
  source: 'https://learn.microsoft.com/en-us/linkedin/marketing/integrations/migrations',
  read: '2026-11-29',
} as const satisfies ApiVersion
