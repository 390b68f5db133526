import { approvedNames, type Content, type DestinationStatus } from '@postrider/contract'
import type { Sql, Tx } from '../../platform/postgres/db.ts'
import {
  APPROVAL_DAYS,
  approvedFields,
  type ApprovalStatus,
  contentDigest,
  type Reviewed,
  reviewedContent,
} from './approval.ts'

export type NewApproval = {
  readonly approvalId: string
  /** What would be published where. */
  readonly reviewed: readonly Reviewed[]
}

/** A request that is made together with its post. */
export type FirstApproval = NewApproval & {
  readonly requestedAt: Date
  readonly expiresAt: Date
}

/** A common table expression that asks for approval of a post, for the statement that inserts the post. */
export function insertApproval(
  tx: Tx,
  { workspaceId, postId }: { workspaceId: string; postId: string },
  { approvalId, reviewed, requestedAt, expiresAt }: FirstApproval,
) {
  return tx`
    new_approval as (
      insert into approval (workspace_id, id, post_id, content_digest, content, requested_at, expires_at)
      values (${workspaceId}, ${approvalId}, ${postId}, ${contentDigest(reviewed)}, ${tx.json(reviewedContent(reviewed))},
              ${requestedAt}, ${expiresAt})
    )`
}

/** The latest approval of a `post p`, as `a`, for a lateral join; a pending one whose time is over has expired. */
export function latestApproval(sql: Sql) {
  return sql`
    select a.id as "approvalId",
           case when a.status = 'pending' and a.expires_at <= now() then 'expired' else a.status end as status,
           a.requested_at as "requestedAt", a.expires_at as "expiresAt", a.decided_at as "decidedAt", a.note
    from   approval a
    where  a.workspace_id = p.workspace_id and a.post_id = p.id
    order  by a.seq desc
    limit  1`
}

/**
 * A common table expression with the status of the latest approval of each post of a `page (id)`, where it has any. Few have, so
 * that all are looked for at once. A pending one whose time is over has expired.
 */
export function latestStatuses(sql: Sql, workspaceId: string) {
  return sql`
    latest_approval as materialized (
      select distinct on (a.post_id) a.post_id,
             case when a.status = 'pending' and a.expires_at <= now() then 'expired' else a.status end as status
      from   approval a
      where  a.workspace_id = ${workspaceId} and a.post_id = any(array(select id from page))
      order  by a.post_id, a.seq desc
    )`
}

/** The review status of a `post p`: in SQL what `reviewStatusOf` says of its latest request. */
export function reviewStatusColumn(sql: Sql) {
  return sql`
    coalesce((
      select case when a.status = 'pending' and a.expires_at > now() then 'pending'
                  when a.status = 'approved' then 'approved'
                  else 'rejected' end
      from   approval a
      where  a.workspace_id = p.workspace_id and a.post_id = p.id
      order  by a.seq desc
      limit  1), 'not_required')`
}

/** What would be published on one channel, and when; null for now. */
export type ReviewedDestination = Reviewed & {
  readonly status: DestinationStatus
  readonly publishAt: Date | null
}

/**
 * What would be published where: the destinations of a post as they are stored, cancelled ones included. So a
 * destination cancelled while a person decides takes nothing from the decision: what is left was seen.
 */
export async function reviewedOf(
  sql: Sql,
  workspaceId: string,
  postId: string,
): Promise<ReviewedDestination[]> {
  const rows = await sql<(ReviewedDestination & { content?: Content | null })[]>`
    select d.channel_id as "channelId", d.settings, d.status, d.publish_at as "publishAt",
           array(
             select p.text from part p
             where  p.workspace_id = d.workspace_id and p.destination_id = d.id
             order  by p.index) as parts,
           coalesce((
             select jsonb_agg(p.media_ids order by p.index) from part p
             where  p.workspace_id = d.workspace_id and p.destination_id = d.id), '[]') as media,
           -- As an aggregate: what exists is looked up by hashing the whole table.
           coalesce((
             select bool_or(p.first_comment) from part p
             where  p.workspace_id = d.workspace_id and p.destination_id = d.id), false) as "firstComment"
           ${approvedNames.length === 0 ? sql`` : contentColumn(sql)}
    from   destination d
    where  d.workspace_id = ${workspaceId} and d.post_id = ${postId}
    order  by d.id`
  return approvedNames.length === 0
    ? rows
    : rows.map(({ content = null, ...row }) => ({ ...row, fields: approvedFields(content) }))
}

function contentColumn(sql: Sql) {
  return sql`, coalesce(d.content, (
    select w.content from post w where w.workspace_id = d.workspace_id and w.id = d.post_id)) as content`
}

