import { app, roleHas } from '@postrider/contract'
import { refuse, type Refusal } from '../../edge/operations/refusal.ts'
import { refuseWithout } from '../../edge/operations/refuse-without.ts'
import type { Caller } from '../../edge/operations/route.ts'
import type { Tx } from '../../platform/postgres/db.ts'
import { beginUndo, endRun, lockRun, type Run, type RunKey } from './bulk-run-store.ts'

/** Leaves what a run has not done so far. It waits for the post that is being done. */
export async function stopRun(tx: Tx, key: RunKey, caller: Ending): Promise<Refused | undefined> {
  const run = await lockRun(tx, key)
  if (run === null) return refuseRunId()
  const lacking = refuseLacking(run, caller)
  if (lacking !== null) return lacking
  if (run.endedAt !== null)
    return refuse('invalid_state', 'This has ended already.', { currentStatus: run.status })
  await endRun(tx, run, 'stopped')
  return undefined
}

/** Has a run take back what it has done, with the rights of whoever asks for it. */
export async function undoRun(tx: Tx, key: RunKey, caller: Ending): Promise<Refused | undefined> {
  const run = await lockRun(tx, key)
  if (run === null) return refuseRunId()
  const lacking = refuseLacking(run, caller)
  if (lacking !== null) return lacking
  const { action, status: currentStatus } = run
  if (!isReversible(action)) return refuse('invalid_state', IRREVERSIBLE, { currentStatus })
  if (currentStatus === 'undoing' || currentStatus === 'undone')
    return refuse('invalid_state', 'It is undone already.', { currentStatus })
  await beginUndo(tx, run, caller.member.id)
  return undefined
}

type Ending = Pick<Caller, 'member' | 'credential'>
type Refused = Refusal<'not_found' | 'invalid_state' | 'missing_permission'>

const IRREVERSIBLE = "Only a move or a decision can be undone. What is cancelled doesn't come back."

/** Whether what was done can be taken back. */
export function isReversible(action: app.BulkAction): boolean {
  return action === 'move' || action === 'approve' || action === 'reject'
}

/** A run is stopped and undone by whoever could begin it. */
function refuseLacking(
  { action }: Run,
  { member, credential }: Ending,
): Refusal<'missing_permission'> | null {
  const right = app.rightsOfBulk[action]
  return roleHas(member.role, right) ? null : refuseWithout(right, credential)
}

export function refuseRunId() {
  return refuse('not_found', 'Nothing with this ID was done in this workspace, or it is too long ago.')
}
