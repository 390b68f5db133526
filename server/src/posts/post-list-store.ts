import {
  statusFilters,
  type DestinationStatus,
  type PostFilter,
  type ReviewStatus,
} from '@postrider/contract'
import { latestApproval, reviewStatusColumn } from '../approvals/approval-store.ts'
import type { ApprovalStatus } from '../approvals/approval.ts'
import { settled } from '../destinations/destination-states.ts'
import type { Sql } from '../platform/db.ts'

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

/**
 * At most `limit` posts of the workspace, newest first. Ids rise with time (UUIDv7), so a post created
 * meanwhile stands before the first page and moves no other.
 */
export async function listSummaries(
  sql: Sql,
  workspaceId: string,
  filter: ListFilter,
  limit: number,
): Promise<SummaryRow[]> {
  const { seen, status, channelId, from, to, reviewStatus, author, postId, folded, before } = filter
  const after = before === null ? sql`` : sql`and p.id < ${before}`
  const matching =
    seen === null && status === 'all' && channelId === null && from === null && to === null
      ? sql``
      : sql`
    and exists (
      select from destination d
      where  d.workspace_id = p.workspace_id and d.post_id = p.id ${conditionsOn(sql, filter)})`
  const reviewed = reviewStatus === null ? sql`` : sql`and ${reviewStatusColumn(sql)} = ${reviewStatus}`
  const written = author === null ? sql`` : sql`and p.created_by_name = ${author}`
  const one = postId === null ? sql`` : sql`and p.id = ${postId}`
  // strpos takes the text as it stands: no wildcards and no patterns.
  const found =
    folded === null
      ? sql``
      : sql`
    and exists (
      select from destination d
      join   part t on t.workspace_id = d.workspace_id and t.destination_id = d.id
      where  d.workspace_id = p.workspace_id and d.post_id = p.id and strpos(t.folded, ${folded}) > 0)`
  return sql<SummaryRow[]>`
    with page as (
      select p.workspace_id, p.id, p.content->>'text' as text, p.created_at, p.updated_at
      from   post p
      where  p.workspace_id = ${workspaceId} ${after} ${one} ${written} ${matching} ${reviewed} ${found}
      order  by p.id desc
      limit  ${limit}
    )
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
