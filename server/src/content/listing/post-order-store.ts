import { destinationStatusNames, statusFilters, type ReviewStatus } from '@postrider/contract'
import type { ApprovalStatus } from '../approvals/approval.ts'
import { mayBePublishing } from '../../engine/destinations/destination-states.ts'
import type { Fragment, Sql } from '../../platform/postgres/db.ts'
import { destinationsOf, type PageFilter, unplanned } from './post-filter-store.ts'

/** The statuses of requests that a post of this review status has one of. */
export const requestStatuses: Record<ReviewStatus, readonly ApprovalStatus[]> = {
  not_required: [],
  pending: ['pending'],
  approved: ['approved'],
  // One that is pending beyond its time has been turned down, too.
  rejected: ['pending', 'rejected', 'superseded', 'expired'],
}

/** The table with an index that meets some of the conditions of a filter, and has posts in the order of the list. */
export function orderOf(filter: PageFilter): 'destinations' | 'labels' | 'requests' | 'posts' {
  const { seen, status, channelId, labels, reviewStatus } = filter
  if (status !== 'all' || seen !== null || channelId !== null) return 'destinations'
  if (labels !== null) return 'labels'
  return reviewStatus === null || reviewStatus === 'not_required' ? 'posts' : 'requests'
}

/** Whether that index meets all of the conditions. */
export function isOrderWhole(filter: PageFilter): boolean {
  const { from, to, reviewStatus, author, createdById, updatedSince, postIds, reference, labels } = filter
  if (
    [from, to, reviewStatus, createdById, updatedSince, postIds, reference].some((wanted) => wanted !== null)
  )
    return false
  if (filter.undated !== undefined) return false
  if (labels !== null && (orderOf(filter) !== 'labels' || labels.length > 1)) return false
  return author === null || orderOf(filter) === 'posts'
}

export type Step = {
  /** Below which id. */
  readonly below: Fragment
  /** How many, unless there are no more. */
  readonly size: Fragment
  /** A limit that is never below `size`, and known when the statement is planned. */
  readonly most?: Fragment | null
}

/** The first of rows in their order, with the limits of a step. */
function firstOf(sql: Sql, rows: Fragment, { size, most = null }: Step): Fragment {
  return most === null
    ? sql`${rows} limit ${size}`
    : sql`select first.* from (${rows} ${most}) first limit ${size}`
}

/** The ids of the next posts that meet the conditions of the order, newest first. */
export function nextInOrder(sql: Sql, workspaceId: string, filter: PageFilter, step: Step): Fragment {
  const order = orderOf(filter)
  if (order === 'destinations') return nextOfDestinations(sql, workspaceId, filter, step)
  if (order === 'labels') return nextOfLabel(sql, workspaceId, filter, step)
  if (order === 'requests') return nextOfRequests(sql, workspaceId, filter, step)
  const written = filter.author === null ? sql`` : sql`and p.created_by_name = ${filter.author}`
  const posts = sql`
      select p.id
      from   post p
      where  p.workspace_id = ${workspaceId} and p.id < ${step.below} ${written}
      order  by p.id desc`
  return firstOf(sql, posts, step)
}

/** Those of each channel and status. */
function nextOfDestinations(sql: Sql, workspaceId: string, filter: PageFilter, step: Step): Fragment {
  const { seen, channelId, status } = filter
  const channels = channelId === null ? seen : (seen ?? [channelId]).filter((id) => id === channelId)
  const onChannels =
    channels === null
      ? sql``
      : sql`unnest(${unplanned(sql, sql`${[...channels]}::uuid[]`)}) as on_channel (id) cross join`
  const onChannel = channels === null ? sql`` : sql`and d.channel_id = on_channel.id`
  // Whatever its status, it is filed as one of the others.
  const statuses =
    status === 'all' ? destinationStatusNames.filter((name) => name !== 'publishing') : statusFilters[status]
  const filed = status === 'publishing' ? sql`` : sql`and d.filed_as = in_status.name`
  const exactly =
    status !== 'all' && status !== 'publishing' && mayBePublishing(statuses)
      ? sql`and d.status <> 'publishing'`
      : sql``
  const ofEach = sql`
        select distinct d.post_id
        from   ${destinationsOf(sql, workspaceId, filter)} ${filed} ${exactly} ${onChannel} and d.post_id < ${step.below}
        order  by d.post_id desc`
  return newestOf(
    sql,
    sql`${onChannels} unnest(${unplanned(sql, sql`${[...statuses]}::text[]`)}) as in_status (name)`,
    ofEach,
    step,
  )
}

/** Those with the first of the labels. */
function nextOfLabel(sql: Sql, workspaceId: string, { labels }: PageFilter, step: Step): Fragment {
  const posts = sql`
      select l.post_id as id
      from   post_label l
      where  l.workspace_id = ${workspaceId} and l.label_key = ${labels?.[0] ?? ''} and l.post_id < ${step.below}
      order  by l.post_id desc`
  return firstOf(sql, posts, step)
}

/** Those of each status that requests for approval have. */
function nextOfRequests(sql: Sql, workspaceId: string, filter: PageFilter, step: Step): Fragment {
  const statuses = filter.reviewStatus === null ? [] : requestStatuses[filter.reviewStatus]
  const ofEach = sql`
        select distinct a.post_id
        from   approval a
        where  a.workspace_id = ${workspaceId} and a.status = in_status.name and a.post_id < ${step.below}
        order  by a.post_id desc`
  return newestOf(
    sql,
    sql`unnest(${unplanned(sql, sql`${[...statuses]}::text[]`)}) as in_status (name)`,
    ofEach,
    step,
  )
}

/** The newest of the first ones of each. */
function newestOf(sql: Sql, each: Fragment, ofEach: Fragment, step: Step): Fragment {
  const newest = sql`
      select distinct o.post_id as id
      from   ${each}
      cross  join lateral (${firstOf(sql, ofEach, step)}) o
      order  by o.post_id desc`
  return firstOf(sql, newest, step)
}
