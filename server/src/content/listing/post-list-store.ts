import type { DestinationStatus } from '@postrider/contract'
import { latestApproval, latestStatuses } from '../approvals/approval-store.ts'
import type { ApprovalStatus } from '../approvals/approval.ts'
import { settled } from '../../engine/destinations/destination-states.ts'
import type { Fragment, Sql } from '../../platform/postgres/db.ts'
import { conditionsOn, type DestinationFilter, haveLabels, type PageFilter } from './post-filter-store.ts'
import { newestPosts } from './post-page-store.ts'
import { type SearchLimits, searchPage, usualSearchLimits } from './post-search-store.ts'

/** What a list needs of a post. `text` is cut: long enough for an excerpt that ends on a whole character. */
export type SummaryRow = {
  readonly postId: string
  readonly reference: string | null
  readonly labels: readonly string[]
  readonly text: string
  readonly imageId: string | null
  readonly approvalStatus: ApprovalStatus | null
  readonly publishAt: Date | null
  readonly destinations: readonly SummarizedDestination[]
  readonly editToken: string
  readonly createdAt: Date
  readonly updatedAt: Date
}

type SummarizedDestination = {
  readonly channelId: string
  readonly provider: string
  readonly status: DestinationStatus
  readonly publishAt: Date | null
  readonly releaseUrl: string | null
  readonly controlToken: string
}

/** A post on one channel, as the list reads it: `text` is that of the post, or of this destination where none is shared. */
type ListedRow = Omit<SummaryRow, 'publishAt' | 'destinations'> & SummarizedDestination

export type CalendarRow = {
  readonly postId: string
  readonly channelId: string
  readonly provider: string
  readonly status: DestinationStatus
  readonly publishAt: Date | null
  readonly publishedAt: Date | null
  readonly text: string
  readonly imageId: string | null
  readonly releaseUrl: string | null
  readonly approvalStatus: ApprovalStatus | null
  readonly editToken: string
  readonly controlToken: string
  readonly author: string
  readonly seriesId: string | null
  readonly labels: readonly string[]
}

/** What a post must be, all of it. */
export type ListFilter = PageFilter & {
  /** Folded text to find in any part; null for any. */
  readonly folded: string | null
}

/** More than an excerpt has, so that it can be seen whether a character is whole. */
const EXCERPT_WINDOW = 1200

/**
 * At most `limit` posts of the workspace, newest first. Ids rise with time (UUIDv7), so a post created
 * meanwhile stands before the first page and moves no other.
 */
export async function listSummaries(
  sql: Sql,
  workspaceId: string,
  filter: ListFilter,
  limit: number,
  searchLimits = usualSearchLimits,
): Promise<SummaryRow[]> {
  const page = pageOf(sql, workspaceId, filter, limit, searchLimits)
  const rows = await sql<ListedRow[]>`
    with recursive ${page},
    ${latestStatuses(sql, workspaceId)}
    select p.id as "postId", p.reference, p.labels, left(coalesce(p.content->>'text', d.content->>'text'), ${EXCERPT_WINDOW}) as text,
           (${firstImage(sql, workspaceId, sql`coalesce(p.content, d.content)`)}) as "imageId",
           (select a.status from latest_approval a where a.post_id = p.id) as "approvalStatus",
           p.edit_token as "editToken", p.created_at as "createdAt", p.updated_at as "updatedAt",
           d.channel_id as "channelId", d.provider, d.status, d.publish_at as "publishAt", d.release_url as "releaseUrl",
           d.control_token as "controlToken"
    from   page
    cross  join lateral (  -- with offsets, so that no plan that was made for few posts reads all of them
      select * from post p where p.workspace_id = ${workspaceId} and p.id = page.id offset 0
    ) p
    cross  join lateral (
      select * from destination d where d.workspace_id = ${workspaceId} and d.post_id = page.id offset 0
    ) d
    order  by page.id desc, d.id`
  return [...Map.groupBy(rows, ({ postId }) => postId).values()].map(summaryOf)
}

