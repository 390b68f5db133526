import { setTimeout as delay } from 'node:timers/promises'
import { batched } from '../../platform/process/batch.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { complete, type Completed, type Completion, type DisablePolicy } from './delivery-store.ts'

const BATCH_SIZE = 200
/** Completions that come within this time are written by one statement. */
const GATHER_MS = 20
const RETRY_AFTER_MS = 250

/**
 * Stores the completions of attempts, many in one statement. A write that fails is retried for as long as the lease may
 * hold: after that another dispatcher owns the delivery, and sends it again.
 */
export function openCompletions(
  db: Db,
  { policy, leaseMs }: { policy: DisablePolicy; leaseMs: number },
): (completion: Completion) => Promise<Completed> {
  const completeAll = (completions: Completion[]) => complete(db, completions, policy)
  // Completions of one endpoint go through one of the two, so that two batches never wait for each other over its row.
  const halves = [
    batched(completeAll, BATCH_SIZE, GATHER_MS),
    batched(completeAll, BATCH_SIZE, GATHER_MS),
  ] as const
  const storeOnce = (completion: Completion) => {
    const [even, odd] = halves
    return Number.parseInt(completion.endpointId.slice(-2), 16) % 2 === 0 ? even(completion) : odd(completion)
  }

  return async (completion) => {
    const until = performance.now() + leaseMs
    for (;;) {
      try {
        return await storeOnce(completion)
      } catch (fault) {
        if (performance.now() > until) throw fault
        await delay(RETRY_AFTER_MS)
      }
    }
  }
}
