import { disconnectChannel, pauseChannel } from '../../networks/channels/channel-store.ts'
import { expire } from '../destinations/expire-store.ts'
import type { Change } from '../outbox/envelope.ts'
import { batched } from '../../platform/process/batch.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { arm, awaitProcessing, awaitUpload, noteDoubt, noteLook } from './attempt-store.ts'
import { claimDue, claimProbes } from './claim-store.ts'
import { claimDoubts } from './doubt-store.ts'
import type { EngineStore, Intent, Settlement } from './work.ts'
import { announceHolds } from './hold-store.ts'
import { claimLeftovers, endLeftover, noteDrafts } from './leftover-store.ts'
import { noteLatePost } from './late-post-store.ts'
import { settle } from './settle-store.ts'
import { claimOrphans, claimProcessing } from './takeover-store.ts'
import type { ClaimOptions } from './work-store.ts'

const BATCH_SIZE = 200
/** How long a settlement waits for others: the statement takes as long before its first as for ten of them, and calls come first. */
const SETTLE_GATHER_MS = 15

/** The engine's store on PostgreSQL. Its clock is the database's. */
export function publicationStore(
  db: Db,
  options: ClaimOptions & { readonly onExpired?: (changes: readonly Change[]) => void },
): EngineStore {
  return {
    claim: claimDue(db, options),
    claimProbes: (limit) => claimProbes(db, options, limit),
    claimOrphans: (limit) => claimOrphans(db, options, limit),
    claimProcessing: (limit) => claimProcessing(db, options, limit),
    claimDoubts: (limit) => claimDoubts(db, options, limit),
    arm: batched((intents: Intent[]) => arm(db, intents), BATCH_SIZE),
    awaitProcessing: (intent, wait) => awaitProcessing(db, intent, wait),
    awaitUpload: (lease, upload, pollInMs) => awaitUpload(db, lease, upload, pollInMs),
    settle: batched((settlements: Settlement[]) => settle(db, settlements), BATCH_SIZE, SETTLE_GATHER_MS),
    disconnect: (subject) => disconnectChannel(db, subject),
    pauseChannel: (subject, forMs) => pauseChannel(db, subject, forMs),
    noteDoubt: (doubt, error) => noteDoubt(db, doubt, error),
    noteLook: (doubt, evidence) => noteLook(db, doubt, evidence),
    noteDrafts: (intent, names) => noteDrafts(db, intent, names),
    claimLeftovers: (limit) => claimLeftovers(db, options, limit),
    endLeftover: (leftover, end) => endLeftover(db, leftover, end),
    noteLatePost: (destination, post) => noteLatePost(db, destination, post),
    announceHolds: (limit) => announceHolds(db, limit),
    async expire(limit) {
      const expired = await expire(db, limit)
      options.onExpired?.(expired)
      return expired.length
    },
  }
}
