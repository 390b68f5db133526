import { refuse, type Refusal } from '../../edge/operations/refusal.ts'
import type { Caller } from '../../edge/operations/route.ts'
import type { Tx } from '../../platform/postgres/db.ts'
import { beginUndo, endRun, lockRun, type RunKey } from './bulk-run-store.ts'

/** Leaves what a run has not done so far. It waits for the post that is being done. */
export async function stopRun(
  tx: Tx,
  key: RunKey,
): Promise<Refusal<'not_found' | 'invalid_state'> | undefined> {
  const run = await lockRun(tx, key)
  if (run === null) return refuseRunId()
  if (run.endedAt !== null)
    return refuse('invalid_state', 'This has ended already.', { currentStatus: run.status })
  await endRun(tx, run, 'stopped')
  return undefined
}

/** Has a run move back what it has moved, with the rights of whoever asks for it. */
export async function undoRun(
  tx: Tx,
  key: RunKey,
  { member }: Pick<Caller, 'member'>,
): Promise<Refusal<'not_found' | 'invalid_state'> | undefined> {
  const run = await lockRun(tx, key)
  if (run === null) return refuseRunId()
  const { action, status: currentStatus } = run
  if (action !== 'move')
    return refuse('invalid_state', "Only a move can be undone. What is cancelled doesn't come back.", {
      currentStatus,
    })
  if (currentStatus === 'undoing' || currentStatus === 'undone')
    return refuse('invalid_state', 'It is undone already.', { currentStatus })
  await beginUndo(tx, run, member.id)
  return undefined
}

export function refuseRunId() {
  return refuse('not_found', 'Nothing with this ID was done in this workspace, or it is too long ago.')
}
