import {
  destinationStatusNames,
  statusFilters,
  type PostFilter,
  type ReviewStatus,
} from '@postrider/contract'
import { reviewStatusColumn } from '../approvals/approval-store.ts'
import type { ApprovalStatus } from '../approvals/approval.ts'
import type { Fragment, Sql } from '../platform/db.ts'

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

const anyDestination: DestinationFilter = { seen: null, status: 'all', channelId: null, from: null, to: null }

export type PageFilter = DestinationFilter & {
  readonly reviewStatus: ReviewStatus | null
  readonly author: string | null
  /** This one post; null for any. */
  readonly postId: string | null
  /** The last post of the page before. */
  readonly before: string | null
}

/** Conditions on a `destination d`. */
export function conditionsOn(sql: Sql, { seen, status, channelId, from, to }: DestinationFilter) {
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

/** Whether a post is kept for more than its workspace and its place in the list. */
export function isNarrowed({ before: _, status, ...others }: PageFilter): boolean {
  return status !== 'all' || Object.values(others).some((wanted) => wanted !== null)
}

/** Conditions on a `post p`: all of the filter. */
export function postConditions(sql: Sql, workspaceId: string, filter: PageFilter) {
  const { reviewStatus, author, postId, before } = filter
  const after = before === null ? sql`` : sql`and p.id < ${before}`
  const one = postId === null ? sql`` : sql`and p.id = ${postId}`
  const written = author === null ? sql`` : sql`and p.created_by_name = ${author}`
  const reviewed = reviewStatus === null ? sql`` : sql`and ${reviewStatusColumn(sql)} = ${reviewStatus}`
  const matching = hasDestinationFilter(filter)
    ? sql`
    and exists (
      select from destination d
      where  d.workspace_id = p.workspace_id and d.post_id = p.id ${conditionsOn(sql, filter)})`
    : sql``
  return sql`p.workspace_id = ${workspaceId} ${after} ${one} ${written} ${matching} ${reviewed}`
}

/**
 * The ids of the newest posts of a workspace that match the filter. Without more than a `limit` the planner likes to read
 * posts from the newest on until enough of them match, which are all where few do. So what has an index in this order is
 * read from there, and what is to be published within a range is found by its time.
 */
export function newestPosts(sql: Sql, workspaceId: string, filter: PageFilter, limit: number): Fragment {
  const { from, to, reviewStatus, author, postId } = filter
  if (postId === null && from !== null && to !== null) return postsInRange(sql, workspaceId, filter, limit)
  if (postId === null && reviewStatus !== null && reviewStatus !== 'not_required')
    return reviewedPosts(sql, workspaceId, { ...filter, reviewStatus }, limit)
  const isOfDestinations = [from, to, reviewStatus, author, postId].every((wanted) => wanted === null)
  if (isOfDestinations && hasDestinationFilter(filter)) return postsByStatus(sql, workspaceId, filter, limit)
  return sql`
      select p.id from post p
      where  ${postConditions(sql, workspaceId, filter)}
      order  by p.id desc
      limit  ${limit}`
}

function hasDestinationFilter({ seen, status, channelId, from, to }: DestinationFilter): boolean {
  return status !== 'all' || [seen, channelId, from, to].some((wanted) => wanted !== null)
}

/** Reads the destinations of the range, and never the posts that are newer than those. */
function postsInRange(sql: Sql, workspaceId: string, filter: PageFilter, limit: number) {
  const { before, reviewStatus, author } = filter
  const found = sql`
      (select distinct d.post_id
       from   destination d
       where  d.workspace_id = ${workspaceId} ${conditionsOn(sql, filter)} ${olderThan(sql, before)}
       order  by d.post_id desc) d`
  if (reviewStatus === null && author === null)
    return sql`select d.post_id as id from ${found} order by d.post_id desc limit ${limit}`
  return sql`
      select p.id
      from   ${found}
      ${matchingPost(sql, workspaceId, sql`d.post_id`, { ...filter, ...anyDestination })}
      order  by d.post_id desc
      limit  ${limit}`
}

/** The post of this id, if it matches. With an offset, so that no plan reads the posts of an author or a time instead. */
function matchingPost(sql: Sql, workspaceId: string, id: Fragment, filter: PageFilter) {
  return sql`
      cross  join lateral (
        select p.id from post p where p.id = ${id} and ${postConditions(sql, workspaceId, filter)} offset 0
      ) p`
}

/** Reads the posts that had a request in one of the statuses that mean this review, in the order of the list. */
function reviewedPosts(
  sql: Sql,
  workspaceId: string,
  filter: PageFilter & { reviewStatus: ReviewStatus },
  limit: number,
) {
  const requests = requestStatuses[filter.reviewStatus].map(
    (status) => sql`
       select a.post_id from approval a
       where  a.workspace_id = ${workspaceId} and a.status = ${status}
       ${filter.before === null ? sql`` : sql`and a.post_id < ${filter.before}`}`,
  )
  const requested = requests.reduce((all, one) => sql`${all} union all ${one}`)
  return sql`
      select p.id
      from   (select distinct r.post_id from (${requested}) r order by r.post_id desc) r
      ${matchingPost(sql, workspaceId, sql`r.post_id`, filter)}
      order  by r.post_id desc
      limit  ${limit}`
}

/** The first ones of each channel and status, of which the newest are the first ones of all. */
function postsByStatus(sql: Sql, workspaceId: string, filter: PageFilter, limit: number) {
  const { seen, channelId, status, before } = filter
  const statuses = status === 'all' ? destinationStatusNames : statusFilters[status]
  const channels = channelId === null ? seen : (seen ?? [channelId]).filter((id) => id === channelId)
  const onChannels =
    channels === null ? sql`` : sql`unnest(${[...channels]}::uuid[]) as on_channel (id) cross join`
  const firstOfEach = sql`
        select distinct d.post_id
        from   destination d
        where  d.workspace_id = ${workspaceId} and d.status = in_status.name
        ${channels === null ? sql`` : sql`and d.channel_id = on_channel.id`} ${olderThan(sql, before)}
        order  by d.post_id desc
        limit  ${limit}`
  return sql`
      select distinct d.post_id as id
      from   ${onChannels} unnest(${[...statuses]}::text[]) as in_status (name)
      cross  join lateral (${firstOfEach}) d
      order  by d.post_id desc
      limit  ${limit}`
}

function olderThan(sql: Sql, before: string | null) {
  return before === null ? sql`` : sql`and d.post_id < ${before}`
}

const requestStatuses: Record<ReviewStatus, readonly ApprovalStatus[]> = {
  not_required: [],
  pending: ['pending'],
  approved: ['approved'],
  // One that is pending beyond its time has been turned down, too.
  rejected: ['pending', 'rejected', 'superseded', 'expired'],
}