/** Closes the open requests about posts, as superseded. */
export async function supersedeRequests(
  tx: Tx,
  posts: readonly { readonly workspaceId: string; readonly postId: string }[],
): Promise<void> {
  await tx`
    update approval a
    set    status = 'superseded'
    from   (select distinct * from unnest(${posts.map(({ workspaceId }) => workspaceId)}::uuid[],
                                          ${posts.map(({ postId }) => postId)}::uuid[])) as asked (workspace_id, post_id)
    where  a.workspace_id = asked.workspace_id and a.post_id = asked.post_id and a.status = 'pending'`
}

/** Asks again, for changed content; an earlier request that is still open is superseded. Says until when it is open. */
export async function renewApproval(
  tx: Tx,
  { workspaceId, postId }: { workspaceId: string; postId: string },
  { approvalId, reviewed }: NewApproval,
): Promise<{ requestedAt: Date; expiresAt: Date }> {
  await tx`
    update approval set status = 'superseded'
    where  workspace_id = ${workspaceId} and post_id = ${postId} and status = 'pending'`
  const [request] = await tx<[{ requestedAt: Date; expiresAt: Date }]>`
    insert into approval (workspace_id, id, post_id, content_digest, content, expires_at)
    values (${workspaceId}, ${approvalId}, ${postId}, ${contentDigest(reviewed)}, ${tx.json(reviewedContent(reviewed))},
            now() + ${APPROVAL_DAYS} * interval '1 day')
    returning requested_at as "requestedAt", expires_at as "expiresAt"`
  return request
}

export type ApprovalRequest = {
  readonly approvalId: string
  readonly workspaceId: string
  readonly postId: string
  readonly digest: Buffer
  readonly status: ApprovalStatus
  readonly requestedAt: Date
  readonly expiresAt: Date
  readonly decidedAt: Date | null
  readonly decidedBy: string | null
  readonly note: string | null
  /** The first words that were asked about, or those of the post where they were not kept. */
  readonly text: string
  /** When the first of it is published, or was; null where something of it has no time. */
  readonly publishAt: Date | null
  /** How many other times its channels have. */
  readonly moreTimes: number
}

/** A request that came before another one of the same post, with what it was about. */
export type PreviousRequest = ApprovalRequest & { readonly content: readonly Reviewed[] }

/** The latest request before this one; null for none, or for one whose content was not kept. */
export async function findPrevious(
  sql: Sql,
  { workspaceId, postId, approvalId }: ApprovalRequest,
): Promise<PreviousRequest | null> {
  const [row] = await sql<(PreviousRequest & { content: PreviousRequest['content'] | null })[]>`
    select ${requestColumns(sql)}, a.content
    from   approval a
    where  a.workspace_id = ${workspaceId} and a.post_id = ${postId}
    and    a.seq < (select seq from approval where workspace_id = ${workspaceId} and id = ${approvalId})
    order  by a.seq desc
    limit  1`
  return row === undefined || row.content === null ? null : row
}

function requestColumns(sql: Sql) {
  return sql`
    a.id as "approvalId", a.workspace_id as "workspaceId", a.post_id as "postId", a.content_digest as digest,
    case when a.status = 'pending' and a.expires_at <= now() then 'expired' else a.status end as status,
    a.requested_at as "requestedAt", a.expires_at as "expiresAt", a.decided_at as "decidedAt",
    (select p.name from member m join person p on p.id = m.person_id
     where  m.workspace_id = a.workspace_id and m.id = a.decided_by) as "decidedBy", a.note,
    coalesce(left(coalesce(a.content -> 0 -> 'parts' ->> 0, (
      select p.text from destination d join part p on p.workspace_id = d.workspace_id and p.destination_id = d.id
      where  d.workspace_id = a.workspace_id and d.post_id = a.post_id
      order  by d.id, p.index
      limit  1)), 280), '') as text,
    (select nullif(min(coalesce(d.publish_at, '-infinity')), '-infinity') from destination d
     where  d.workspace_id = a.workspace_id and d.post_id = a.post_id and d.filed_as <> 'cancelled') as "publishAt",
    (select greatest(count(distinct coalesce(d.publish_at, '-infinity'))::int - 1, 0) from destination d
     where  d.workspace_id = a.workspace_id and d.post_id = a.post_id and d.filed_as <> 'cancelled') as "moreTimes"`
}

/** The requests that wait for a person and still have a draft to publish, the oldest first; with `all`, every request. */
export async function listApprovals(
  sql: Sql,
  workspaceId: string,
  { all }: { all: boolean },
): Promise<ApprovalRequest[]> {
  return sql<ApprovalRequest[]>`
    select ${requestColumns(sql)}
    from   approval a
    where  a.workspace_id = ${workspaceId}
    and    (${all} or (a.status = 'pending' and a.expires_at > now() and exists (
             select from destination d
             where  d.workspace_id = a.workspace_id and d.post_id = a.post_id and d.filed_as = 'draft')))
    order  by a.seq`
}

