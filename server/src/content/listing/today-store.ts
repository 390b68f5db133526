import { restWaits } from '../../engine/destinations/destination-store.ts'
import type { Sql } from '../../platform/postgres/db.ts'
import { type LocalDays, shownBy } from './local-days.ts'
import { calendarColumns, type CalendarRow, withPost } from './post-list-store.ts'

/** As many channels as a post can have: whoever reads so many rows for each post has seen each of the first posts. */
const CHANNELS_MAX = 50

const NEXT_POSTS = 8
const LAST_POSTS = 6

/**
 * The next posts: planned, late, being sent, or waiting for approval with a time to come. What is due for days is not next, it
 * needs somebody.
 */
export async function findNext(sql: Sql, workspaceId: string): Promise<CalendarRow[]> {
  return sql<CalendarRow[]>`
    with soon as (
      select d.id, d.post_id, d.publish_at
      from   destination d
      where  d.workspace_id = ${workspaceId} and d.publish_at > now() - interval '2 days'
      and    (d.status in ('scheduled', 'publishing', 'delayed', 'reconnect_required') or ${restWaits(sql)}
              or (d.status = 'draft' and d.publish_at > now()))
      order  by d.publish_at, d.post_id
      limit  ${NEXT_POSTS * CHANNELS_MAX}),
    next as (select post_id, publish_at from soon group by post_id, publish_at order by publish_at, post_id limit ${NEXT_POSTS})
    select ${calendarColumns(sql, workspaceId)}
    from   next
    join   soon using (post_id, publish_at)
    join   destination d on d.workspace_id = ${workspaceId} and d.id = soon.id
    ${withPost(sql)}
    order  by d.publish_at, d.post_id, d.id`
}

/** What was published last. */
export async function findLast(sql: Sql, workspaceId: string): Promise<CalendarRow[]> {
  return sql<CalendarRow[]>`
    with late as (
      select d.id, d.post_id, d.published_at
      from   destination d
      where  d.workspace_id = ${workspaceId} and d.published_at is not null
      order  by d.published_at desc
      limit  ${LAST_POSTS * CHANNELS_MAX}),
    last as (select post_id, max(published_at) as at from late group by post_id order by at desc limit ${LAST_POSTS})
    select ${calendarColumns(sql, workspaceId)}
    from   last
    join   late using (post_id)
    join   destination d on d.workspace_id = ${workspaceId} and d.id = late.id
    ${withPost(sql)}
    order  by last.at desc, d.post_id, d.id`
}

export type DayCount = {
  readonly day: string
  readonly channelId: string
  readonly published: number
  readonly planned: number
  readonly troubled: number
}

/** How many posts each channel has on each of some days. */
export async function countDays(sql: Sql, workspaceId: string, clock: LocalDays): Promise<DayCount[]> {
  const { begins, ends } = clock
  const shown = shownBy(sql, clock, sql`coalesce(d.published_at, d.publish_at)`)
  return sql<DayCount[]>`
    with week as (select ${begins}::timestamptz as begins, ${ends}::timestamptz as ends)
    select to_char(${shown}, 'YYYY-MM-DD') as day,
           d.channel_id as "channelId",
           (count(*) filter (where d.status = 'published'))::int as published,
           (count(*) filter (where d.status in ('draft', 'scheduled', 'publishing', 'delayed') or ${restWaits(sql)}))::int as planned,
           (count(*) filter (where d.status in ('failed', 'expired', 'partially_published', 'reconnect_required', 'checking')
                                   and not ${restWaits(sql)}))::int as troubled
    from   week
    join   destination d on d.workspace_id = ${workspaceId} and d.status <> 'cancelled'
    and    ((d.published_at >= week.begins and d.published_at < week.ends)
            or (d.published_at is null and d.publish_at >= week.begins and d.publish_at < week.ends))
    group  by day, d.channel_id
    order  by day, d.channel_id`
}
