import type { ChannelKey } from '../../networks/channels/channel-store.ts'
import { isAway } from '../destinations/holds.ts'
import { waitsFor } from '../destinations/series-wait.ts'
import type { Fragment, Sql, Tx } from '../../platform/postgres/db.ts'
import { ANNOUNCE_HOLD_AFTER_MS } from './waits.ts'

/** How many channels a claim considers in the order of time, and how many workspaces in rotation, at least. */
const MIN_CANDIDATES = 64

/** So many destinations of a channel that are past their allowed time are passed over; `expire` removes them. */
const MAX_EXPIRED = 100

/**
 * Common table expressions that find the channels to claim from, `candidate`: the earliest ones, which are all unless there
 * are too many. Then workspaces are added in rotation, each with its earliest channel, until `limit` of them have something
 * due, from the one after `after` to the highest id, so that none waits behind the channels of others. `rotation_end` is the
 * workspace at which the limit ended that. Channels on which something is being published are passed over and not put off:
 * most are free again before long, and who leaves a call to its network puts off the channel.
 */
export function dueChannels(sql: Sql, { limit, after }: { limit: number; after: string }) {
  const candidates = Math.max(MIN_CANDIDATES, limit)
  const nextWorkspace = (than: Fragment) => sql`
      select q.workspace_id, q.channel_id, (q.look_at <= now())::int as due
      from   channel_queue q
      where  q.workspace_id > ${than} and not ${isBusy(sql, 'q', 'channel_id')}
      order  by q.workspace_id, q.look_at
      limit  1`
  return sql`
    earliest as materialized (
      select q.workspace_id, q.channel_id
      from   channel_queue q
      where  q.look_at <= now() and not ${isBusy(sql, 'q', 'channel_id')}
      order  by q.look_at
      limit  ${candidates}
    ),
    rotation as (
      select first.*, first.due as found, 1 as place
      from   (${nextWorkspace(sql`${after}`)}) first
      where  (select count(*) from earliest) = ${candidates}
      union  all
      select following.*, r.found + following.due, r.place + 1
      from   rotation r
      cross  join lateral (${nextWorkspace(sql`r.workspace_id`)}) following
      where  r.found < ${limit} and r.place < ${candidates}
    ),
    rotation_end as (select workspace_id from rotation where found >= ${limit} or place >= ${candidates}),
    candidate as materialized (
      select workspace_id, channel_id, bool_or(in_turn) as in_turn
      from   (
        select workspace_id, channel_id, false as in_turn from earliest
        union  all
        select workspace_id, channel_id, true from rotation where due = 1
      ) found
      group  by workspace_id, channel_id
    )`
}

/**
 * The first destination of a `channel c` that may be published, if nothing is being published there: `due_at` and `id`. An occurrence
 * that waits for an earlier one of its series is passed over.
 */
export function headOf(sql: Sql) {
  return sql`
    select f.due_at, f.id
    from   (${firstOf(sql)}) f
    where  f.expires_at > now()
    order  by f.due_at, f.id
    limit  1`
}

function firstOf(sql: Sql) {
  return sql`
      select d.due_at, d.id, d.expires_at
      from   destination d
      where  d.workspace_id = c.workspace_id and d.channel_id = c.id
      and    d.filed_as in ('scheduled', 'delayed', 'partially_published')  -- literals, so that destination_head applies
      and    (d.series_id is null or ${waitsFor(sql)} is null)
      order  by d.due_at, d.id
      limit  ${MAX_EXPIRED}`
}

/** When the first destination of a held `channel c` is to be announced as delayed. */
function announcementOf(sql: Sql) {
  const first = sql`
    select d.due_at, d.expires_at
    from   destination d
    where  d.workspace_id = c.workspace_id and d.channel_id = c.id and d.filed_as = 'scheduled'  -- a literal, so that destination_scheduled applies
    order  by d.due_at
    limit  ${MAX_EXPIRED}`
  return sql`
    ${ANNOUNCE_HOLD_AFTER_MS} * interval '1 ms' + coalesce(
      (select f.due_at from (${first}) f where f.expires_at > now() order by f.due_at limit 1),
      (select now() from (${first}) f limit 1),
      'infinity')`
}

