import type { app, Input, RefusalCode } from '@postrider/contract'
import type { Refusal } from '../../edge/operations/refusal.ts'
import type { Caller } from '../../edge/operations/route.ts'
import type { Tx } from '../../platform/postgres/db.ts'
import { uuidv7 } from '../../platform/text/uuid.ts'
import { refuseShape } from '../posts/plan/refuse-plan.ts'
import { postsOfRequests } from '../approvals/approval-store.ts'
import { insertRun, isDueWithin, type NewRun } from './bulk-run-store.ts'

type Operation = typeof app.startBulkRun

/** How long a cancel can still be stopped, since what is cancelled does not come back. */
const UNDO_MS = 10_000
/** How long before its time a post is cancelled at once: while its person could still stop that, it would be published. */
const SOON_MS = 60_000

/** Begins a run; its id. Whether each post can be changed is found out when its turn comes. */
export async function startRun(
  tx: Tx,
  { workspaceId, member }: Caller,
  body: Input<Operation>['body'],
): Promise<string | Refusal<RefusalCode<Operation>>> {
  const wrong = faultOf(body)
  if (wrong !== null) return wrong
  const { action, minutes = null, posts } = body
  const ids = posts.map(({ postId }) => postId)
  const cancels = action === 'cancel' || action === 'discard'
  const waits = cancels && !(await isDueWithin(tx, workspaceId, ids, UNDO_MS + SOON_MS))
  const runId = uuidv7()
  await insertRun(tx, {
    workspaceId,
    runId,
    memberId: member.id,
    action,
    minutes,
    note: null,
    items: posts.map(({ postId, editToken }) => ({ postId, token: editToken, approvalId: null })),
    delayMs: waits ? UNDO_MS : 0,
  })
  return runId
}

type Decisions = typeof app.decideApprovals

/** Begins a run that decides about requests; its id. Whether each can be decided is found out when its turn comes. */
export async function startDecisions(
  tx: Tx,
  { workspaceId, member }: Caller,
  { verdict, note, requests }: Input<Decisions>['body'],
): Promise<string | Refusal<RefusalCode<Decisions>>> {
  const posts = await postsOfRequests(
    tx,
    workspaceId,
    requests.map(({ approvalId }) => approvalId),
  )
  const items = new Map<string, NewRun['items'][number]>()
  for (const [place, { approvalId, digest }] of requests.entries()) {
    const pointer = `/requests/${place}/approvalId`
    const postId = posts.get(approvalId)
    if (postId === undefined) return refuseShape([{ pointer, code: 'unknown', detail: NO_REQUEST }])
    if (items.has(postId)) return refuseShape([{ pointer, code: 'duplicate', detail: TWICE }])
    items.set(postId, { postId, token: digest, approvalId })
  }
  const runId = uuidv7()
  await insertRun(tx, {
    workspaceId,
    runId,
    memberId: member.id,
    action: verdict,
    minutes: null,
    note: note?.trim() || null,
    items: [...items.values()],
    delayMs: 0,
  })
  return runId
}

const NO_REQUEST = 'Approval request not found in this workspace.'
const TWICE = 'The post is listed twice.'

function faultOf({ action, minutes, posts }: Input<Operation>['body']): Refusal<'validation_failed'> | null {
  const of = (pointer: string, code: string, detail: string) => refuseShape([{ pointer, code, detail }])
  if (action === 'move' && minutes === undefined)
    return of('/minutes', 'required', 'Say by how many `minutes` to move.')
  if (action === 'move' && minutes === 0) return of('/minutes', 'out_of_range', '`minutes` must not be zero.')
  if (action !== 'move' && minutes !== undefined)
    return of('/minutes', 'not_allowed', 'Send `minutes` for `move` alone.')
  const seen = new Set<string>()
  for (const [place, { postId }] of posts.entries()) {
    if (seen.has(postId)) return of(`/posts/${place}/postId`, 'duplicate', TWICE)
    seen.add(postId)
  }
  return null
}
