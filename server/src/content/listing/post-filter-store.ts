import type { DestinationStatus, PostFilter, ReviewStatus } from '@postrider/contract'
import { statusFilters } from '@postrider/contract/names'
import { reviewStatusColumn } from '../approvals/approval-store.ts'
import { mayBePublishing } from '../../engine/destinations/destination-states.ts'
import type { Fragment, Sql } from '../../platform/postgres/db.ts'

/** What a destination must be, all of it; null for anything. */
export type DestinationFilter = {
  /** The channels that the reader sees; null for all. */
  readonly seen: readonly string[] | null
  readonly status: PostFilter
  readonly channelId: string | null
  /** When it is or was to be published: [from, to). */
  readonly from: Date | null
  readonly to: Date | null
  /** Whether it has no time. */
  readonly undated?: true | undefined
}

export type PageFilter = DestinationFilter & {
  readonly reviewStatus: ReviewStatus | null
  readonly author: string | null
  /** The key or grant that created it. */
  readonly createdById: string | null
  /** Since when it, or one of its destinations, was changed last. */
  readonly updatedSince: Date | null
  /** Its reference, or with `*` at its end how that begins; null for any. */
  readonly reference: string | null
  /** Labels that it has, all of them, as labels are compared; null for any. */
  readonly labels: readonly string[] | null
  /** Only these posts; null for any. */
  readonly postIds: readonly string[] | null
  /** The last post of the page before. */
  readonly before: string | null
}

/**
 * Conditions on a `destination d`. `filed`: by what indexes know alone; some that are being published meet these, too, and are
 * looked at once more.
 */
export function conditionsOn(
  sql: Sql,
  { seen, status, channelId, from, to, undated }: DestinationFilter,
  { filed = false } = {},
) {
  const onSeen =
    seen === null ? sql`` : sql`and d.channel_id = any(${unplanned(sql, sql`${[...seen]}::uuid[]`)}::uuid[])`
  const inStatus = status === 'all' ? sql`` : sql`and ${isOfStatus(sql, statusFilters[status], filed)}`
  const onChannel =
    channelId === null ? sql`` : sql`and d.channel_id = ${unplanned(sql, sql`${channelId}::uuid`)}`
  const inTime =
    from === null && to === null
      ? sql``
      : sql`and (${isWithin(sql, 'publish_at', { from, to })} or ${isWithin(sql, 'published_at', { from, to })})`
  const timeless = undated === undefined ? sql`` : sql`and d.publish_at is null`
  return sql`${onSeen} ${inStatus} ${onChannel} ${inTime} ${timeless}`
}

/** Whether a `destination d` is in one of these, or filed as one. */
function isOfStatus(sql: Sql, statuses: readonly DestinationStatus[], filed: boolean) {
  if (statuses.includes('publishing')) return sql`d.status = any(${[...statuses]})`
  const isFiled = sql`d.filed_as = any(${unplanned(sql, sql`${[...statuses]}::text[]`)}::text[])`
  return filed || !mayBePublishing(statuses) ? isFiled : sql`${isFiled} and d.status <> 'publishing'`
}

/** The destinations of a workspace that may be of the status of a filter, as `from`: those being published are few. */
export function destinationsOf(sql: Sql, workspaceId: string, { status }: DestinationFilter) {
  if (status !== 'publishing') return sql`destination d where d.workspace_id = ${workspaceId}`
  return sql`
    publication b
    join destination d on d.workspace_id = b.workspace_id and d.id = b.destination_id
    where b.workspace_id = ${workspaceId}`
}

/**
 * A value that the planner does not see. Where it does, a plan for the few rows of one value seems so cheap that the statement is
 * planned again for each page, which takes longer than to read it.
 */
export function unplanned(sql: Sql, value: Fragment): Fragment {
  return sql`(select ${value})`
}

