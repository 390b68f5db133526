import type { Fragment, Sql } from '../../platform/postgres/db.ts'
import {
  conditionsOn,
  destinationsOf,
  hasDestinationFilter,
  isOfDestinations,
  isReferredTo,
  isWithin,
  type PageFilter,
  postConditions,
  unplanned,
} from './post-filter-store.ts'
import { isOrderWhole, nextInOrder, orderOf, requestStatuses, type Step } from './post-order-store.ts'

/** How far posts are read for those that match a filter. */
export type ListLimits = {
  /** How many rows may meet one condition of a filter for all of them to be read. */
  readonly few: number
  /** How many posts are looked up in the order of the list. */
  readonly walked: number
}

export const usualListLimits: ListLimits = { few: 2_000, walked: 20_000 }

/**
 * The ids of the newest posts of a workspace that match the filter. PR002 is raised where too many posts have to be read to
 * find them.
 */
export function newestPosts(
  sql: Sql,
  workspaceId: string,
  filter: PageFilter,
  limit: number,
  limits = usualListLimits,
): Fragment {
  if (isOrderWhole(filter)) {
    const first = { below: sql`${filter.before ?? BEYOND}`, ...sizeOfPage(sql, limit) }
    return nextInOrder(sql, workspaceId, filter, first)
  }
  const matching = (id: Fragment) =>
    sql`select from post p where p.id = ${id} and ${postConditions(sql, workspaceId, filter)}`
  const isAtOnce = isOfDestinations(filter)
  return sql`
      with recursive ${walkedPosts(sql, workspaceId, filter, { ...limits, limit, matching, isAtOnce })}
      select id
      from   newest
      where  (select check_search_limit(posts_read + 1, ${limits.walked}) from rest) is not false`
}

/** The largest page, and one more that tells whether there is another. */
const LARGEST_PAGE = 101

/**
 * A limit that is not known when a statement is planned is taken for a tenth of all rows, and the statement planned again for
 * each page, which takes longer than to read it. So rows are limited to those of the largest page first, which is known.
 */
function sizeOfPage(sql: Sql, limit: number): Pick<Step, 'size' | 'most'> {
  return { size: sql`${limit}`, most: limit <= LARGEST_PAGE ? sql`limit 101` : null }
}

type Walk = ListLimits & {
  /** How many of those that match. */
  readonly limit: number
  /** Selects a row where the post of an id matches. */
  readonly matching: (id: Fragment) => Fragment
  /** Whether a destination tells whether its post matches: then entries of its index are passed over until the page is full. */
  readonly isAtOnce?: boolean
}

/**
 * Common table expressions that find the newest posts: `newest`, and `rest`, which has a row where these are too few and
 * older posts, those `below` its id, were not read. How many posts meet all conditions is not known beforehand. So a condition
 * is looked for that few rows meet, of which all are read. Where there is none, posts are read in the order of the list in
 * growing steps, by an index that tells which of them may match. Those are looked up one by one: with an offset, so
 * that no plan reads all posts at once instead.
 */
export function walkedPosts(
  sql: Sql,
  workspaceId: string,
  filter: PageFilter,
  { limit: pageSize, few, walked, matching, isAtOnce = false }: Walk,
): Fragment {
  const isMatch = (id: Fragment) => sql`exists (${matching(id)} offset 0)`
  const limit = unplanned(sql, sql`${pageSize}::bigint`)
  const first = isAtOnce ? unplanned(sql, sql`${MOST_AT_ONCE}::bigint`) : limit
  const { start, skipped } = startOf(sql, workspaceId, filter)
  return sql`
    few (ids) as materialized (${fewPosts(sql, workspaceId, filter, few)}),
    walk (below, posts_read, size, found, ids) as (
      (select ${start}::uuid, 0::bigint, least(${first}, ${walked}::bigint), cardinality(skipped.ids), skipped.ids
       from   (select array(select beyond.id from (${skipped}) beyond where ${isMatch(sql`beyond.id`)}) as ids offset 0) skipped
       where  not exists (select from few))
      union  all
      select step.last, walk.posts_read + step.posts_read,
             least(4 * walk.size, ${MOST_AT_ONCE}::bigint, ${walked}::bigint - walk.posts_read - step.posts_read),
             walk.found + cardinality(matching.ids), matching.ids
      from   walk
      cross  join lateral (${nextStep(sql, workspaceId, filter, isAtOnce ? limit : sql`walk.size`)}) step
      cross  join lateral (
        select array(select one.id from unnest(step.ids) one (id) where ${isMatch(sql`one.id`)} limit ${limit} - walk.found) as ids
        offset 0
      ) matching
      where  walk.below is not null and walk.found < ${limit} and walk.posts_read < ${walked}
    ),
    rest as materialized (
      select w.below, w.posts_read, w.found
      from   (select * from walk order by below nulls first limit 1) w
      where  w.below is not null and w.found < ${limit}
    ),
    newest as materialized (
      (select one.id
       from   (select distinct unnest(ids) as id from few order by id desc) one
       where  ${isMatch(sql`one.id`)}
       order  by one.id desc
       limit  ${limit})
      union  all
      select unnest(ids) from walk
      order  by id desc
      limit  ${limit}
    )`
}

