import { pruneGenerations } from '../../content/ai/generation-store.ts'
import { pruneApprovals } from '../../content/approvals/approval-store.ts'
import { pruneAudit } from '../../people/audit/audit-store.ts'
import { pruneRuns } from '../../content/bulk/bulk-run-store.ts'
import { deleteOldFlows } from '../../accounts/connect/connect-flow-store.ts'
import { pruneInvitations } from '../../people/members/invitation-store.ts'
import { pruneMail } from '../../people/mail/mail-store.ts'
import { type SweepParts, sweepStorage } from '../../media/sweep-storage.ts'
import { LEFT_AFTER_MS, type TempFiles } from '../../media/temp-files.ts'
import { pruneArtifacts } from '../../people/apps/artifact-store.ts'
import { pruneLinks } from '../../people/sign-in/link/link-store.ts'
import { pruneSignIn } from '../../people/sign-in/session/session-store.ts'
import { pruneNotices } from '../../attention/notices/notice-store.ts'
import type { VersionEnd } from '../../networks/channels/version-ends.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { pruneRateCounts } from '../../edge/api/http/rate-count-store.ts'
import { pruneIdempotency } from '../../edge/operations/idempotency.ts'
import type { SealedKind } from '../../platform/sealing/sealed-kind.ts'
import type { Keyring } from '../../platform/sealing/sealing.ts'
import { pruneWorkers } from '../../platform/postgres/worker-store.ts'
import { pruneAttempts } from '../../engine/queue/attempt-retention-store.ts'
import { pruneLeftovers } from '../../engine/queue/leftover-store.ts'
import { resealBatch } from '../secrets/reseal.ts'
import { sealedKinds } from '../secrets/sealed-kinds.ts'
import {
  pruneDeliveries,
  pruneDeliveryAttempts,
  pruneEndpoints,
  pruneEvents,
} from '../../engine/webhooks/delivery-retention-store.ts'
import { type HousekeepingTask, transactionTask } from './housekeeping.ts'

/** How many days each kind is kept. */
export type Retention = {
  readonly eventDays: number
  readonly deliveryDays: number
  readonly attemptDays: number
  readonly auditDays: number
  readonly idempotencyDays: number
}

const ROWS = 5_000
const SECRETS = 500
const WORKER_DAYS = 1
const LINK_DAYS = 30
const RUN_DAYS = 30

/** All that is done by time: what is past its retention is removed, and what an older secret key has sealed is re-sealed. */
export function housekeepingTasks(
  db: Db,
  keyring: Keyring,
  media: Omit<SweepParts, 'db'> & { readonly tempFiles: TempFiles },
  { eventDays, deliveryDays, attemptDays, auditDays, idempotencyDays }: Retention,
  ends: readonly VersionEnd[],
): HousekeepingTask[] {
  const expiring = [
    { name: 'idempotency records', prune: pruneIdempotency, days: idempotencyDays },
    { name: 'generations', prune: pruneGenerations, days: idempotencyDays },
    { name: 'delivery attempts', prune: pruneDeliveryAttempts, days: deliveryDays },
    { name: 'deliveries', prune: pruneDeliveries, days: deliveryDays },
    { name: 'events', prune: pruneEvents, days: eventDays },
    { name: 'attempts', prune: pruneAttempts, days: attemptDays },
    { name: 'leftovers at networks', prune: pruneLeftovers, days: attemptDays },
    { name: 'replaced requests for approval', prune: pruneApprovals, days: auditDays },
    { name: 'audit entries', prune: pruneAudit, days: auditDays },
    { name: 'links', prune: pruneLinks, days: LINK_DAYS },
    { name: 'invitations', prune: pruneInvitations, days: LINK_DAYS },
    { name: 'workers', prune: pruneWorkers, days: WORKER_DAYS },
    { name: 'bulk runs', prune: pruneRuns, days: RUN_DAYS },
  ]
  return [
    ...expiring.map(({ name, prune, days }) =>
      transactionTask(db, name, ROWS, (tx, limit) => prune(tx, days, limit)),
    ),
    transactionTask(db, 'sign-ins', ROWS, pruneSignIn),
    transactionTask(db, 'mail', ROWS, pruneMail),
    transactionTask(db, 'notices', ROWS, (tx, limit) => pruneNotices(tx, limit, ends)),
    transactionTask(db, 'counts of requests', ROWS, pruneRateCounts),
    transactionTask(db, 'deleted endpoints', ROWS, pruneEndpoints),
    ...sealedKinds.map((kind) => resealTask(db, keyring, kind)),
    transactionTask(db, 'codes, tokens and unused clients of OAuth', ROWS, pruneArtifacts),
    transactionTask(db, 'flows of connecting', ROWS, deleteOldFlows),
    // The limit is no batch of theirs: each has its own.
    { name: 'media files in transit', batch: Infinity, run: () => media.tempFiles.sweep(LEFT_AFTER_MS) },
    {
      name: 'media files without an item',
      batch: Infinity,
      run: (_, signal) => sweepStorage({ db, ...media }, signal),
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
