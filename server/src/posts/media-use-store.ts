import type { Sql } from '../platform/db.ts'

/** The latest posts of the workspace that carry a media item in any part, the newest first. */
export async function postsWithMedia(
  sql: Sql,
  { workspaceId, mediaId }: { workspaceId: string; mediaId: string },
  limit: number,
): Promise<{ postId: string; text: string }[]> {
  return sql<{ postId: string; text: string }[]>`
    select p.id as "postId", first.text
    from   post p
    cross  join lateral (
      select t.text
      from   destination d
      join   part t on t.workspace_id = d.workspace_id and t.destination_id = d.id and t.index = 0
      where  d.workspace_id = p.workspace_id and d.post_id = p.id
      order  by d.id
      limit  1) first
    where  p.workspace_id = ${workspaceId} and p.id in (
      select d.post_id
      from   part t
      join   destination d on d.workspace_id = t.workspace_id and d.id = t.destination_id
      where  t.workspace_id = ${workspaceId} and t.media_ids @> array[${mediaId}::uuid] and t.media_ids <> '{}')
    order  by p.id desc
    limit  ${limit}`
}
