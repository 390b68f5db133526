import { needPerson } from '@postrider/contract/names'
import { restWaits } from '../../engine/destinations/destination-store.ts'
import type { Fragment, Sql } from '../../platform/postgres/db.ts'
import { type LocalDays, shownBy } from './local-days.ts'
import { conditionsOn, type DestinationFilter, haveLabels, type PageFilter } from './post-filter-store.ts'
import { calendarColumns, type CalendarRow, withPost } from './post-list-store.ts'

/** So many days from one on, by the clocks of the workspace: `clock` has them, and the day before. */
type Range = {
  readonly from: string
  readonly days: number
  readonly clock: LocalDays
  readonly includeDrafts: boolean
}

type Wanted = Range &
  Omit<DestinationFilter, 'from' | 'to'> &
  Pick<PageFilter, 'labels' | 'author'> & { readonly by: 'day' | 'hour'; readonly most: number | null }

/** An entry of one of the first posts of a day or an hour, `at`, which has so many posts in all. */
export type FirstRow = CalendarRow & { readonly at: string; readonly posts: number }

/**
 * The first posts of each day or hour of a range, with all channels that they have at that time. A post stands where the first of its
 * channels is: from the day before the range on they are looked at, since the others may have been published on the day after.
 */
export async function findFirst(
  sql: Sql,
  workspaceId: string,
  { labels, author, by, most, ...wanted }: Wanted,
): Promise<FirstRow[]> {
  const { from, days, clock } = wanted
  const written =
    author === null
      ? sql``
      : sql`and exists (
          select from post p where p.workspace_id = d.workspace_id and p.id = d.post_id and p.created_by_name = ${author} offset 0)`
  const first = most === null ? sql`` : sql`where ranked.place <= ${most}`
  return sql<FirstRow[]>`
    with ${rangeOf(sql, clock)},
    found as (
      select d.id, d.post_id, d.status, ${restWaits(sql)} as rest_waits, coalesce(d.publish_at, d.published_at) as planned, coalesce(d.published_at, d.publish_at) as at
      from   range
      join   ${destinationsIn(sql, workspaceId, wanted)}
      ${conditionsOn(sql, { ...wanted, from: null, to: null })} ${haveLabels(sql, workspaceId, labels, sql`d.post_id`)} ${written}),
    card as (
      select post_id, min(at) as at, bool_or(status = any(${[...needPerson]}) and not rest_waits) as needs_person, array_agg(id) as ids
      from   found
      group  by post_id, planned),
    placed as (
      select card.*, date_trunc(${by}, ${shownBy(sql, clock, sql`card.at`)}) as slot
      from   card),
    ranked as (
      select placed.*, row_number() over (partition by slot order by needs_person desc, at, post_id) as place,
             (count(*) over (partition by slot))::int as posts
      from   placed
      where  slot >= ${from}::date and slot < ${from}::date + ${days}::int)
    select to_char(ranked.slot, ${by === 'day' ? 'YYYY-MM-DD' : 'YYYY-MM-DD"T"HH24'}) as at, ranked.posts, ${calendarColumns(sql, workspaceId)}
    from   ranked
    cross  join unnest(ranked.ids) one (id)
    cross  join lateral (  -- with an offset, so that no plan reads all destinations
      select * from destination d where d.workspace_id = ${workspaceId} and d.id = one.id offset 0
    ) d
    ${withPost(sql)}
    ${first}
    order  by ranked.slot, ranked.place, coalesce(d.published_at, d.publish_at), d.id`
}

/** Who wrote the posts of a range, by name. */
export async function findAuthors(sql: Sql, workspaceId: string, range: Range): Promise<string[]> {
  const rows = await sql<{ author: string }[]>`
    with ${rangeOf(sql, range.clock)}
    select distinct p.created_by_name as author
    from   (select distinct d.post_id from range join ${destinationsIn(sql, workspaceId, range)}) found
    cross  join lateral (
      select p.created_by_name from post p where p.workspace_id = ${workspaceId} and p.id = found.post_id offset 0
    ) p
    order  by author`
  return rows.map(({ author }) => author)
}

function rangeOf(sql: Sql, { begins, ends }: LocalDays): Fragment {
  return sql`range as (select ${begins}::timestamptz as begins, ${ends}::timestamptz as ends)`
}

/** The destinations `d` that are, or were, to be published in the `range`: joined to it, with conditions to be added. */
function destinationsIn(sql: Sql, workspaceId: string, { includeDrafts }: Range): Fragment {
  return sql`
    destination d on d.workspace_id = ${workspaceId} and (${includeDrafts} or d.status <> 'draft')
    and ((d.publish_at >= range.begins and d.publish_at < range.ends)
         or (d.published_at >= range.begins and d.published_at < range.ends))`
}
