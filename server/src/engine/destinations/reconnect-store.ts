import type { ChannelKey } from '../../networks/channels/channel-store.ts'
import type { Change } from '../outbox/envelope.ts'
import { changeColumns } from '../outbox/outbox-store.ts'
import type { Fragment, Sql, Tx } from '../../platform/postgres/db.ts'
import { moves } from './destination-states.ts'
import { DUE_CHANNEL, signalDue } from './destination-store.ts'
import { freshToken } from './tokens.ts'

/**
 * Whether a `destination d` waits for its channel to be connected, or is interrupted for that with a part out: in these
 * words, so that destination_disconnected applies.
 */
function waitsForChannel(sql: Sql) {
  return sql`
    (d.filed_as = 'reconnect_required'
     or (d.filed_as = 'partially_published' and d.due_at is null and d.error ->> 'code' = 'reconnect_required'))`
}

/** A `destination d` in time, on this channel, which is connected. */
function onConnected(sql: Sql, { workspaceId, channelId }: ChannelKey) {
  return sql`
    d.expires_at > now() and d.workspace_id = ${workspaceId} and d.channel_id = ${channelId} and exists (
      select from channel c
      where  c.workspace_id = d.workspace_id and c.id = d.channel_id and c.connection_status = 'connected')`
}

/** How many destinations would go on, now that their channel is connected. */
export async function countResumable(sql: Sql, channel: ChannelKey): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from destination d where ${waitsForChannel(sql)} and ${onConnected(sql, channel)}`
  return row?.count ?? 0
}

/** The next channels after this one, in the order of their keys, for which something waits to be connected. */
export async function waitedForChannels(
  sql: Sql,
  after: ChannelKey,
  limit: number,
): Promise<(ChannelKey & { connected: boolean })[]> {
  const next = (than: Fragment) => sql`
      select d.workspace_id, d.channel_id
      from   destination d
      where  ${waitsForChannel(sql)} and (d.workspace_id, d.channel_id) > (${than})
      order  by d.workspace_id, d.channel_id
      limit  1`
  return sql<(ChannelKey & { connected: boolean })[]>`
    with recursive waited_for as (
      select first.*, 1 as place from (${next(sql`${after.workspaceId}, ${after.channelId}`)}) first
      union  all
      select following.*, w.place + 1
      from   waited_for w
      cross  join lateral (${next(sql`w.workspace_id, w.channel_id`)}) following
      where  w.place < ${limit}
    )
    select c.workspace_id as "workspaceId", c.id as "channelId", c.connection_status = 'connected' as connected
    from   waited_for w
    join   channel c on c.workspace_id = w.workspace_id and c.id = w.channel_id
    order  by w.place`
}

/** Queues once more what waited for its channel to be connected. What is past its allowed time is left to expire. */
export async function requeueReconnected(tx: Tx, channel: ChannelKey, limit: number): Promise<Change[]> {
  const { to } = moves.reconnect
  const changes = await tx<Change[]>`
    with waiting as materialized (
      select d.workspace_id, d.id from destination d
      where  d.filed_as = 'reconnect_required' and ${onConnected(tx, channel)}  -- a literal, so that destination_disconnected applies
      order  by d.id
      limit  ${limit}
      for    no key update of d
    ),
    d as (
      update destination d
      set    status = ${to}, status_since = now(), updated_at = now(), due_at = greatest(d.publish_at, now()),
             tries = 0, error = null, control_token = ${freshToken(tx)}
      from   waiting
      where  d.workspace_id = waiting.workspace_id and d.id = waiting.id
      returning d.*
    )
    select ${changeColumns(tx)} from d`
  signalDue(tx, changes)
  return changes
}

/**
 * Makes what is in doubt on some channels due for a lookup, for which they were not in reach. Returns how many were chosen: where
 * that is `limit`, there may be more. They are found by their channels, and locked by their keys: an index of all that is in
 * doubt, which the status as a literal or their time would allow, is read whole for each channel where statistics know of none.
 */
export async function expediteLookups(
  sql: Sql,
  channels: readonly ChannelKey[],
  limit: number,
): Promise<number> {
  const workspaceIds = channels.map(({ workspaceId }) => workspaceId)
  const channelIds = channels.map(({ channelId }) => channelId)
  const [row] = await sql<[{ count: number }]>`
    with of_channels as materialized (
      select d.workspace_id, d.id, d.due_at
      from   unnest(${workspaceIds}::uuid[], ${channelIds}::uuid[]) as l (workspace_id, channel_id)
      join   destination d on d.workspace_id = l.workspace_id and d.channel_id = l.channel_id
      where  d.filed_as = (select 'checking')
    ),
    chosen as materialized (
      select workspace_id, id from of_channels where due_at > now() order by id limit ${limit}
    ),
    locked as (
      select d.workspace_id, d.id, d.status, d.due_at
      from   chosen
      join   destination d on d.workspace_id = chosen.workspace_id and d.id = chosen.id
      order  by d.id
      for    no key update of d
    ),
    doubtful as (
      select workspace_id, id from locked where status = 'checking' and due_at > now()
    ),
    expedited as (
      update destination d
      set    due_at = now(), check_again_at = now(), updated_at = now()
      from   doubtful
      where  d.workspace_id = doubtful.workspace_id and d.id = doubtful.id
    )
    select count(*)::int as count from chosen`
  return row.count
}

/**
 * Makes due what was interrupted, with a part out, until its channel was connected. Returns how many that are. Their
 * status stays, so there is nothing to announce.
 */
export async function resumeInterrupted(tx: Tx, channel: ChannelKey, limit: number): Promise<number> {
  const { count } = await tx`
    with interrupted as materialized (
      select d.workspace_id, d.id from destination d
      where  d.filed_as = 'partially_published' and d.error ->> 'code' = 'reconnect_required' and d.due_at is null
      and    ${onConnected(tx, channel)}
      order  by d.id
      limit  ${limit}
      for    no key update of d
    )
    update destination d
    set    due_at = now(), check_again_at = now(), updated_at = now()
    from   interrupted
    where  d.workspace_id = interrupted.workspace_id and d.id = interrupted.id`
  if (count > 0) tx.signal(DUE_CHANNEL)
  return count
}
