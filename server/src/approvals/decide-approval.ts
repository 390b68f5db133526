import { moves } from '../destinations/destination-states.ts'
import { lockDestinations, scheduleApproved } from '../destinations/destination-store.ts'
import { announce } from '../outbox/outbox-store.ts'
import type { Tx } from '../platform/db.ts'
import {
  lockApproval,
  lockReviewedPost,
  recordDecision,
  reviewedOf,
  type ApprovalRequest,
} from './approval-store.ts'
import { contentDigest } from './approval.ts'

export type Decision = {
  readonly workspaceId: string
  readonly approvalId: string
  readonly verdict: 'approve' | 'reject'
  /** The person who decides: never an agent's credential. */
  readonly memberId: string
  readonly memberName: string
  readonly note: string | null
  /** The digest of what they saw; left out by whoever decides about the request as it was made. */
  readonly seen?: Buffer
}

export type Decided =
  | { readonly done: true; readonly request: ApprovalRequest }
  /**
   * `closed`: decided, superseded or expired before; `changed`: the content is not what the request was about;
   * `cancelled`: nothing of the post is left to publish, so there is nothing to decide.
   */
  | {
      readonly done: false
      readonly why: 'not_found' | 'closed' | 'changed' | 'cancelled'
      readonly request: ApprovalRequest | null
    }

/**
 * A person decides about a post, once. Approved content is scheduled for now; the approval counts only for exactly
 * the content that was asked about. Rejected content stays a draft. The locks are taken in the order of an edit:
 * post, destinations, request.
 */
export async function decideApproval(tx: Tx, decision: Decision): Promise<Decided> {
  const { workspaceId, approvalId, verdict, memberId, memberName, note, seen } = decision
  const postId = await lockReviewedPost(tx, workspaceId, approvalId)
  if (postId === null) return { done: false, why: 'not_found', request: null }
  const destinations = await lockDestinations(tx, workspaceId, postId)
  const request = await lockApproval(tx, workspaceId, approvalId)
  if (request === null) return { done: false, why: 'not_found', request }
  const draftLeft = destinations.some(({ status }) => moves.schedule.from.some((from) => from === status))
  const isUndecided = request.status === 'pending' || request.status === 'superseded'
  if (isUndecided && !draftLeft) return { done: false, why: 'cancelled', request }
  if (request.status !== 'pending') return { done: false, why: 'closed', request }

  const approved = verdict === 'approve'
  const present = contentDigest(await reviewedOf(tx, workspaceId, postId))
  const bound = seen ?? (approved ? request.digest : present)
  if (!present.equals(bound) || (approved && !present.equals(request.digest)))
    return { done: false, why: 'changed', request }

  const by = { type: 'person', name: memberName } as const
  await recordDecision(tx, request, { status: approved ? 'approved' : 'rejected', memberId, by, note })
  if (approved) await announce(tx, await scheduleApproved(tx, workspaceId, postId, by))
  return { done: true, request }
}
