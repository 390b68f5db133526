import {
  statusFilters,
  type DestinationStatus,
  type PostFilter,
  type ReviewStatus,
} from '@postrider/contract'
import { latestApproval, reviewStatusColumn } from '../approvals/approval-store.ts'
import type { ApprovalStatus } from '../approvals/approval.ts'
import { settled } from '../destinations/destination-states.ts'
import type { Fragment, Sql } from '../platform/db.ts'
import { searchGrams } from './search-grams.ts'

/** What a list needs of a post. `text` is cut: long enough for an excerpt that ends on a whole character. */
export type SummaryRow = {
  readonly postId: string
  readonly text: string
  readonly approvalStatus: ApprovalStatus | null
  readonly publishAt: Date | null
  readonly destinations: readonly {
    readonly channelId: string
    readonly provider: string
    readonly status: DestinationStatus
    readonly publishAt: string | null
    readonly releaseUrl: string | null
  }[]
  readonly createdAt: Date
  readonly updatedAt: Date
}

export type CalendarRow = {
  readonly postId: string
  readonly channelId: string
  readonly provider: string
  readonly status: DestinationStatus
  readonly publishAt: Date | null
  readonly publishedAt: Date | null
  readonly text: string
  readonly releaseUrl: string | null
  readonly approvalStatus: ApprovalStatus | null
  readonly author: string
}

/** What a destination must be, all of it; null for anything. */
export type DestinationFilter = {
  /** The channels that the reader sees; null for all. */
  readonly seen: readonly string[] | null
  readonly status: PostFilter
  readonly channelId: string | null
  /** When it is or was to be published: [from, to). */
  readonly from: Date | null
  readonly to: Date | null
}

export type ListFilter = DestinationFilter & {
  readonly reviewStatus: ReviewStatus | null
  readonly author: string | null
  /** This one post; null for any. */
  readonly postId: string | null
  /** Folded text to find in any part; null for any. */
  readonly folded: string | null
  /** The last post of the page before. */
  readonly before: string | null
}

/** Conditions on a `destination d`. */
function conditionsOn(sql: Sql, { seen, status, channelId, from, to }: DestinationFilter) {
  const onSeen = seen === null ? sql`` : sql`and d.channel_id = any(${[...seen]}::uuid[])`
  const inStatus = status === 'all' ? sql`` : sql`and d.status = any(${[...statusFilters[status]]})`
  const onChannel = channelId === null ? sql`` : sql`and d.channel_id = ${channelId}`
  const within = (column: 'publish_at' | 'published_at') => sql`
    (d.${sql(column)} ${from === null ? sql`is not null` : sql`>= ${from}`}
     ${to === null ? sql`` : sql`and d.${sql(column)} < ${to}`})`
  const inTime =
    from === null && to === null ? sql`` : sql`and (${within('publish_at')} or ${within('published_at')})`
  return sql`${onSeen} ${inStatus} ${onChannel} ${inTime}`
}

/** More than an excerpt has, so that it can be seen whether a character is whole. */
const EXCERPT_WINDOW = 1200

/** How many of the newest posts a search reads before it asks the index: what is common is found among them. */
const SEARCH_WALK = 5_000

/**
 * At most `limit` posts of the workspace, newest first. Ids rise with time (UUIDv7), so a post created
 * meanwhile stands before the first page and moves no other.
 */
export async function listSummaries(
  sql: Sql,
  workspaceId: string,
  filter: ListFilter,
  limit: number,
  searchWalk = SEARCH_WALK,
): Promise<SummaryRow[]> {
  const page =
    filter.folded === null
      ? sql`page as (${selectPosts(sql, { from: sql`post p`, where: postConditions(sql, workspaceId, filter), limit })})`
      : searchPage(sql, workspaceId, { ...filter, folded: filter.folded }, { limit, searchWalk })
  return sql<SummaryRow[]>`
    with ${page}
    select p.id as "postId", left(coalesce(p.text, d.text), ${EXCERPT_WINDOW}) as text, a.status as "approvalStatus",
           d."publishAt", d.destinations, p.created_at as "createdAt", p.updated_at as "updatedAt"
    from   page p
    left   join lateral (${latestApproval(sql)}) a on true
    cross  join lateral (
      select coalesce(min(d.publish_at) filter (where d.status <> all(${[...settled]})), max(d.publish_at)) as "publishAt",
             (array_agg(d.content->>'text' order by d.id))[1] as text,
             jsonb_agg(jsonb_build_object('channelId', d.channel_id, 'provider', d.provider, 'status', d.status,
                                          'publishAt', d.publish_at, 'releaseUrl', d.release_url) order by d.id) as destinations
      from   destination d
      where  d.workspace_id = p.workspace_id and d.post_id = p.id
    ) d
    order  by p.id desc`
}

