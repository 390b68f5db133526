import type { WeekMinutes } from '../../networks/channels/posting-times.ts'
import type { Fragment, Sql, Tx } from '../../platform/postgres/db.ts'

/** What decides on the free posting times of a channel, besides what is taken of them. */
export type ChannelSlots = {
  readonly channelId: string
  readonly displayName: string
  readonly postingTimes: WeekMinutes
  readonly timeZone: string
  /** The latest time that is held in its queue; null for none. */
  readonly last: Date | null
  /** What is scheduled without the queue after that, and not before now: the earliest, `PLANNED_AFTER` at most. */
  readonly plannedAfter: readonly Date[]
  /** The database's time. */
  readonly now: Date
}

/** A destination gives up what it holds for the one that it takes: its own is as free to it as any. */
type Taking = {
  readonly workspaceId: string
  readonly exceptIds?: readonly string[]
  /** What this transaction has written is left out, too. */
  readonly exceptOwn?: boolean
}

/**
 * Has others who take posting times of these channels wait until the transaction ends, and what they took is seen by a statement after this
 * one. In one order; whoever needs locks of posts and destinations, too, takes those before.
 */
export async function lockSlots(tx: Tx, workspaceId: string, channelIds: readonly string[]): Promise<void> {
  const names = [...new Set(channelIds)].toSorted().map((channelId) => `slots ${workspaceId} ${channelId}`)
  await tx`select pg_advisory_xact_lock(hashtextextended(name, 0)) from unnest(${names}::text[]) as name`
}

/** The same of all channels that a workspace has. */
export async function lockAllSlots(tx: Tx, workspaceId: string): Promise<void> {
  const channels = await tx<{ id: string }[]>`select id from channel where workspace_id = ${workspaceId}`
  await lockSlots(
    tx,
    workspaceId,
    channels.map(({ id }) => id),
  )
}

/** How many of `plannedAfter` are read; a literal in the statement, whose plan would not be kept otherwise. */
export const PLANNED_AFTER = 8

/** Of those that the workspace has. One statement for each, sent together: a plan for an unknown number of them is not kept. */
export async function findSlots(
  sql: Sql,
  taking: Taking,
  channelIds: readonly string[],
): Promise<ChannelSlots[]> {
  const found = await Promise.all(
    [...new Set(channelIds)].map((channelId) => findSlotsOn(sql, taking, channelId)),
  )
  return found.flat()
}

function findSlotsOn(sql: Sql, { workspaceId, exceptIds = [] }: Taking, channelId: string) {
  return sql<ChannelSlots[]>`
    with clock as materialized (select clock_timestamp() as now)
    select c.id as "channelId", c.display_name as "displayName", c.posting_times as "postingTimes", w.time_zone as "timeZone",
           clock.now, latest.at as last,
           array(
             select d.due_at
             from   destination d
             where  d.workspace_id = c.workspace_id and d.channel_id = c.id and d.filed_as = 'scheduled'
             and    d.due_at > greatest(latest.at, clock.now) ${others(sql, exceptIds)}
             order  by d.due_at
             limit  8) as "plannedAfter"
    from   channel c
    cross  join clock
    join   workspace w on w.id = c.workspace_id
    left   join lateral (
      select d.publish_at as at
      from   destination d
      where  d.workspace_id = c.workspace_id and d.channel_id = c.id and ${holdsSlot(sql)} ${others(sql, exceptIds)}
      order  by d.publish_at desc
      limit  1) latest on true
    where  c.workspace_id = ${workspaceId} and c.id = ${channelId} and c.removed_at is null`
}

/** A condition only where there is something to leave out: a plan for an unknown number is not kept. */
function others(sql: Sql, exceptIds: readonly string[]): Fragment {
  return exceptIds.length === 0 ? sql`` : sql`and d.id <> all(${[...exceptIds]}::uuid[])`
}

/**
 * Those of some instants at which something is planned on a channel: in its queue, or scheduled for that very time without it. There may
 * be others among them.
 */
export async function takenOf(
  sql: Sql,
  { workspaceId, exceptIds = [] }: Taking,
  channelId: string,
  instants: readonly Date[],
): Promise<Date[]> {
  if (instants.length === 0) return []
  const rows = await sql<{ at: Date }[]>`
    select d.publish_at as at
    from   destination d
    where  d.workspace_id = ${workspaceId} and d.channel_id = ${channelId} and ${holdsSlot(sql)}
    and    d.publish_at = any(${[...instants]}::timestamptz[]) ${others(sql, exceptIds)}
    union  all
    select d.due_at
    from   destination d
    where  d.workspace_id = ${workspaceId} and d.channel_id = ${channelId} and d.filed_as = 'scheduled'
    and    d.due_at = any(${[...instants]}::timestamptz[]) ${others(sql, exceptIds)}`
  return rows.map(({ at }) => at)
}

/** How many of `takenAfter` are read; a literal in the statement, as that of `PLANNED_AFTER`. */
export const TAKEN_AFTER = 8_192

/** The same of all instants after one: the first `TAKEN_AFTER`, in order, in milliseconds since 1970. What is queued and scheduled is there twice. */
export async function takenAfter(
  sql: Sql,
  { workspaceId, exceptIds = [], exceptOwn = false }: Taking,
  channelId: string,
  after: Date,
): Promise<number[]> {
  const left = sql`${others(sql, exceptIds)} ${exceptOwn ? sql`and ${isOfOthers(sql)}` : sql``}`
  const [row] = await sql<[{ seconds: number[] | null }]>`
    select json_agg(date_part('epoch', taken.at)) as seconds
    from   (
      select d.publish_at as at
      from   destination d
      where  d.workspace_id = ${workspaceId} and d.channel_id = ${channelId} and ${holdsSlot(sql)}
      and    d.publish_at > ${after} ${left}
      union  all
      select d.due_at
      from   destination d
      where  d.workspace_id = ${workspaceId} and d.channel_id = ${channelId} and d.filed_as = 'scheduled'
      and    d.due_at > ${after} ${left}
      order  by at
      limit  8192) taken`
  return (row.seconds ?? []).map((seconds) => Math.round(seconds * 1_000))
}

