import { pruneAudit } from '../audit/audit-store.ts'
import { pruneGenerations } from '../ai/generation-store.ts'
import { deleteOldFlows } from '../connect/connect-flow-store.ts'
import type { Media } from '../media/open-media.ts'
import { pruneMail } from '../mail/mail-store.ts'
import { sweepOrphans } from '../media/sweep-orphans.ts'
import { pruneSignIn } from '../people/session-store.ts'
import { pruneArtifacts } from '../oauth/artifact-store.ts'
import type { Db } from '../platform/db.ts'
import { pruneIdempotency } from '../platform/idempotency.ts'
import type { SealedKind } from '../platform/sealed-kind.ts'
import type { Keyring } from '../platform/sealing.ts'
import { pruneWorkers } from '../platform/worker-store.ts'
import { resealBatch } from '../secrets/reseal.ts'
import { sealedKinds } from '../secrets/sealed-kinds.ts'
import { pruneAttempts, pruneDeliveries, pruneEvents } from '../webhooks/retention-store.ts'
import { type HousekeepingTask, transactionTask } from './housekeeping.ts'

/** How many days each kind is kept. */
export type Retention = {
  readonly eventDays: number
  readonly deliveryDays: number
  readonly auditDays: number
  readonly idempotencyDays: number
}

const ROWS = 5_000
const SECRETS = 500
const WORKER_DAYS = 1

/** All that is done by time: what is past its retention is removed, and what an older secret key has sealed is sealed anew. */
export function housekeepingTasks(
  db: Db,
  keyring: Keyring,
  media: Pick<Media, 'storage' | 'tempFiles'>,
  { eventDays, deliveryDays, auditDays, idempotencyDays }: Retention,
): HousekeepingTask[] {
  const expiring = [
    { name: 'idempotency records', prune: pruneIdempotency, days: idempotencyDays },
    { name: 'generations', prune: pruneGenerations, days: idempotencyDays },
    { name: 'delivery attempts', prune: pruneAttempts, days: deliveryDays },
    { name: 'deliveries', prune: pruneDeliveries, days: deliveryDays },
    { name: 'events', prune: pruneEvents, days: eventDays },
    { name: 'audit entries', prune: pruneAudit, days: auditDays },
    { name: 'workers', prune: pruneWorkers, days: WORKER_DAYS },
  ]
  return [
    ...expiring.map(({ name, prune, days }) =>
      transactionTask(db, name, ROWS, (tx, limit) => prune(tx, days, limit)),
    ),
    transactionTask(db, 'sign-ins', ROWS, pruneSignIn),
    transactionTask(db, 'mail', ROWS, pruneMail),
    ...sealedKinds.map((kind) => resealTask(db, keyring, kind)),
    transactionTask(db, 'codes, tokens and unused clients of OAuth', ROWS, pruneArtifacts),
    transactionTask(db, 'flows of connecting', ROWS, deleteOldFlows),
    {
      name: 'media files without an item',
      batch: Infinity,
      run: (_, signal) => sweepOrphans(db, media, { signal }),
    },
  ]
}

/** Each run goes on behind the last, so that a damaged value is met once in a round. */
function resealTask(db: Db, keyring: Keyring, kind: SealedKind): HousekeepingTask {
  let after: string | null = null
  return transactionTask(db, `resealed: ${kind.name}`, SECRETS, async (tx, limit) => {
    const { count, last } = await resealBatch(tx, keyring, kind, { after, limit })
    after = last
    return last === null ? count : limit
  })
}
