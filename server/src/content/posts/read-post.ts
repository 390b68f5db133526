import type { Post } from '@postrider/contract'
import { isActive } from '../../engine/destinations/destination-commands.ts'
import { lockDestinations } from '../../engine/destinations/destination-store.ts'
import type { Actor } from '../../edge/operations/actor.ts'
import { refuseHidden, seesAll, seesPost } from '../../edge/operations/credential-limits.ts'
import type { Caller, RefuseRepeat } from '../../edge/operations/route.ts'
import type { Sql, Tx } from '../../platform/postgres/db.ts'
import { refuse, type Refusal } from '../../edge/operations/refusal.ts'
import { findPost, lockPost, type WholePost } from './post-store.ts'
import { viewPost, type ViewOptions } from './views.ts'

/** Which post, and whose it has to be. */
export type PostKey = { readonly workspaceId: string; readonly postId: string }

/** Reads a post with its destinations. One of another workspace is refused as one that does not exist. */
export async function readPost(
  sql: Sql,
  { workspaceId, postId }: PostKey,
  reader: Actor,
  options: ViewOptions,
): Promise<Post | Refusal<'not_found'>> {
  const post = await findVisiblePost(sql, { workspaceId, postId }, reader)
  return post === null ? refusePostId() : viewPost(post, reader, options)
}

/** The post, where the workspace has it and the reader sees it. */
export async function findVisiblePost(
  sql: Sql,
  { workspaceId, postId }: PostKey,
  { limits }: Pick<Actor, 'limits'>,
): Promise<WholePost | null> {
  const post = await findPost(sql, workspaceId, postId)
  const channelIds = post?.destinations.map(({ channelId }) => channelId) ?? []
  return post !== null && seesPost(limits, { channelIds, labels: post.labels }) ? post : null
}

/** The same, locked with all its destinations until the transaction ends: post first, then destinations. */
export async function lockWholePost(
  tx: Tx,
  key: PostKey,
  actor: Pick<Actor, 'limits'>,
): Promise<WholePost | null> {
  // Sent together, in this order: what is read is what the locks guard.
  const [, , post] = await Promise.all([
    lockPost(tx, key.workspaceId, key.postId),
    lockDestinations(tx, key.workspaceId, key.postId),
    findVisiblePost(tx, key, actor),
  ])
  return post
}

/** The post as one status: that of the first destination that is not over. */
export function standingOf({ destinations, latestChange }: WholePost) {
  const status = (destinations.find((one) => isActive(one.status)) ?? destinations[0])?.status ?? 'draft'
  return { latestChange, status }
}

/** A repeat of a command is answered as the command is: about a post that the caller does not see, as about none. */
export const refuseRepeatedCommand: RefuseRepeat<{
  readonly params: { readonly postId: string }
}> = async ({ params: { postId } }, { caller, sql }) =>
  (await isSeen(sql, caller, postId)) ? null : refusePostId()

/** A repeat of a create of what the caller does not see. */
export const refuseRepeatedCreate: RefuseRepeat<{
  readonly answer: { readonly postId: string }
}> = async ({ answer: { postId } }, { caller, sql }) =>
  (await isSeen(sql, caller, postId)) ? null : refuseHidden(caller.credential.limits)

/** Whether a post of the caller's workspace is one that they see. */
export async function isSeen(
  sql: Sql,
  { workspaceId, credential }: Pick<Caller, 'workspaceId' | 'credential'>,
  postId: string,
): Promise<boolean> {
  return (
    seesAll(credential.limits) || (await findVisiblePost(sql, { workspaceId, postId }, credential)) !== null
  )
}

export function refusePostId(): Refusal<'not_found'> {
  return refuse('not_found', 'Post not found in this workspace.')
}

/** The post as it stands at the end of a transaction that has changed it. */
export async function readChanged(
  sql: Sql,
  { workspaceId, postId }: PostKey,
  reader: Actor,
  options: ViewOptions,
): Promise<Post> {
  const post = await findPost(sql, workspaceId, postId)
  if (post === null) throw new Error('a post vanished under its lock')
  return viewPost(post, reader, options)
}
