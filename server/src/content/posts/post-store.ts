import type { Content } from '@postrider/contract'
import { type FirstApproval, insertApproval, latestApproval } from '../approvals/approval-store.ts'
import type { Approval } from '../approvals/approval.ts'
import {
  destinationsJson,
  insertDestinations,
  type DestinationRow,
  type NewDestination,
} from '../../engine/destinations/destination-store.ts'
import { freshToken } from '../../engine/destinations/tokens.ts'
import type { MediaJson, MediaRow } from '../../media/media-store.ts'
import { changedBy, latestChangeJson, type Author, type LatestChange } from '../../edge/operations/actor.ts'
import type { Sql, Tx } from '../../platform/postgres/db.ts'
import type { Repeated } from './create/plan-issues.ts'
import { insertLabels } from './label-store.ts'
import { insertSearch } from './search-store.ts'

export type PostRow = {
  readonly workspaceId: string
  readonly postId: string
  /** The client's own name for it; null for none. */
  readonly reference: string | null
  readonly labels: readonly string[]
  /** Null when each destination has its own. */
  readonly content: Content | null
  readonly editToken: string
  readonly createdBy: Author & { readonly id: string | null }
  readonly createdAt: Date
  readonly updatedAt: Date
}

export type NewPost = Omit<PostRow, 'updatedAt'> & {
  /** The key or grant that creates it; null for a person. */
  readonly createdById: string | null
  readonly destinations: readonly NewDestination[]
  readonly approval: FirstApproval | null
}

/**
 * Inserts a post with its destinations, their parts, what it is found by and the request for approval, with the commit.
 * The caller announces them.
 */
export function insertPost(tx: Tx, post: NewPost): void {
  const content = post.content === null ? null : tx.json(post.content)
  const part = tx`
    new_post as (
      insert into post (workspace_id, id, content, edit_token, created_by_type, created_by_name, created_by_id,
                        created_at, updated_at, reference, labels)
      values (${post.workspaceId}, ${post.postId}, ${content}, ${post.editToken}, ${post.createdBy.type},
              ${post.createdBy.name}, ${post.createdById}, ${post.createdAt}, ${post.createdAt},
              ${post.reference}, ${[...post.labels]})
    ),
    ${insertDestinations(tx, post, post.destinations)},
    ${insertSearch(tx, post, post.destinations)}`
  tx.deferPart('new_post', part)
  if (post.labels.length > 0) tx.deferPart('new_labels', tx`new_labels as (${insertLabels(tx, [post])})`)
  if (post.approval !== null) tx.deferPart('new_approval', insertApproval(tx, post, post.approval))
}

/** A post with all that belongs to it. */
export type WholePost = PostRow & {
  /** The latest request for approval. */
  readonly approval: Approval | null
  readonly destinations: readonly DestinationRow[]
  /** What its parts carry, by id. */
  readonly media: ReadonlyMap<string, MediaJson | MediaRow>
  /** Of its content, its review or a time. */
  readonly latestChange: LatestChange | null
  /** The database's time when it was read. */
  readonly now: Date
}

/**
 * Reads a post in one statement and so in one snapshot: a token always stands beside the content and the status that
 * it guards. Null when the workspace has no such post.
 */
export async function findPost(sql: Sql, workspaceId: string, postId: string): Promise<WholePost | null> {
  const [row] = await sql<FoundPost[]>`
    select ${wholePost(sql)}
    from   post p
    left   join lateral (${latestApproval(sql)}) a on true
    where  p.workspace_id = ${workspaceId} and p.id = ${postId}`
  return row === undefined ? null : asWhole(row)
}

/** The same for several, in their order. */
export async function findPosts(
  sql: Sql,
  workspaceId: string,
  postIds: readonly string[],
): Promise<WholePost[]> {
  const rows = await sql<FoundPost[]>`
    select ${wholePost(sql)}
    from   post p
    left   join lateral (${latestApproval(sql)}) a on true
    where  p.workspace_id = ${workspaceId} and p.id = any(${[...postIds]}::uuid[])`
  const found = new Map(rows.map((row) => [row.postId, row]))
  return postIds.flatMap((id) => found.get(id) ?? []).map(asWhole)
}

type FoundPost = Omit<WholePost, 'approval' | 'media'> & (Approval | { approvalId: null })

function wholePost(sql: Sql) {
  return sql`
    p.workspace_id as "workspaceId", p.id as "postId", p.reference, p.labels, p.content, p.edit_token as "editToken",
    json_build_object('type', p.created_by_type, 'id', p.created_by_id, 'name', p.created_by_name) as "createdBy",
    p.created_at as "createdAt", p.updated_at as "updatedAt", a.*, ${destinationsJson(sql)} as destinations,
    ${latestChangeJson(sql, 'p')} as "latestChange", clock_timestamp() as now`
}

function asWhole(row: FoundPost): WholePost {
  return {
    ...row,
    approval: row.approvalId === null ? null : row,
    media: new Map(row.destinations.flatMap(mediaOf).map((item) => [item.mediaId, item])),
  }
}

function mediaOf({ parts }: DestinationRow): MediaJson[] {
  return parts.flatMap(({ media }) => media ?? [])
}

/** The workspace that has a post; null when none has. For people at the server, and never for a caller of the API. */
export async function workspaceOfPost(sql: Sql, postId: string): Promise<string | null> {
  const [row] = await sql<
    { workspaceId: string }[]
  >`select workspace_id as "workspaceId" from post where id = ${postId}`
  return row?.workspaceId ?? null
}