/** A condition on one of the times of a `destination d`. */
export function isWithin(
  sql: Sql,
  column: 'publish_at' | 'published_at',
  { from, to }: Pick<DestinationFilter, 'from' | 'to'>,
) {
  const since =
    from === null ? sql`` : sql`and d.${sql(column)} >= ${unplanned(sql, sql`${from}::timestamptz`)}`
  const until = to === null ? sql`` : sql`and d.${sql(column)} < ${unplanned(sql, sql`${to}::timestamptz`)}`
  return from === null && to === null ? sql`(d.${sql(column)} is not null)` : sql`(true ${since} ${until})`
}

/** Whether a post is kept for more than its workspace and its place in the list. */
export function isNarrowed({ before: _, status, ...others }: PageFilter): boolean {
  return status !== 'all' || Object.values(others).some((wanted) => wanted !== null)
}

/** Conditions on a `post p`: all of the filter. */
export function postConditions(sql: Sql, workspaceId: string, filter: PageFilter) {
  const { reviewStatus, author, createdById, updatedSince, postIds, reference, labels, before } = filter
  const after = before === null ? sql`` : sql`and p.id < ${before}`
  const one = postIds === null ? sql`` : sql`and p.id = any(${[...postIds]}::uuid[])`
  const named = reference === null ? sql`` : sql`and ${isReferredTo(sql, reference)}`
  const written =
    author === null ? sql`` : sql`and p.created_by_name = ${unplanned(sql, sql`${author}::text`)}`
  const created =
    createdById === null ? sql`` : sql`and p.created_by_id = ${unplanned(sql, sql`${createdById}::uuid`)}`
  const updated =
    updatedSince === null
      ? sql``
      : sql`
    and (p.updated_at >= ${unplanned(sql, sql`${updatedSince}::timestamptz`)} or exists (
      select from destination u
      where  u.workspace_id = p.workspace_id and u.post_id = p.id and u.updated_at >= ${unplanned(sql, sql`${updatedSince}::timestamptz`)}))`
  const reviewed = reviewStatus === null ? sql`` : sql`and ${reviewStatusColumn(sql)} = ${reviewStatus}`
  const matching = hasDestinationFilter(filter)
    ? sql`
    and exists (
      select from destination d
      where  d.workspace_id = p.workspace_id and d.post_id = p.id ${conditionsOn(sql, filter)})`
    : sql``
  return sql`p.workspace_id = ${workspaceId} ${after} ${one} ${named} ${haveLabels(sql, workspaceId, labels, sql`p.id`)} ${written} ${created} ${updated} ${matching} ${reviewed}`
}

/** Conditions on the id of a post: that it has each of these labels. */
export function haveLabels(
  sql: Sql,
  workspaceId: string,
  labels: readonly string[] | null,
  id: Fragment,
): Fragment {
  return (labels ?? []).reduce(
    (all, key) => sql`${all} and exists (
      select from post_label having_it
      where  having_it.workspace_id = ${workspaceId} and having_it.label_key = ${key} and having_it.post_id = ${id})`,
    sql``,
  )
}

/** Whether a `post p` has a reference, or with `*` at its end one that begins so: both by the order of bytes, as its index has them. */
export function isReferredTo(sql: Sql, reference: string) {
  if (!reference.endsWith('*'))
    return sql`p.reference collate "C" = ${unplanned(sql, sql`${reference}::text`)}`
  const start = reference.slice(0, -1)
  // No reference has a character behind `~`.
  const end = `${start}\x7f`
  return sql`
    (p.reference collate "C" >= ${unplanned(sql, sql`${start}::text`)} and p.reference collate "C" < ${unplanned(sql, sql`${end}::text`)})`
}

/** Whether a post is kept for one of its destinations. */
export function hasDestinationFilter({ seen, status, channelId, from, to }: DestinationFilter): boolean {
  return status !== 'all' || [seen, channelId, from, to].some((wanted) => wanted !== null)
}

/** Whether nothing else is asked of a post than of its destinations, and its place in the list. */
export function isOfDestinations(filter: PageFilter): boolean {
  const others = { ...filter, seen: null, status: 'all' as const, channelId: null, from: null, to: null }
  return hasDestinationFilter(filter) && !isNarrowed(others)
}
