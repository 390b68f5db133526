import {
  type ApprovalRequest,
  isLatest,
  lockApproval,
  reopen,
  reviewedOf,
} from '../../content/approvals/approval-store.ts'
import { approvalRequested, contentDigest } from '../../content/approvals/approval.ts'
import { lockDestinations, withdraw } from '../../engine/destinations/destination-store.ts'
import { refuse, type Refusal } from '../../edge/operations/refusal.ts'
import { announce } from '../../engine/outbox/outbox-store.ts'
import type { DestinationStatus } from '@postrider/contract'
import type { Sql, Tx } from '../../platform/postgres/db.ts'
import { isPast } from '../../platform/text/instant.ts'
import { lockReviewedPost, renewEditTokens } from '../../content/posts/post-store.ts'
import { noSuchRequest } from './decide-approval.ts'

export type Undo = {
  readonly workspaceId: string
  readonly approvalId: string
  readonly memberName: string
  readonly baseUrl: string
}

/**
 * Takes a decision back: the request is open again, and what its approval scheduled is a draft again that keeps its time. The
 * destinations are locked, so that none of them is claimed meanwhile: it is undone as a whole, or not at all. The locks are
 * taken in the order of an edit: post, destinations, request.
 */
export async function undoDecision(
  tx: Tx,
  { workspaceId, approvalId, memberName, baseUrl }: Undo,
): Promise<ApprovalRequest | Refusal<'not_found' | 'invalid_state'>> {
  const postId = await lockReviewedPost(tx, workspaceId, approvalId)
  if (postId === null) return noSuchRequest()
  const destinations = await lockDestinations(tx, workspaceId, postId)
  const request = await lockApproval(tx, workspaceId, approvalId)
  if (request === null) return noSuchRequest()
  const obstacle = await obstacleToUndo(tx, request)
  if (obstacle !== null) return refuse('invalid_state', obstacle, { currentStatus: request.status })

  const by = { type: 'person', name: memberName, credentialId: null } as const
  const planned = destinations.filter(({ status }) => status === 'scheduled')
  await withdraw(
    tx,
    { workspaceId, postId },
    planned.map(({ destinationId }) => destinationId),
    by,
  )
  await renewEditTokens(tx, workspaceId, [postId], by, ['reviewStatus'])
  const at = await reopen(tx, request)
  const channelIds = destinations.map(({ channelId }) => channelId)
  const about = { workspaceId, postId, channelIds, by, at }
  await announce(tx, [approvalRequested(about, request, baseUrl)])
  return request
}

/** Statuses in which nothing of a destination has begun. */
const untouched: readonly DestinationStatus[] = ['draft', 'scheduled', 'cancelled', 'expired']

/** Why the decision stays as it is; null when it can be taken back. */
export async function obstacleToUndo(sql: Sql, request: ApprovalRequest): Promise<string | null> {
  const { workspaceId, postId, status } = request
  if (status !== 'approved' && status !== 'rejected') return 'This request has no decision to undo.'
  if (!(await isLatest(sql, request))) return 'There is a newer request for this post.'
  if (await isPast(sql, request.expiresAt)) return 'The time to decide about this request is over.'
  const reviewed = await reviewedOf(sql, workspaceId, postId)
  if (!contentDigest(reviewed).equals(request.digest)) return 'The post was changed after the decision.'
  if (reviewed.some((one) => !untouched.includes(one.status))) return 'Publishing has started.'
  const awaited = status === 'approved' ? 'scheduled' : 'draft'
  return reviewed.some((one) => one.status === awaited)
    ? null
    : 'The post is no longer scheduled on any channel.'
}
