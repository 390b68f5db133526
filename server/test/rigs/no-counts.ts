import type { SharedCounts } from '../../src/edge/api/http/rate-count-store.ts'

/** Without a database, a process counts for itself. */
export const noCounts: SharedCounts = {
  grant: () => Promise.reject(new Error('There is no database.')),
  giveBack: () => Promise.resolve(),
}
