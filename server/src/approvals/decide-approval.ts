import { scheduleApproved } from '../destinations/destination-store.ts'
import { announce } from '../outbox/outbox-store.ts'
import type { Tx } from '../platform/db.ts'
import { lockApproval, recordDecision, reviewedOf, type ApprovalRequest } from './approval-store.ts'
import { contentDigest } from './approval.ts'

export type Decision = {
  readonly workspaceId: string
  readonly approvalId: string
  readonly verdict: 'approve' | 'reject'
  /** The person who decides: never an agent's credential. */
  readonly memberId: string
  readonly note: string | null
}

export type Decided =
  | { readonly done: true; readonly request: ApprovalRequest }
  /** `closed`: decided, superseded or expired before; `changed`: the content is not what the request was about. */
  | {
      readonly done: false
      readonly why: 'not_found' | 'closed' | 'changed'
      readonly request: ApprovalRequest | null
    }

/**
 * A person decides about a post, once. Approved content is scheduled for now; the approval counts only for exactly
 * the content that was asked about. Rejected content stays a draft.
 */
export async function decideApproval(tx: Tx, decision: Decision): Promise<Decided> {
  const { workspaceId, approvalId, verdict, memberId, note } = decision
  const request = await lockApproval(tx, workspaceId, approvalId)
  if (request === null) return { done: false, why: 'not_found', request }
  if (request.status !== 'pending') return { done: false, why: 'closed', request }

  const present = contentDigest(await reviewedOf(tx, workspaceId, request.postId))
  if (verdict === 'approve' && !present.equals(request.digest))
    return { done: false, why: 'changed', request }

  await recordDecision(tx, request, {
    status: verdict === 'approve' ? 'approved' : 'rejected',
    memberId,
    note,
  })
  if (verdict === 'approve') await announce(tx, await scheduleApproved(tx, workspaceId, request.postId))
  return { done: true, request }
}
