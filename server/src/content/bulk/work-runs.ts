import type { app, Post } from '@postrider/contract'
import { memberHolder } from '../../people/keys/member-holder.ts'
import { findWorkspace } from '../../people/members/workspace-store.ts'
import type { ActDetails, RecordAct } from '../../edge/operations/act.ts'
import { type Actor, actorIn, actorOf } from '../../edge/operations/actor.ts'
import { ChangedMeanwhile } from '../../edge/operations/changed-meanwhile.ts'
import { isRefusal, type Refusal, refuse } from '../../edge/operations/refusal.ts'
import { writeInTransaction } from '../../edge/operations/write-transaction.ts'
import { type Db, isDatabaseAway, type Tx } from '../../platform/postgres/db.ts'
import { startDueLoop } from '../../platform/loops/due-loop.ts'
import { cancelPost } from '../posts/command/cancel-post.ts'
import { movePostByClock, moveTo } from '../posts/command/move-post.ts'
import { requestApproval } from '../posts/create/request-approval.ts'
import type { ViewOptions } from '../posts/views.ts'
import type { Providers } from '../../networks/providers/port/port.ts'
import {
  type DueRun,
  endRun,
  findDueRuns,
  type Item,
  lockDueRun,
  nextItem,
  nextLookInMs,
  noteItem,
  type Run,
  scheduledTimes,
} from './bulk-run-store.ts'

export type BulkParts = {
  readonly db: Db
  readonly providers: Providers
  readonly baseUrl: string
  readonly recordAct: RecordAct
  readonly onFault: (fault: unknown, run: DueRun) => void
}

/** The longest time until a new run is seen: its person waits for it. */
const POLL_EVERY_MS = 1_000
const RETRY_MS = 5_000
const AT_ONCE = 20

/** Does the posts of runs. Any number of processes may do so at once: each run is one's at a time. */
export function startBulkRunLoop(
  parts: BulkParts,
  onError: (error: unknown) => void,
): { stop: () => Promise<void> } {
  const stopping = new AbortController()
  const loop = startDueLoop({
    async claim() {
      const inMs = await nextLookInMs(parts.db)
      if (inMs === 0) await workRuns(parts, stopping.signal)
      return inMs === 0 ? null : inMs
    },
    maxWaitMs: POLL_EVERY_MS,
    retryAfterMs: RETRY_MS,
    onError,
  })
  return {
    stop() {
      stopping.abort()
      return loop.stop()
    },
  }
}

/** Does what is due of all runs, a post of each after the other, until nothing is left. */
export async function workRuns(parts: BulkParts, signal = new AbortController().signal): Promise<void> {
  for (;;) {
    let handled = 0
    for (const run of await findDueRuns(parts.db, AT_ONCE)) {
      if (signal.aborted) return
      if (await workOne(parts, run)) handled += 1
    }
    // What is left is another process's, or changed meanwhile.
    if (handled === 0) return
  }
}

/** Does one post of a run, and says whether anything was done. */
export async function workOne(parts: BulkParts, due: DueRun): Promise<boolean> {
  let begun: Item | null = null
  try {
    const outcome = await writeInTransaction(parts.db, (tx) =>
      doNext(parts, tx, due, (item) => (begun = item)),
    )
    if (!isRefusal(outcome)) return outcome
    return await noteRefusal(parts.db, due, begun, outcome)
  } catch (fault) {
    if (fault instanceof ChangedMeanwhile) return false
    if (isDatabaseAway(fault)) throw fault
    parts.onFault(fault, due)
    return noteRefusal(parts.db, due, begun, INTERNAL)
  }
}

const INTERNAL = refuse('internal_error', 'Something failed on the server. The post was not changed.')

/**
 * In one transaction: the effect, its audit entry and the note of it, so that a run acts once however often it is killed. A refusal
 * rolls it back. The locks are taken in the order of a request: the member first, then the run, then the post.
 */
async function doNext(
  parts: BulkParts,
  tx: Tx,
  due: DueRun,
  begin: (item: Item) => void,
): Promise<boolean | Refusal> {
  const caller = await memberHolder(tx, due.workspaceId, due.memberId)
  await caller?.hold?.(tx)
  const run = await lockDueRun(tx, due)
  if (run === null || run.memberId !== due.memberId) return false
  if (caller === null || !caller.credential.permissions.includes('posts:write')) {
    await endRun(tx, run, 'stopped', NO_RIGHT)
    return true
  }
  const item = await nextItem(tx, run)
  if (item === null) {
    await endRun(tx, run, run.status === 'undoing' ? 'undone' : 'done')
    return true
  }
  begin(item)
  const { editToken, before } = item
  const had = run.action === 'move' && run.status === 'running' ? await scheduledTimes(tx, run, item) : before
  let said: ActDetails = {}
  const { providers, baseUrl, recordAct } = parts
  const options = { providers, baseUrl, say: (details: ActDetails) => (said = details) }
  const post = await act(tx, run, { ...item, editToken }, { actor: actorOf(caller), options })
  if (isRefusal(post)) return post
  await recordAct(tx, {
    ...said,
    workspaceId: run.workspaceId,
    actor: actorIn(caller),
    action: ACTS[run.action],
    subject: { postId: item.postId, runId: run.runId },
    address: null,
    requestId: null,
  })
  const status = run.status === 'undoing' ? 'undone' : 'done'
  await noteItem(tx, run, item.place, { status, editToken: post.editToken, before: had })
  return true
}

const NO_RIGHT = 'The member who started it can no longer change posts.'

/** What stands in the audit log for each post: the command that does the same for one. */
const ACTS = {
  move: 'movePost',
  submit: 'appRequestApproval',
  cancel: 'appCancelDestination',
  discard: 'appCancelDestination',
} as const satisfies Record<app.BulkAction, string>

/** Does to a post what its run is about, by the use case of the command that does so for one. */
async function act(
  tx: Tx,
  { workspaceId, action, status, minutes }: Run,
  { postId, editToken, before }: Item,
  { actor, options }: { actor: Actor; options: ViewOptions },
): Promise<Post | Refusal> {
  const key = { workspaceId, postId }
  if (status === 'undoing') {
    const timeOf = new Map(Object.entries(before ?? {}).map(([id, at]) => [id, new Date(at)]))
    return moveTo(tx, key, { editToken, timeOf }, actor, options)
  }
  if (action === 'submit') return requestApproval(tx, key, editToken, actor, options)
  if (action === 'cancel') return cancelPost(tx, key, { editToken, only: 'planned' }, actor, options)
  if (action === 'discard') return cancelPost(tx, key, { editToken, only: 'drafts' }, actor, options)
  const timeZone = (await findWorkspace(tx, workspaceId))?.timeZone ?? 'UTC'
  return movePostByClock(tx, key, { editToken, minutes: minutes ?? 0, timeZone }, actor, options)
}

/** Notes why a post was not changed, unless somebody has ended the run meanwhile or another process was faster. */
async function noteRefusal(
  db: Db,
  due: DueRun,
  item: Item | null,
  { refused: code, detail }: Refusal,
): Promise<boolean> {
  if (item === null) return false
  return writeInTransaction(db, async (tx) => {
    const run = await lockDueRun(tx, due)
    if (run === null) return false
    const status = run.status === 'undoing' ? 'kept' : 'refused'
    await noteItem(tx, run, item.place, { status, refusal: { code, detail } })
    return true
  })
}
