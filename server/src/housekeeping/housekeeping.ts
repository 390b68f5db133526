import { pruneGenerations } from '../ai/generation-store.ts'
import type { Db } from '../platform/db.ts'
import { pruneIdempotency } from '../platform/idempotency.ts'

const HOUR_MS = 3_600_000
const AT_ONCE = 5_000

/** Removes what is past its time, now and every hour. Any number of processes may do so at once. */
export function keepHouse(
  db: Db,
  { idempotencyDays, sweep }: { idempotencyDays: number; sweep: () => Promise<unknown> },
  onError: (error: unknown) => void,
): { stop(): Promise<void> } {
  const stopping = new AbortController()
  async function clean(): Promise<void> {
    try {
      await sweep()
      for (const prune of [pruneIdempotency, pruneGenerations]) {
        while (!stopping.signal.aborted && (await prune(db, idempotencyDays, AT_ONCE)) === AT_ONCE);
      }
    } catch (error) {
      onError(error)
    }
  }

  let cleaning = clean()
  const timer = setInterval(() => (cleaning = clean()), HOUR_MS).unref()
  return {
    stop() {
      stopping.abort()
      clearInterval(timer)
      return cleaning
    },
  }
}
