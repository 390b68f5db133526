import { app, type Post, roleHas } from '@postrider/contract'
import { memberHolder } from '../../people/keys/member-holder.ts'
import { findWorkspace } from '../../people/members/workspace-store.ts'
import type { ActDetails, RecordAct } from '../../edge/operations/act.ts'
import { type Actor, actorIn, actorOf } from '../../edge/operations/actor.ts'
import { ChangedMeanwhile } from '../../edge/operations/changed-meanwhile.ts'
import { isRefusal, type Refusal, refuse } from '../../edge/operations/refusal.ts'
import type { Caller } from '../../edge/operations/route.ts'
import { writeInTransaction } from '../../edge/operations/write-transaction.ts'
import { databaseTrouble, type Db, type Tx } from '../../platform/postgres/db.ts'
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
  /** Decides about a request, as its member would. */
  readonly decide: (
    tx: Tx,
    decision: {
      readonly workspaceId: string
      readonly approvalId: string
      readonly verdict: 'approve' | 'reject'
      readonly memberId: string
      readonly memberName: string
      readonly note: string | null
      /** The digest of what they have seen. */
      readonly seen: Buffer
    },
  ) => Promise<object | Refusal>
  /** Takes a decision back, and gives what it was. */
  readonly undecide: (
    tx: Tx,
    undo: {
      readonly workspaceId: string
      readonly approvalId: string
      readonly memberName: string
      readonly baseUrl: string
    },
  ) => Promise<{ readonly status: string } | Refusal>
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
    if (databaseTrouble(fault) !== null) throw fault
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
  const right = app.rightsOfBulk[run.action]
  if (caller === null || !roleHas(caller.member.role, right)) {
    await endRun(tx, run, 'stopped', NO_RIGHT[right])
    return true
  }
  const item = await nextItem(tx, run)
  if (item === null) {
    await endRun(tx, run, run.status === 'undoing' ? 'undone' : 'done')
    return true
  }
  begin(item)
  const { approvalId, before } = item
  const had = run.action === 'move' && run.status === 'running' ? await scheduledTimes(tx, run, item) : before
  let said: ActDetails = {}
  const say = (details: ActDetails) => (said = details)
  const token = await act(parts, tx, run, item, { caller, say })
  if (isRefusal(token)) return token
  const undoes = run.status === 'undoing'
  await parts.recordAct(tx, {
    ...said,
    workspaceId: run.workspaceId,
    actor: actorIn(caller),
    action: undoes ? UNDOING_ACTS[run.action] : ACTS[run.action],
    subject: {
      postId: item.postId,
      runId: run.runId,
      ...(approvalId === null ? {} : { approvalId }),
    },
    address: null,
    requestId: null,
  })
  await noteItem(tx, run, item.place, { status: undoes ? 'undone' : 'done', token, before: had })
  return true
}

const NO_RIGHT = {
  'posts:write': 'The member who started it can no longer change posts.',
  'approvals:decide': 'The member who started it can no longer approve or reject posts.',
} as const

/** What stands in the audit log for each post: the command that does the same for one. */
const ACTS = {
  move: 'movePost',
  submit: 'appRequestApproval',
  cancel: 'appCancelDestination',
  discard: 'appCancelDestination',
  approve: 'decideApproval',
  reject: 'decideApproval',
} as const satisfies Record<app.BulkAction, string>
const UNDOING_ACTS = { ...ACTS, approve: 'undoDecision', reject: 'undoDecision' } as const

type By = { readonly caller: Caller; readonly say: (details: ActDetails) => void }

/** Does to a post what its run is about, by the use case of the command that does so for one; what its member has seen by then. */
async function act(parts: BulkParts, tx: Tx, run: Run, item: Item, by: By): Promise<string | Refusal> {
  if (item.approvalId !== null) return decide(parts, tx, run, { ...item, approvalId: item.approvalId }, by)
  const { providers, baseUrl } = parts
  const post = await change(tx, run, item, {
    actor: actorOf(by.caller),
    options: { providers, baseUrl, say: by.say },
  })
  return isRefusal(post) ? post : post.editToken
}

/** Decides about a request, or takes the decision back: each is bound to the request itself, so that no token changes. */
async function decide(
  { decide: decideOne, undecide, baseUrl }: BulkParts,
  tx: Tx,
  { workspaceId, action, status, note }: Run,
  { approvalId, token }: Item & { readonly approvalId: string },
  { caller: { member }, say }: By,
): Promise<string | Refusal> {
  const about = { workspaceId, approvalId, memberName: member.name }
  if (status === 'undoing') {
    const undone = await undecide(tx, { ...about, baseUrl })
    if (isRefusal(undone)) return undone
    say({ before: { status: undone.status }, after: { status: 'pending' } })
    return token
  }
  const verdict = action === 'approve' ? 'approve' : 'reject'
  const seen = Buffer.from(token, 'hex')
  const decided = await decideOne(tx, { ...about, verdict, memberId: member.id, note, seen })
  if (isRefusal(decided)) return decided
  say({ after: { verdict, note } })
  return token
}

async function change(
  tx: Tx,
  { workspaceId, action, status, minutes }: Run,
  { postId, token: editToken, before }: Item,
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
