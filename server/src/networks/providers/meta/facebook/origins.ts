import type { Origins } from '../../port/port.ts'

/** Where the Graph API is, the pages that people see, and what takes videos. */
export type FacebookOrigins = Origins & { readonly video: string }
