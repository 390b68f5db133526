import type { Store } from './store.ts'
import type { Counters } from './counters.ts'

/** What every route of one running network shares. */
export type World = {
  store: Store
  counters: Counters
  /** Public address, without a trailing slash; known once the server listens. */
  baseUrl: () => string
  /** The host names that the network was given. */
  ownNames: () => readonly string[]
  nowMs: () => number
  /** Aborted when the network stops, so that delayed answers do not hold it back. */
  stopping: AbortSignal
}
