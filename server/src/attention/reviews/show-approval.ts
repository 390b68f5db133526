import {
  findPrevious,
  lockApproval,
  type PreviousRequest,
  type ReviewedDestination,
  reviewedOf,
  type ApprovalRequest,
} from '../../content/approvals/approval-store.ts'
import { contentDigest } from '../../content/approvals/approval.ts'
import { findMedia, type MediaRow } from '../../media/media-store.ts'
import { type ChannelRow, findChannels } from '../../networks/channels/channel-store.ts'
import type { Tx } from '../../platform/postgres/db.ts'
import { creatorOf } from '../../content/posts/post-store.ts'
import { obstacleToUndo } from './undo-decision.ts'

/** A request for approval with all that a person needs in order to decide about it. */
export type ShownApproval = {
  readonly request: ApprovalRequest
  readonly askedBy: string
  /** Names what would be published now. */
  readonly digest: Buffer
  /** Whether that is what the request was about. */
  readonly unchanged: boolean
  /** The request before it, which says what changed since. */
  readonly previous: PreviousRequest | null
  /** Why its decision cannot be taken back; null when it can. */
  readonly obstacleToUndo: string | null
  /** The media of all parts, now and before. */
  readonly mediaItems: ReadonlyMap<string, MediaRow>
  readonly destinations: readonly (ReviewedDestination & { readonly channel: ChannelRow | null })[]
}

/** One transaction, so that request and content are of the same moment; null when the workspace has none such. */
export async function showApproval(
  tx: Tx,
  workspaceId: string,
  approvalId: string,
): Promise<ShownApproval | null> {
  const request = await lockApproval(tx, workspaceId, approvalId)
  if (request === null) return null
  const { postId } = request
  const reviewed = await reviewedOf(tx, workspaceId, postId)
  const ids = reviewed.map(({ channelId }) => channelId)
  const { channels } = await findChannels(tx, workspaceId, ids)
  const digest = contentDigest(reviewed)
  const previous = await findPrevious(tx, request)
  const mediaIds = [...reviewed, ...(previous?.content ?? [])].flatMap(({ media }) => media.flat())
  return {
    request,
    askedBy: await creatorOf(tx, workspaceId, postId),
    digest,
    unchanged: digest.equals(request.digest),
    previous,
    obstacleToUndo: await obstacleToUndo(tx, request),
    mediaItems: await findMedia(tx, workspaceId, [...new Set(mediaIds)]),
    destinations: reviewed.map((one) => ({ ...one, channel: channels.get(one.channelId) ?? null })),
  }
}