const MOST_AT_ONCE = 10_000
/** So many entries of an index that are passed over count as one post that is looked up. */
const ROWS_OF_A_POST = 10
const BEYOND = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
const HOUR_MS = 3_600_000

/** Whether an index has what meets a destination filter in the order of the list, of at most one channel: no times, then. */
function isFiledInOrder({ seen, status, channelId, from, to }: PageFilter): boolean {
  const channels = channelId === null ? seen : [channelId]
  if (from !== null || to !== null) return false
  return channels === null ? status !== 'all' : channels.length === 1
}

/** Whether the order of a list has an index for another condition than times, of which a destination filter has nothing else. */
function isOrderedBesideTimes(filter: PageFilter): boolean {
  if (hasDestinationFilter({ ...filter, from: null, to: null })) return false
  return orderOf(filter) !== 'posts' || filter.author !== null
}

/**
 * The next step of a walk: the ids of the posts that may match, newest first; the last post of the step, null where there are no more;
 * and for how many posts that are looked up it counts. `wanted`: of how many ids it consists where each of them has to be looked for.
 */
function nextStep(sql: Sql, workspaceId: string, filter: PageFilter, wanted: Fragment): Fragment {
  if (!hasDestinationFilter(filter) || isFiledInOrder(filter)) {
    const next = nextInOrder(sql, workspaceId, filter, { below: sql`walk.below`, size: sql`walk.size` })
    return sql`
        select ids[walk.size] as last, ids, cardinality(ids) as posts_read
        from   (select array(${next}) as ids offset 0) next`
  }
  if (isOrderedBesideTimes(filter)) {
    const next = nextInOrder(sql, workspaceId, filter, { below: sql`walk.below`, size: sql`walk.size` })
    return sql`
        select next.ids[walk.size] as last, fitting.ids, cardinality(next.ids) as posts_read
        from   (select array(${next}) as ids offset 0) next
        cross  join lateral (
          select array(
            select one.id
            from   unnest(next.ids) one (id)
            where  exists (
              select from destination d where d.workspace_id = ${workspaceId} and d.post_id = one.id ${conditionsOn(sql, filter)} offset 0)
          ) as ids
          offset 0
        ) fitting`
  }
  return nextFitting(sql, workspaceId, filter, wanted)
}

/**
 * The same where destinations are passed over until as many are found as are wanted. All of a post are read in the same step; those that are
 * being published are looked at once more.
 */
function nextFitting(sql: Sql, workspaceId: string, filter: PageFilter, wanted: Fragment): Fragment {
  const entries = sql`(${ROWS_OF_A_POST} * walk.size)`
  const below = sql`
              select d.post_id, d.channel_id, d.filed_as, d.status, d.publish_at, d.published_at
              from   destination d
              where  d.workspace_id = ${workspaceId} and d.post_id < walk.below
              order  by d.post_id desc`
  return sql`
        select case when found.all_wanted then found.ids[${wanted}]
                    else (select entry.post_id from (${below}) entry offset ${entries} - 1 limit 1) end as last,
               found.ids, case when found.all_wanted then ${wanted} else walk.size end as posts_read
        from   (
          select fitting.ids, cardinality(fitting.ids) = ${wanted} as all_wanted
          from   (
            select array(
              select distinct d.post_id
              from   (${below} fetch first ${entries} rows with ties) d
              where  true ${conditionsOn(sql, filter, { filed: true })}
              order  by d.post_id desc
              limit  ${wanted}) as ids
            offset 0
          ) fitting
        ) found`
}

/**
 * The id below which posts are read in the order of the list, and the posts beyond it that may match nonetheless. A post is
 * published after it was created, of which its id has the time (UUIDv7), so what is to be found before a time has
 * an id of before. Where clocks differed by more than an hour, it may not: an index has what is out of order by more.
 */
