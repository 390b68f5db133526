import { lockAllSlots } from '../../../engine/destinations/queue-slot-store.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import type { Caller } from '../../../edge/operations/route.ts'
import { countCreate } from '../create/limit-posts.ts'

/**
 * For creates in one transaction: where one of them takes a posting time, those of all channels are locked, in the order of a
 * create alone. Each row would lock its own otherwise, and two batches with the channels in different orders would end in a deadlock.
 * The rows are as they were sent.
 */
export async function lockForRows(tx: Tx, caller: Caller, rows: readonly unknown[]): Promise<void> {
  if (!rows.some(takesSlot)) return
  await countCreate(tx, caller)
  await lockAllSlots(tx, caller.workspaceId)
}

function takesSlot(row: unknown): boolean {
  const { publishAt, targets } = fieldsOf(row)
  const times = [
    publishAt,
    ...(Array.isArray(targets) ? targets.map((one) => fieldsOf(one)['publishAt']) : []),
  ]
  return times.some((time) => 'queue' in fieldsOf(time))
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
