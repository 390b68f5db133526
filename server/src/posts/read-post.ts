import type { Post } from '@postrider/contract'
import { destinationsOf } from '../destinations/destination-store.ts'
import { mediaOfPost } from '../media/media-store.ts'
import type { Sql } from '../platform/db.ts'
import { refuse, type Refusal } from '../platform/refusal.ts'
import { findPost } from './post-store.ts'
import { viewPost } from './views.ts'

/** Reads a post with its destinations. One of another workspace is refused as one that does not exist. */
export async function readPost(
  sql: Sql,
  { workspaceId, postId }: { workspaceId: string; postId: string },
  baseUrl: string,
): Promise<Post | Refusal<'not_found'>> {
  const [found, destinations, media] = await Promise.all([
    findPost(sql, workspaceId, postId),
    destinationsOf(sql, workspaceId, [postId]),
    mediaOfPost(sql, workspaceId, postId),
  ])
  if (found === null) return refuse('not_found', 'There is no post under this id in this workspace.')
  return viewPost(found.post, { destinations, approval: found.approval, media }, baseUrl)
}
