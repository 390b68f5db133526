import {
  lockApproval,
  recordDecision,
  reviewedOf,
  type ApprovalRequest,
} from '../../content/approvals/approval-store.ts'
import { contentDigest } from '../../content/approvals/approval.ts'
import { moves } from '../../engine/destinations/destination-states.ts'
import { lockDestinations, scheduleApproved } from '../../engine/destinations/destination-store.ts'
import { refuse, type Refusal } from '../../edge/operations/refusal.ts'
import { announce } from '../../engine/outbox/outbox-store.ts'
import type { Tx } from '../../platform/postgres/db.ts'
import { lockReviewedPost, renewEditTokens } from '../../content/posts/post-store.ts'

export type Decision = {
  readonly workspaceId: string
  readonly approvalId: string
  readonly verdict: 'approve' | 'reject'
  /** The person who decides: never an agent's credential. */
  readonly memberId: string
  readonly memberName: string
  readonly note: string | null
  /** The digest of what they saw; left out in a decision about the request as it was made. */
  readonly seen?: Buffer
}

/**
 * A person decides about a post, once. Approved content is scheduled for now; the approval counts only for exactly
 * the content that was asked about. Rejected content stays a draft. The locks are taken in the order of an edit:
 * post, destinations, request.
 */
export async function decideApproval(
  tx: Tx,
  decision: Decision,
): Promise<ApprovalRequest | Refusal<'not_found' | 'invalid_state'>> {
  const { workspaceId, approvalId, verdict, memberId, memberName, note, seen } = decision
  const postId = await lockReviewedPost(tx, workspaceId, approvalId)
  if (postId === null) return noSuchRequest()
  const destinations = await lockDestinations(tx, workspaceId, postId)
  const request = await lockApproval(tx, workspaceId, approvalId)
  if (request === null) return noSuchRequest()
  const draftLeft = destinations.some(({ status }) => moves.schedule.from.some((from) => from === status))
  const isUndecided = request.status === 'pending' || request.status === 'superseded'
  if (isUndecided && !draftLeft) return nothingLeft()
  if (request.status !== 'pending') return closed(request)

  const approved = verdict === 'approve'
  const present = contentDigest(await reviewedOf(tx, workspaceId, postId))
  const bound = seen ?? (approved ? request.digest : present)
  if (!present.equals(bound) || (approved && !present.equals(request.digest))) return changed(decision)

  const by = { type: 'person', name: memberName } as const
  const status: 'approved' | 'rejected' = approved ? 'approved' : 'rejected'
  const [, at] = await Promise.all([
    renewEditTokens(tx, workspaceId, [postId], by, ['reviewStatus']),
    recordDecision(tx, request, { status, memberId, note }),
  ])
  const scheduled = approved ? await scheduleApproved(tx, workspaceId, postId, by) : []
  const channelIds = destinations.map(({ channelId }) => channelId)
  const approval = { status, ...(note === null ? {} : { note }) } as const
  const decided = { workspaceId, postId, channelIds, by, at, type: 'approval.decided', approval } as const
  await announce(tx, [decided, ...scheduled])
  return request
}

export function noSuchRequest() {
  return refuse('not_found', 'Approval request not found in this workspace.')
}

function nothingLeft() {
  return refuse('invalid_state', 'This post was cancelled or has expired.')
}

function closed({ status }: ApprovalRequest) {
  return refuse('invalid_state', 'This request is closed: it was decided, replaced or has expired.', {
    currentStatus: status,
  })
}

function changed({ seen }: Decision) {
  const detail =
    seen === undefined
      ? 'This post changed after the request. Editing it creates a new request.'
      : 'This post changed after you opened it. Review it again.'
  return refuse('invalid_state', detail)
}