/** The common table expressions that find the ids of a page, as `page`. */
function pageOf(
  sql: Sql,
  workspaceId: string,
  { folded, ...filter }: ListFilter,
  limit: number,
  searchLimits: SearchLimits,
): Fragment {
  return folded === null
    ? sql`page as materialized (${newestPosts(sql, workspaceId, filter, limit)})`
    : searchPage(sql, workspaceId, { filter, folded, limit }, searchLimits)
}

/** How many posts match, counted up to `most`. */
export async function countPosts(
  sql: Sql,
  workspaceId: string,
  filter: ListFilter,
  most: number,
): Promise<number> {
  const [row] = await sql<[{ posts: number }]>`
    with recursive ${pageOf(sql, workspaceId, filter, most, usualSearchLimits)}
    select count(*)::int as posts from page`
  return row.posts
}

/** One post, of its destinations in their order. */
function summaryOf(rows: readonly ListedRow[]): SummaryRow {
  const [{ postId, reference, labels, text, imageId, approvalStatus, editToken, createdAt, updatedAt }] =
    rows as [ListedRow]
  return {
    postId,
    reference,
    labels,
    text,
    imageId,
    approvalStatus,
    editToken,
    createdAt,
    updatedAt,
    publishAt: publishAtOf(rows),
    destinations: rows,
  }
}

/** The first time that is still to come, or the last where all is over. */
function publishAtOf(destinations: readonly SummarizedDestination[]): Date | null {
  const timesOf = (some: readonly SummarizedDestination[]) =>
    some.flatMap(({ publishAt }) => publishAt ?? []).toSorted((one, other) => one.getTime() - other.getTime())
  const open = destinations.filter(({ status }) => !settled.includes(status))
  return timesOf(open).at(0) ?? timesOf(destinations).at(-1) ?? null
}

/** The first file of a content, where it is an image. */
function firstImage(sql: Sql, workspaceId: string, content: Fragment): Fragment {
  return sql`
    select m.id from media_item m
    where  m.workspace_id = ${workspaceId} and m.id = (${content}->'mediaIds'->>0)::uuid and m.kind = 'image'`
}

/** The destinations that are, or were, to be published in [from, to), in the order of their time. */
export async function listCalendar(
  sql: Sql,
  workspaceId: string,
  {
    from,
    to,
    labels,
    ...filter
  }: DestinationFilter & Pick<PageFilter, 'labels'> & { from: Date; to: Date; includeDrafts: boolean },
): Promise<CalendarRow[]> {
  return sql<CalendarRow[]>`
    select ${calendarColumns(sql, workspaceId)}
    from   destination d
    ${withPost(sql)}
    where  d.workspace_id = ${workspaceId}
    and    ((d.publish_at >= ${from} and d.publish_at < ${to}) or (d.published_at >= ${from} and d.published_at < ${to}))
    ${conditionsOn(sql, { ...filter, from: null, to: null })} ${haveLabels(sql, workspaceId, labels, sql`d.post_id`)}
    and    (${filter.includeDrafts} or d.status <> 'draft')
    order  by coalesce(d.published_at, d.publish_at), d.id`
}

/** What the calendar shows of a `destination d`, which `withPost` joins. */
export function calendarColumns(sql: Sql, workspaceId: string): Fragment {
  return sql`
    p.id as "postId", d.channel_id as "channelId", d.provider, d.status, d.publish_at as "publishAt",
    d.published_at as "publishedAt", d.release_url as "releaseUrl", a.status as "approvalStatus",
    p.edit_token as "editToken", d.control_token as "controlToken", p.created_by_name as author, p.labels, d.series_id as "seriesId",
    left(coalesce(d.content, p.content)->>'text', ${EXCERPT_WINDOW}) as text,
    (${firstImage(sql, workspaceId, sql`coalesce(d.content, p.content)`)}) as "imageId"`
}

/** The post of each `destination d`, and the latest request for its approval. */
export function withPost(sql: Sql): Fragment {
  return sql`
    cross  join lateral (  -- with an offset, so that no plan reads all posts for a full month
      select p.workspace_id, p.id, p.content, p.edit_token, p.created_by_name, p.labels
      from   post p
      where  p.workspace_id = d.workspace_id and p.id = d.post_id
      offset 0
    ) p
    left   join lateral (${latestApproval(sql)}) a on true`
}
