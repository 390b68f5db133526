import type { MediaKind, ReviewStatus } from '@postrider/contract'
import type { DestinationStatus } from '@postrider/contract/names'
import { reviewStatusColumn } from '../approvals/approval-store.ts'
import { inDoubt } from '../../engine/destinations/in-doubt.ts'
import { mediaColumns, type MediaRow } from '../../media/media-store.ts'
import type { Fragment, Sql, Tx } from '../../platform/postgres/db.ts'

/** Which media item, and whose it has to be. */
export type MediaKey = { readonly workspaceId: string; readonly mediaId: string }

/** The latest posts of the workspace that carry a media item in any part, the newest first. */
export async function postsWithMedia(
  sql: Sql,
  { workspaceId, mediaId }: MediaKey,
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

export type LibraryFilter = {
  readonly workspaceId: string
  /** Within the alt text, in any case; empty for all. */
  readonly words: string
  readonly kind: MediaKind | null
  /** Whether a post carries it; null for both. */
  readonly used: boolean | null
  /** The last item of the page before; null for the first page. */
  readonly before: string | null
}

/** Items of the workspace, newest first, each with whether a post carries it, or is to. */
export async function searchMedia(
  sql: Sql,
  { workspaceId, words, kind, used, before }: LibraryFilter,
  limit: number,
): Promise<(MediaRow & { used: boolean })[]> {
  const isUsed = isCarried(sql, sql`m.workspace_id`, sql`m.id`)
  return sql<(MediaRow & { used: boolean })[]>`
    select ${mediaColumns(sql)}, ${isUsed} as used
    from   media_item m
    where  m.workspace_id = ${workspaceId}
    ${words === '' ? sql`` : sql`and strpos(lower(m.alt_text), lower(${words})) > 0`}
    ${kind === null ? sql`` : sql`and m.kind = ${kind}`}
    ${used === null ? sql`` : used ? sql`and ${isUsed}` : sql`and not ${isUsed}`}
    ${before === null ? sql`` : sql`and m.id < ${before}`}
    order  by m.id desc
    limit  ${limit}`
}

/** One place in which a media item stands: a post on a channel. */
export type MediaUse = {
  readonly postId: string
  readonly channelId: string
  readonly status: DestinationStatus
  readonly publishAt: Date | null
  /** Whether it is published there, in part or whole, or may be. */
  readonly isOut: boolean
  readonly review: ReviewStatus
  /** Those of the post. */
  readonly labels: readonly string[]
}

/**
 * Where a media item stands, with those posts and their destinations locked until the end of the transaction, in the order of an
 * edit. The item is locked before, so that no place is added.
 */
export async function lockMediaUses(tx: Tx, { workspaceId, mediaId }: MediaKey): Promise<MediaUse[]> {
  const using = tx`array(
    select d.post_id
    from   part t
    join   destination d on d.workspace_id = t.workspace_id and d.id = t.destination_id
    where  t.workspace_id = ${workspaceId} and t.media_ids @> array[${mediaId}::uuid] and t.media_ids <> '{}')`
  const lockingPosts = tx`
    select from post where workspace_id = ${workspaceId} and id = any(${using}) order by id for no key update`
  const lockingDestinations = tx`
    select from destination where workspace_id = ${workspaceId} and post_id = any(${using}) order by id for no key update`
  const reading = tx<MediaUse[]>`
    select d.post_id as "postId", d.channel_id as "channelId", d.status, d.publish_at as "publishAt",
           (d.status in ('publishing', 'partially_published', 'published', 'checking') or ${inDoubt(tx)} or exists (
             select from part o
             where  o.workspace_id = d.workspace_id and o.destination_id = d.id and o.status = 'published')) as "isOut",
           ${reviewStatusColumn(tx)} as review, p.labels
    from   destination d
    join   post p on p.workspace_id = d.workspace_id and p.id = d.post_id
    where  d.workspace_id = ${workspaceId} and exists (
      select from part t
      where  t.workspace_id = d.workspace_id and t.destination_id = d.id
      and    t.media_ids @> array[${mediaId}::uuid] and t.media_ids <> '{}')
    and    d.post_id = any(${using})
    order  by d.post_id, d.id`
  const [, , uses] = await Promise.all([lockingPosts, lockingDestinations, reading])
  return uses
}

/** Whether any post carries a media item, or is to as an occurrence of a series or by a template. */
export async function isMediaUsed(sql: Sql, { workspaceId, mediaId }: MediaKey): Promise<boolean> {
  const [row] = await sql<{ used: boolean }[]>`
    select ${isCarried(sql, sql`${workspaceId}`, sql`${mediaId}::uuid`)} as used`
  return row?.used ?? false
}

/** Whether a post carries an item, or is to as an occurrence of a series or by a template. */
function isCarried(sql: Sql, workspaceId: Fragment, mediaId: Fragment) {
  return sql`
    (exists (
      select from part t
      where  t.workspace_id = ${workspaceId} and t.media_ids @> array[${mediaId}] and t.media_ids <> '{}')
    or exists (
      select from series s
      where  s.workspace_id = ${workspaceId} and s.media_ids @> array[${mediaId}] and s.media_ids <> '{}'
      and    s.status <> 'ended')
    or exists (
      select from template e
      where  e.workspace_id = ${workspaceId} and e.media_ids @> array[${mediaId}] and e.media_ids <> '{}'))`
}