/** Whether something of a channel is being published, leased or in the hands of its network. */
export function isBusy(sql: Sql, row: 'c' | 'q' = 'c', id: 'id' | 'channel_id' = 'id') {
  return sql`coalesce((
    select true from publication p
    where  p.workspace_id = ${sql(row)}.workspace_id and p.channel_id = ${sql(row)}.${sql(id)}
    limit  1), false)`
}

/**
 * Postpones the next claim from channels of which nothing can be claimed now, and plans when to announce what is held there,
 * with the commit. Their rows are locked first and read then: a transaction that makes something claimable meanwhile has committed
 * and is seen, or waits, or has the lock, and then the channel is left as it is. No lock is waited for. `onPostponed` is
 * called for each channel that was not postponed so far already.
 */
export async function postponeChannels(
  tx: Tx,
  channels: readonly ChannelKey[],
  onPostponed: () => void,
): Promise<void> {
  if (channels.length === 0) return
  const locked = await tx<ChannelKey[]>`
    select c.workspace_id as "workspaceId", c.id as "channelId"
    from   ${listed(tx, channels)}
    join   channel c on c.workspace_id = l.workspace_id and c.id = l.channel_id
    join   channel_queue q on q.workspace_id = c.workspace_id and q.channel_id = c.id
    for    update of c, q skip locked`
  if (locked.length === 0) return
  tx.defer(async () => (await postponeLocked(tx, locked)).forEach(onPostponed))
}

/** Puts off the channels on which a claim has just begun something, until something else of them is due. */
export function postponeClaimed(tx: Tx, channels: readonly ChannelKey[]): void {
  if (channels.length > 0) tx.defer(() => tx`select postpone_claimed(${channelKeys(tx, channels)})`)
}

/** With offsets, so that each of these facts is looked up once, and not wherever it is named. */
function postponeLocked(tx: Tx, channels: readonly ChannelKey[]) {
  return tx`
    update channel_queue q
    set    look_at = later.look_at, announce_at = later.announce_at
    from   ${listed(tx, channels)}
    join   channel c on c.workspace_id = l.workspace_id and c.id = l.channel_id
    cross  join lateral (
      select coalesce((select due_at from (${headOf(tx)}) f), (select due_at from (${firstOf(tx)}) f limit 1), 'infinity') as due_at
      offset 0
    ) head
    cross  join lateral (
      select c.enabled and c.connection_status = 'connected' and ${isAway(tx)} as away,
             c.enabled and c.connection_status = 'connected' and coalesce(c.paused_until > now(), false) as paused,
             ${isBusy(tx)} as busy,
             exists (
               select from publication p
               where  p.workspace_id = c.workspace_id and p.channel_id = c.id and not p.was_left) as leased
      offset 0
    ) now_is
    cross  join lateral (
      -- Behind what is published under a lease nothing is put off: its end does not look at the channel again.
      select case when now_is.leased then head.due_at
                  when not c.enabled or now_is.away then 'infinity'
                  when now_is.paused then greatest(head.due_at, c.paused_until)
                  when head.due_at <= now() and now_is.busy then 'infinity'
                  else head.due_at end as look_at,
             case when (now_is.away or now_is.paused) and not now_is.busy then ${announcementOf(tx)} else 'infinity' end as announce_at
      offset 0
    ) later
    where  q.workspace_id = l.workspace_id and q.channel_id = l.channel_id
    and    (q.look_at < later.look_at or q.announce_at <> later.announce_at)
    returning q.channel_id`
}

/** Those channels as rows `l`. */
export function listed(sql: Sql, channels: readonly ChannelKey[]) {
  return sql`unnest(${channelKeys(sql, channels)}) as l (workspace_id, channel_id)`
}

/** The keys of channels as two arguments: the ids of their workspaces, and their own. */
export function channelKeys(sql: Sql, channels: readonly ChannelKey[]) {
  const workspaceIds = channels.map(({ workspaceId }) => workspaceId)
  const channelIds = channels.map(({ channelId }) => channelId)
  return sql`${workspaceIds}::uuid[], ${channelIds}::uuid[]`
}