/** What is taken of a channel after an instant, all of it, in milliseconds since 1970. */
export async function allTakenAfter(
  sql: Sql,
  taking: Taking,
  channelId: string,
  after: Date,
): Promise<Set<number>> {
  const taken = new Set<number>()
  for (let from = after; ;) {
    const found = await takenAfter(sql, taking, channelId, from)
    for (const at of found) taken.add(at)
    const last = found.at(-1)
    if (last === undefined || found.length < TAKEN_AFTER || last <= from.getTime()) return taken
    from = new Date(last)
  }
}

/** Whether another transaction has written a `destination d`. */
function isOfOthers(sql: Sql): Fragment {
  return sql`d.xmin is distinct from pg_current_xact_id_if_assigned()::xid`
}

/** A destination with the posting time that it gets, and the end of its allowed time. */
export type HeldSlot = {
  readonly destinationId: string
  readonly at: Date
  readonly expiresAt: Date | null
}

/** Gives destinations that this transaction has inserted their posting times, with its commit. The locks on these are the caller's. */
export function holdSlots(tx: Tx, workspaceId: string, held: readonly HeldSlot[]): void {
  if (held.length === 0) return
  tx.deferPart(
    'held_slot',
    tx`
    held_slot as (
      update destination d
      set    queued = true, publish_at = held.at, due_at = case when d.status = 'scheduled' then held.at end,
             expires_at = held.expires_at
      from   unnest(${held.map(({ destinationId }) => destinationId)}::uuid[], ${held.map(({ at }) => at)}::timestamptz[],
                    ${held.map(({ expiresAt }) => expiresAt)}::timestamptz[]) as held (id, at, expires_at)
      where  d.workspace_id = ${workspaceId} and d.id = held.id
    )`,
  )
}

/** Whether a `destination d` holds a posting time: as the index on them says. */
export function holdsSlot(sql: Sql): Fragment {
  return sql`(d.queued and d.filed_as not in ('cancelled', 'expired', 'failed'))`
}

/** What is scheduled in the queue of a channel and has not begun, the earliest first, up to a number. */
export async function queuedOn(
  sql: Sql,
  workspaceId: string,
  channelId: string,
  limit: number,
): Promise<QueuedDestination[]> {
  return sql<QueuedDestination[]>`
    select d.id as "destinationId", d.post_id as "postId", d.channel_id as "channelId", d.control_token as "controlToken",
           d.publish_at as "publishAt", p.text
    from   destination d
    join   part p on p.workspace_id = d.workspace_id and p.destination_id = d.id and p.index = 0
    where  d.workspace_id = ${workspaceId} and d.channel_id = ${channelId} and ${holdsSlot(sql)}
    and    d.status = 'scheduled' and d.publish_at > clock_timestamp()
    order  by d.publish_at
    limit  ${limit}`
}

export type QueuedDestination = {
  readonly destinationId: string
  readonly postId: string
  readonly channelId: string
  readonly controlToken: string
  readonly publishAt: Date
  readonly text: string
}

/** Has destinations give up the posting times that they hold, before they take others. The locks are the caller's. */
export async function releaseSlots(
  tx: Tx,
  workspaceId: string,
  destinationIds: readonly string[],
): Promise<void> {
  await tx`
    update destination set queued = false
    where  workspace_id = ${workspaceId} and id = any(${[...destinationIds]}::uuid[]) and queued`
}

/** Locks destinations in one order; the caller has locked their posts. */
export async function lockQueued(
  tx: Tx,
  workspaceId: string,
  destinationIds: readonly string[],
): Promise<void> {
  await tx`
    select from destination
    where  workspace_id = ${workspaceId} and id = any(${[...destinationIds]}::uuid[])
    order  by id
    for    no key update`
}

/** When something is planned on channels within a range: in their queues, or scheduled without them. */
export async function takenBetween(
  sql: Sql,
  workspaceId: string,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<{ channelId: string; at: Date }[]> {
  return sql<{ channelId: string; at: Date }[]>`
    select d.channel_id as "channelId", d.publish_at as at
    from   destination d
    where  d.workspace_id = ${workspaceId} and d.publish_at >= ${from} and d.publish_at < ${to}
    and    (${holdsSlot(sql)} or d.filed_as = 'scheduled')`
}

/** The enabled channels that have posting times, by name; of one alone where it is given. */
export async function channelsWithSlots(
  sql: Sql,
  workspaceId: string,
  channelId: string | null,
): Promise<Pick<ChannelSlots, 'channelId' | 'postingTimes' | 'timeZone' | 'now'>[]> {
  return sql<Pick<ChannelSlots, 'channelId' | 'postingTimes' | 'timeZone' | 'now'>[]>`
    select c.id as "channelId", c.posting_times as "postingTimes", w.time_zone as "timeZone", clock_timestamp() as now
    from   channel c
    join   workspace w on w.id = c.workspace_id
    where  c.workspace_id = ${workspaceId} and c.enabled and c.removed_at is null and c.posting_times <> '{}'
    and    (${channelId}::uuid is null or c.id = ${channelId})
    order  by lower(c.display_name), c.id`
}