/** The post of a reference; null for none. Creates with one reference wait for each other here, so that only the first is one. */
export async function claimReference(
  tx: Tx,
  workspaceId: string,
  reference: string | undefined,
): Promise<{ postId: string } | null> {
  if (reference === undefined) return null
  // Sent together, in this order: what is read is what a create before this one has committed.
  const [, [post]] = await Promise.all([
    tx`select pg_advisory_xact_lock(hashtextextended(${`${workspaceId} ${reference}`}, 0))`,
    tx<{ postId: string }[]>`
      select id as "postId" from post where workspace_id = ${workspaceId} and reference collate "C" = ${reference}`,
  ])
  return post ?? null
}

/** Who created a post, by name. */
export async function creatorOf(sql: Sql, workspaceId: string, postId: string): Promise<string> {
  const [row] = await sql<{ name: string }[]>`
    select created_by_name as name from post where workspace_id = ${workspaceId} and id = ${postId}`
  return row?.name ?? 'nobody'
}

/** The ids of the channels of a post, as an array. */
export function channelIdsOfPost(sql: Sql, workspaceId: string, postId: string) {
  return sql`array(select channel_id from destination where workspace_id = ${workspaceId} and post_id = ${postId})`
}

/** Locks a post against other edits and against decisions until the transaction ends. */
export async function lockPost(tx: Tx, workspaceId: string, postId: string): Promise<void> {
  await tx`select from post where workspace_id = ${workspaceId} and id = ${postId} for no key update`
}

/** The same for several, in one order. */
export async function lockPosts(tx: Tx, workspaceId: string, postIds: readonly string[]): Promise<void> {
  await tx`
    select from post
    where  workspace_id = ${workspaceId} and id = any(${[...postIds]}::uuid[])
    order  by id
    for    no key update`
}

/**
 * Locks the post that a request is about against edits and other decisions until the transaction ends; null when the
 * workspace has no such request. Comes before the locks of its destinations and of the request, as in an edit.
 */
export async function lockReviewedPost(
  tx: Tx,
  workspaceId: string,
  approvalId: string,
): Promise<string | null> {
  const [row] = await tx<{ postId: string }[]>`
    select id as "postId"
    from   post
    where  workspace_id = ${workspaceId}
    and    id = (select post_id from approval where workspace_id = ${workspaceId} and id = ${approvalId})
    for    no key update`
  return row?.postId ?? null
}

/**
 * Gives posts other edit tokens, since their review or a time of theirs was changed. Locks a post as `lockPost` does; the locks on
 * several are the caller's.
 */
export async function renewEditTokens(
  tx: Tx,
  workspaceId: string,
  postIds: readonly string[],
  author: Author,
  changed: readonly ('reviewStatus' | 'status' | 'publishAt')[],
): Promise<void> {
  if (postIds.length === 0) return
  await tx`
    update post
    set    edit_token = ${freshToken(tx)}, updated_at = now(), ${changedBy(tx, author)}, changed = ${[...changed]}
    where  workspace_id = ${workspaceId} and id = any(${[...postIds]}::uuid[])`
}

/** A common table expression that replaces the shared content and the edit token. The lock is the caller's. */
export function replacePost(
  tx: Tx,
  workspaceId: string,
  { postId, content, editToken, updatedAt }: Pick<PostRow, 'postId' | 'content' | 'editToken' | 'updatedAt'>,
  { author, fields }: { author: Author; fields: readonly string[] },
) {
  return tx`
    changed_post as (
      update post
      set    content = ${content === null ? null : tx.json(content)}, edit_token = ${editToken}, updated_at = ${updatedAt},
             ${changedBy(tx, author, updatedAt)}, changed = ${[...fields]}
      where  workspace_id = ${workspaceId} and id = ${postId}
    )`
}

type RepeatedScope = {
  readonly workspaceId: string
  readonly exceptPostId?: string | null | undefined
  readonly exceptSeriesId?: string | null
}

/**
 * What says one of these texts on one of these channels within 24 hours before or after a time: published, or on its
 * way to be.
 */
export async function findRepeated(
  sql: Sql,
  { workspaceId, exceptPostId = null, exceptSeriesId = null }: RepeatedScope,
  planned: readonly { channelId: string; text: string; at: Date }[],
): Promise<Repeated[]> {
  return sql<Repeated[]>`
    select d.channel_id as "channelId", p.text, coalesce(d.published_at, d.publish_at) as at
    from   destination d
    join   part p on p.workspace_id = d.workspace_id and p.destination_id = d.id and p.index = 0
    join   unnest(${planned.map(({ channelId }) => channelId)}::uuid[], ${planned.map(({ text }) => text)}::text[],
                  ${planned.map(({ at }) => at)}::timestamptz[])
             as planned (channel_id, text, at) on planned.channel_id = d.channel_id and planned.text = p.text
    where  d.workspace_id = ${workspaceId} and d.status not in ('draft', 'failed', 'cancelled', 'expired')
    and    (${exceptPostId}::uuid is null or d.post_id <> ${exceptPostId}::uuid)
    and    (${exceptSeriesId}::uuid is null or d.series_id is distinct from ${exceptSeriesId}::uuid)
    and    d.publish_at between planned.at - interval '24 hours' and planned.at + interval '24 hours'
    order  by 3 desc`
}
