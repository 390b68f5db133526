import { pruneGenerations } from '../ai/generation-store.ts'
import type { Media } from '../media/open-media.ts'
import { sweepOrphans } from '../media/sweep-orphans.ts'
import type { Db } from '../platform/db.ts'
import { pruneIdempotency } from '../platform/idempotency.ts'
import { pruneWorkers } from '../platform/worker-store.ts'
import { pruneAttempts, pruneDeliveries, pruneEvents } from '../webhooks/retention-store.ts'
import { type HousekeepingTask, transactionTask } from './housekeeping.ts'

/** How many days each kind is kept. */
export type Retention = {
  readonly eventDays: number
  readonly deliveryDays: number
  readonly idempotencyDays: number
}

const ROWS = 5_000
const WORKER_DAYS = 1

/** All that is removed by time. */
export function housekeepingTasks(
  db: Db,
  media: Pick<Media, 'storage' | 'tempFiles'>,
  { eventDays, deliveryDays, idempotencyDays }: Retention,
): HousekeepingTask[] {
  const expiring = [
    { name: 'idempotency records', prune: pruneIdempotency, days: idempotencyDays },
    { name: 'generations', prune: pruneGenerations, days: idempotencyDays },
    { name: 'delivery attempts', prune: pruneAttempts, days: deliveryDays },
    { name: 'deliveries', prune: pruneDeliveries, days: deliveryDays },
    { name: 'events', prune: pruneEvents, days: eventDays },
    { name: 'workers', prune: pruneWorkers, days: WORKER_DAYS },
  ]
  return [
    ...expiring.map(({ name, prune, days }) =>
      transactionTask(db, name, ROWS, (tx, limit) => prune(tx, days, limit)),
    ),
    {
      name: 'media files without an item',
      batch: Infinity,
      run: (_, signal) => sweepOrphans(db, media, { signal }),
    },
  ]
}