function startOf(sql: Sql, workspaceId: string, { before, to }: PageFilter) {
  const end = before ?? BEYOND
  const start = to === null ? end : lowestIdOf(to.getTime() + HOUR_MS)
  if (start >= end) return { start: end, skipped: sql`select null::uuid as id where false` }
  const skipped = sql`
        select distinct d.post_id as id
        from   destination d
        where  d.workspace_id = ${workspaceId} and d.post_id >= ${unplanned(sql, sql`${start}::uuid`)} and d.post_id < ${unplanned(sql, sql`${end}::uuid`)}
        and    least(d.publish_at, d.published_at)
               - to_timestamp(('x' || translate(left(d.post_id::text, 13), '-', ''))::bit(48)::bigint / 1000.0) < interval '-1 hour'`
  return { start, skipped }
}

/** Of the ids that were made at a time or later (RFC 9562, section 5.7). */
function lowestIdOf(ms: number): string {
  const digits = ms.toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`
}

/**
 * All posts that meet the first of the conditions that few rows meet; no row where there is none. The condition that the
 * order of the list meets is not among them: it would save nothing.
 */
function fewPosts(sql: Sql, workspaceId: string, filter: PageFilter, few: number): Fragment {
  const conditions = conditionsBesideOrder(sql, workspaceId, filter, few).map(
    (ids) => sql`
      (select array(${ids}) as ids where (select count(*) from (select from (${ids}) i limit ${unplanned(sql, sql`${few + 1}::bigint`)}) r) <= ${few})`,
  )
  const none = sql`select '{}'::uuid[] as ids where false`
  return sql`${conditions.reduce((all, one) => sql`${all} union all ${one}`, none)} limit 1`
}

/** Each of them selects the ids of all posts that meet it, if these are no more than `few`. */
function conditionsBesideOrder(sql: Sql, workspaceId: string, filter: PageFilter, few: number): Fragment[] {
  const { postIds, reference, from, to, author, createdById, reviewStatus, labels } = filter
  const order = hasDestinationFilter(filter) ? 'destinations' : orderOf(filter)
  const conditions = postIds === null ? [] : [sql`select unnest(${[...postIds]}::uuid[])`]
  if (reference !== null)
    conditions.push(
      sql`select p.id from post p where p.workspace_id = ${workspaceId} and ${isReferredTo(sql, reference)}`,
    )
  for (const key of (order === 'labels' ? labels?.slice(1) : labels) ?? [])
    conditions.push(
      sql`select l.post_id from post_label l where l.workspace_id = ${workspaceId} and l.label_key = ${key}`,
    )
  // Indexes know all of this, and not what has no time.
  const inStatus = { ...filter, from: null, to: null, undated: undefined }
  if (hasDestinationFilter(inStatus))
    conditions.push(
      sql`select d.post_id from ${destinationsOf(sql, workspaceId, inStatus)} ${conditionsOn(sql, inStatus, { filed: true })}`,
    )
  if (from !== null || to !== null) {
    // In the order of the time and with a limit, so that its index is read: a time that is not known while this is planned seems to be
    // met by a third of all destinations, which another index has in less.
    const ids = (column: 'publish_at' | 'published_at') => sql`
      (select d.post_id from destination d where d.workspace_id = ${workspaceId} and ${isWithin(sql, column, filter)}
       order  by d.${sql(column)} limit ${unplanned(sql, sql`${few + 1}::bigint`)})`
    conditions.push(sql`${ids('publish_at')} union all ${ids('published_at')}`)
  }
  if (author !== null && order !== 'posts')
    conditions.push(
      sql`select p.id from post p where p.workspace_id = ${workspaceId} and p.created_by_name = ${unplanned(sql, sql`${author}::text`)}`,
    )
  if (createdById !== null)
    conditions.push(
      sql`select p.id from post p where p.workspace_id = ${workspaceId} and p.created_by_id = ${unplanned(sql, sql`${createdById}::uuid`)}`,
    )
  if (reviewStatus !== null && reviewStatus !== 'not_required' && order !== 'requests') {
    const statuses = [...requestStatuses[reviewStatus]]
    conditions.push(
      sql`select a.post_id from approval a where a.workspace_id = ${workspaceId} and a.status = any(${unplanned(sql, sql`${statuses}::text[]`)}::text[])`,
    )
  }
  return conditions
}