/** The posts that requests of a workspace are about, by the ids of these. */
export async function postsOfRequests(
  sql: Sql,
  workspaceId: string,
  approvalIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await sql<{ approvalId: string; postId: string }[]>`
    select id as "approvalId", post_id as "postId" from approval
    where  workspace_id = ${workspaceId} and id = any(${[...approvalIds]}::uuid[])`
  return new Map(rows.map(({ approvalId, postId }) => [approvalId, postId]))
}

/** The workspace that has a request; null when none has. For people at the server, and never for a caller of the API. */
export async function workspaceOfApproval(sql: Sql, approvalId: string): Promise<string | null> {
  const [row] = await sql<{ workspaceId: string }[]>`
    select workspace_id as "workspaceId" from approval where id = ${approvalId}`
  return row?.workspaceId ?? null
}

/** One request, locked until the transaction ends; null when the workspace has none such. */
export async function lockApproval(
  tx: Tx,
  workspaceId: string,
  approvalId: string,
): Promise<ApprovalRequest | null> {
  const [row] = await tx<ApprovalRequest[]>`
    select ${requestColumns(tx)}
    from   approval a
    where  a.workspace_id = ${workspaceId} and a.id = ${approvalId}
    for    no key update of a`
  return row ?? null
}

/** Writes the decision, and says when. The locks are the caller's. */
export async function recordDecision(
  tx: Tx,
  { workspaceId, approvalId }: ApprovalRequest,
  { status, memberId, note }: { status: 'approved' | 'rejected'; memberId: string; note: string | null },
): Promise<Date> {
  const [row] = await tx<[{ decidedAt: Date }]>`
    update approval
    set    status = ${status}, decided_at = now(), decided_by = ${memberId}, note = ${note}
    where  workspace_id = ${workspaceId} and id = ${approvalId}
    returning decided_at as "decidedAt"`
  return row.decidedAt
}

/** Whether this is the last request of its post. */
export async function isLatest(
  sql: Sql,
  { workspaceId, postId, approvalId }: ApprovalRequest,
): Promise<boolean> {
  const [last] = await sql<{ id: string }[]>`
    select id from approval where workspace_id = ${workspaceId} and post_id = ${postId} order by seq desc limit 1`
  return last?.id === approvalId
}

/** Takes the decision away, and says when: the request is open again, until its old end. The locks are the caller's. */
export async function reopen(tx: Tx, { workspaceId, approvalId }: ApprovalRequest): Promise<Date> {
  const [row] = await tx<[{ at: Date }]>`
    update approval
    set    status = 'pending', decided_at = null, decided_by = null, note = null, announced_at = null
    where  workspace_id = ${workspaceId} and id = ${approvalId}
    returning now() as at`
  return row.at
}

/** Of each workspace with open requests, a word that is another one as soon as others are open. */
export async function openRequestsOf(
  sql: Sql,
  workspaceIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await sql<{ workspaceId: string; word: string }[]>`
    select workspace_id as "workspaceId", md5(string_agg(id::text, ' ' order by seq)) as word
    from   approval
    where  workspace_id = any(${[...workspaceIds]}::uuid[]) and status = 'pending' and expires_at > now()
    group  by workspace_id`
  return new Map(rows.map(({ workspaceId, word }) => [workspaceId, word]))
}

/** Takes the workspaces with open requests that nobody was to be told of so far, and notes that they are; at most so many requests. */
export async function takeUnannounced(
  tx: Tx,
  limit: number,
): Promise<{ workspaceIds: string[]; taken: number }> {
  const taken = await tx<{ workspaceId: string }[]>`
    update approval a
    set    announced_at = now()
    where  (a.workspace_id, a.id) in (
      select workspace_id, id from approval
      where  status = 'pending' and announced_at is null and expires_at > now()
      order  by expires_at
      limit  ${limit}
      for    no key update skip locked)
    returning a.workspace_id as "workspaceId"`
  return { workspaceIds: [...new Set(taken.map(({ workspaceId }) => workspaceId))], taken: taken.length }
}

/**
 * Removes at most `limit` requests that were made more than `days` ago and that a later one has replaced; says how many.
 * The latest of each post stays: it tells how the post stands.
 */
export async function pruneApprovals(sql: Sql, days: number, limit: number): Promise<number> {
  const { count } = await sql`
    delete from approval
    where  ctid = any (array(
      select a.ctid
      from   approval a
      where  a.requested_at < now() - ${days} * interval '1 day' and a.status <> 'pending'
      and    exists (
        select from approval later
        where  later.workspace_id = a.workspace_id and later.post_id = a.post_id and later.seq > a.seq)
      limit  ${limit}))`
  return count
}