/** Conditions on a `post p`: all of the filter except its text. */
function postConditions(sql: Sql, workspaceId: string, filter: ListFilter) {
  const { seen, status, channelId, from, to, reviewStatus, author, postId, before } = filter
  const after = before === null ? sql`` : sql`and p.id < ${before}`
  const one = postId === null ? sql`` : sql`and p.id = ${postId}`
  const written = author === null ? sql`` : sql`and p.created_by_name = ${author}`
  const reviewed = reviewStatus === null ? sql`` : sql`and ${reviewStatusColumn(sql)} = ${reviewStatus}`
  const matching =
    seen === null && status === 'all' && channelId === null && from === null && to === null
      ? sql``
      : sql`
    and exists (
      select from destination d
      where  d.workspace_id = p.workspace_id and d.post_id = p.id ${conditionsOn(sql, filter)})`
  return sql`p.workspace_id = ${workspaceId} ${after} ${one} ${written} ${matching} ${reviewed}`
}

function selectPosts(sql: Sql, { from, where, limit }: { from: Fragment; where: Fragment; limit: number }) {
  return sql`
      select p.workspace_id, p.id, p.content->>'text' as text, p.created_at, p.updated_at
      from   ${from}
      where  ${where}
      order  by p.id desc
      limit  ${limit}`
}

/**
 * Common table expressions that find a folded text: among the newest posts by reading them, and only where these do not
 * fill the page, among the older ones by the index. So a common text costs no more than the page, a rare one no more than
 * the posts that have it; one that is rare among the newest and common before them may run into the statement's limit.
 */
function searchPage(
  sql: Sql,
  workspaceId: string,
  filter: ListFilter & { folded: string },
  { limit, searchWalk }: { limit: number; searchWalk: number },
) {
  const { folded, before } = filter
  const own = sql`s.workspace_id = ${workspaceId} ${before === null ? sql`` : sql`and s.post_id < ${before}`}`
  // strpos takes the text as it stands: no wildcards and no patterns.
  const holds = sql`strpos(array_to_string(s.folded, ${separatorFor(folded)}), ${folded}) > 0`
  const where = postConditions(sql, workspaceId, filter)
  const newest = sql`
      (select s.post_id, s.folded from post_search s where ${own} order by s.post_id desc limit ${searchWalk}) s
      join post p on p.workspace_id = ${workspaceId} and p.id = s.post_id`
  // Without another filter whatever is found is shown, so that only the newest of it have to be read.
  const candidates = isNarrowed(filter)
    ? sql`found`
    : sql`(select post_id from found order by post_id desc limit ${limit})`
  const older = sql`${candidates} s join post p on p.workspace_id = ${workspaceId} and p.id = s.post_id`
  return sql`
    newest as materialized (${selectPosts(sql, { from: newest, where: sql`${holds} and ${where}`, limit })}),
    found as materialized (
      select s.post_id
      from   post_search s
      where  (select count(*) from newest) < ${limit} and ${own}
      and    s.post_id < (
               select s.post_id from post_search s where ${own} order by s.post_id desc offset ${searchWalk - 1} limit 1)
      and    search_grams(search_key(s.workspace_id), s.folded) @> array_append(${searchGrams(folded)}::bigint[], search_key(${workspaceId}))
      and    ${holds}
    ),
    older as (${selectPosts(sql, { from: older, where, limit })}),
    page as (
      select * from newest union all select * from older
      order  by id desc
      limit  ${limit}
    )`
}

/** Whether more than the text decides which posts are shown. */
function isNarrowed({ status, folded: _, before: __, ...others }: ListFilter): boolean {
  return status !== 'all' || Object.values(others).some((wanted) => wanted !== null)
}

/** What texts can be joined with so that a needle is found within one of them only: a character that it does not have. */
function separatorFor(needle: string): string {
  let code = 1
  while (needle.includes(String.fromCharCode(code))) code += 1
  return String.fromCharCode(code)
}

/** The destinations that are, or were, to be published in [from, to), in the order of their time. */
export async function listCalendar(
  sql: Sql,
  workspaceId: string,
  { from, to, ...filter }: DestinationFilter & { from: Date; to: Date; includeDrafts: boolean },
): Promise<CalendarRow[]> {
  return sql<CalendarRow[]>`
    select p.id as "postId", d.channel_id as "channelId", d.provider, d.status, d.publish_at as "publishAt",
           d.published_at as "publishedAt", d.release_url as "releaseUrl", a.status as "approvalStatus",
           p.created_by_name as author,
           left(coalesce(d.content, p.content)->>'text', ${EXCERPT_WINDOW}) as text
    from   destination d
    join   post p on p.workspace_id = d.workspace_id and p.id = d.post_id
    left   join lateral (${latestApproval(sql)}) a on true
    where  d.workspace_id = ${workspaceId}
    and    ((d.publish_at >= ${from} and d.publish_at < ${to}) or (d.published_at >= ${from} and d.published_at < ${to}))
    ${conditionsOn(sql, { ...filter, from: null, to: null })}
    and    (${filter.includeDrafts} or d.status <> 'draft')
    order  by coalesce(d.published_at, d.publish_at), d.id`
}
