import { v7 as uuidv7 } from 'uuid'
import { renewApproval, reviewedOf } from '../approvals/approval-store.ts'
import { isActive } from '../destinations/destination-commands.ts'
import { keepContent, replaceContent } from '../destinations/destination-store.ts'
import { newToken } from '../destinations/tokens.ts'
import { findMedia } from '../media/media-store.ts'
import { findChannels } from '../channels/channel-store.ts'
import type { Actor } from '../platform/actor.ts'
import type { Tx } from '../platform/db.ts'
import type { Refusal } from '../platform/refusal.ts'
import type { Providers } from '../providers/port.ts'
import { changedFields, planOf, type ContentEdit } from './content-edit.ts'
import { newParts, type PostsOptions } from './create-post.ts'
import { mediaIdsOf } from './plan.ts'
import { checkPlan } from './plan-issues.ts'
import { replacePost, type WholePost } from './post-store.ts'
import type { PostKey } from './read-post.ts'
import { refuseContent } from './refuse-plan.ts'

/** Why the content cannot be published as it would be after the edit: the check of a create. Null when it can. */
export async function refuseEdit(
  tx: Tx,
  workspaceId: string,
  edit: ContentEdit,
  providers: Providers,
): Promise<Refusal<'channel_unavailable' | 'post_not_publishable'> | null> {
  const plan = planOf(edit)
  const channelIds = plan.destinations.map(({ channelId }) => channelId)
  const { now, channels } = await findChannels(tx, workspaceId, channelIds)
  const media = await findMedia(tx, workspaceId, mediaIdsOf(plan))
  return refuseContent(checkPlan(plan, channels, providers, now, media).issues)
}

/**
 * Writes the edit of a post, and a new edit token with it. Destinations that are over keep, as theirs, the shared
 * content that they had. The locks on the post and on its destinations are the caller's.
 */
export async function writeEdit(
  tx: Tx,
  workspaceId: string,
  post: WholePost,
  edit: ContentEdit,
  { actor, askAgain }: { actor: Actor; askAgain: boolean },
): Promise<void> {
  const { postId } = post
  const { shared, destinations } = edit
  const fields = [...changedFields(post, edit), ...(askAgain ? ['reviewStatus'] : [])]
  const row = { postId, content: shared, editToken: newToken() }
  await replacePost(tx, workspaceId, row, { author: actor, fields })
  if (post.content !== null) {
    const over = post.destinations.filter((one) => !isActive(one.status) && one.content === null)
    const ids = over.map(({ destinationId }) => destinationId)
    if (ids.length > 0) await keepContent(tx, workspaceId, ids, post.content)
  }
  const rows = destinations.map(({ destination: { destinationId }, content, own, settings }) => ({
    ...{ destinationId, content: own, settings },
    parts: newParts(content),
  }))
  if (rows.length > 0) await replaceContent(tx, workspaceId, rows)
}

/** Asks a person again, about the content as it is now. */
export async function askAgain(
  tx: Tx,
  { workspaceId, postId }: PostKey,
  { approvalHours }: PostsOptions,
): Promise<void> {
  const reviewed = await reviewedOf(tx, workspaceId, postId)
  const request = { approvalId: uuidv7(), reviewed, ttlHours: approvalHours }
  await renewApproval(tx, { workspaceId, postId }, request)
}
