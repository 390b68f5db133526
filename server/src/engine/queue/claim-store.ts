import type { ChannelKey } from '../../networks/channels/channel-store.ts'
import { heldUntil } from '../destinations/holds.ts'
import { claimed } from '../destinations/queue-moves.ts'
import { type Db, type Fragment, type Sql, type Tx, useIndexPlans } from '../../platform/postgres/db.ts'
import { MAX_UUID, NIL_UUID } from '../../platform/text/nil-uuid.ts'
import { dueChannels, headOf, isBusy, postponeChannels, postponeClaimed } from './channel-queue-store.ts'
import type { Work } from './work.ts'
import { usualOutageRules } from './outage-store.ts'
import { type ClaimOptions, readTaken, type Taken as Leased } from './work-store.ts'

/**
 * Claims what is due, each destination for the length of the lease. Workspaces are served round-robin: each claim resumes
 * after the workspace at which the one before it ended. A claim that found nothing but channels to postpone, or that another
 * worker has just begun on, is repeated: there may be others behind them.
 */
export function claimDue(db: Db, options: ClaimOptions): (limit: number) => Promise<Work[]> {
  let after = NIL_UUID
  return async (limit) => {
    for (;;) {
      let passedOver = 0
      const works = await claiming(db, options, async (tx) => {
        const { taken, lost, unclaimable, endedAt } = await takeDue(tx, options, { limit, after })
        after = endedAt ?? NIL_UUID
        passedOver = lost
        postponeClaimed(tx, taken)
        return { taken, postponing: postponeChannels(tx, unclaimable, () => passedOver++) }
      })
      if (works.length > 0 || passedOver === 0) return works
    }
  }
}

/** Claims one destination for each outage whose probe is due, and schedules the next probe. */
export function claimProbes(db: Db, options: ClaimOptions, limit: number): Promise<Work[]> {
  return claiming(db, options, async (tx) => ({ taken: await takeProbes(tx, options, limit) }))
}

type Taken = Omit<Leased, 'orphan'> & { readonly channelId: string }

type Taking = { taken: readonly Taken[]; postponing?: Promise<void> }

const MAX_CLAIM_TRIES = 3

/** A channel was disabled or removed while something of it was claimed. */
class ChannelEnded extends Error {}

/**
 * The destinations are read by a statement of their own: the snapshot of the one that takes the locks is older than an
 * edit, or the end of a channel, whose commit it waited for. A claim that finds a channel ended then is undone as a whole.
 */
async function claiming(db: Db, options: ClaimOptions, take: (tx: Tx) => Promise<Taking>): Promise<Work[]> {
  for (let tries = 1; ; tries++) {
    try {
      return await db.begin(async (tx) => {
        const [, { taken, postponing }] = await Promise.all([useIndexPlans(tx), take(tx)])
        const leased = taken.map((one) => ({ ...one, orphan: false }))
        const [works] = await Promise.all([readTaken(tx, options, leased, { begins: true }), postponing])
        if (works.length < leased.length) throw new ChannelEnded()
        return works
      })
    } catch (fault) {
      if (!(fault instanceof ChannelEnded)) throw fault
      if (tries === MAX_CLAIM_TRIES) return []
    }
  }
}

type DueTaken = {
  taken: Taken[]
  /** How many were not taken, because another worker had just begun on their channel. */
  lost: number
  /** The channels of which nothing can be claimed now. */
  unclaimable: ChannelKey[]
  /** The workspace at which the rotation was ended by the limit; null where it was complete, or not needed. */
  endedAt: string | null
}

/**
 * One row per channel, the earliest due. Workspaces take turns: the first channel of each comes before the second of
 * any, so a thousand due posts of one never stand before another's one. Where more channels are due than are considered,
 * those whose workspaces are next in the rotation come first in each turn: after a complete rotation every workspace had
 * its turn, however old the posts of others are.
 */
async function takeDue(
  tx: Tx,
  options: ClaimOptions,
  { limit, after }: { limit: number; after: string },
): Promise<DueTaken> {
  const { workerId, perWorkspace } = options
  const [row] = await tx<[DueTaken]>`
    with recursive ${dueChannels(tx, { limit, after })},
    held as materialized (
      select p.workspace_id, count(*) as held
      from   publication p
      where  p.leased_by = ${workerId}
      group  by p.workspace_id
    ),
    head as (
      select n.workspace_id, n.channel_id, n.in_turn, head.due_at, head.id
      from   candidate n
      join   channel c on c.workspace_id = n.workspace_id and c.id = n.channel_id
      -- Where the owner has to reconnect it, no call is made: that is said at once.
      and    c.enabled and (${heldUntil(tx)} is null or c.connection_status <> 'connected')
      cross  join lateral (${headOf(tx)}) head
      where  head.due_at <= now()
    ),
    queue as (
      select h.*, row_number() over (partition by h.workspace_id order by h.due_at, h.id) + coalesce(held.held, 0) as turn
      from   head h
      left   join held on held.workspace_id = h.workspace_id
    ),
    turns as (
      select * from queue where turn <= ${perWorkspace} order by turn, in_turn desc, due_at limit ${limit}
    ),
    -- Chosen first and locked then: a claim that finds the first of a channel locked must not take its second.
    locked as (${lockedByKey(tx, tx`turns`)}),
    taken as (select workspace_id, channel_id, id from locked where ${isDue(tx)}),
    ${begun(tx, options)},
    leased as (${leaseBegun(tx, options, tx`null::uuid`)})
    select coalesce((select jsonb_agg(jsonb_build_object('workspaceId', "workspaceId", 'channelId', "channelId", 'id', id, 'lateMs', "lateMs", 'probe', probe)) from leased), '[]') as taken,
           ((select count(*) from taken) - (select count(*) from begun))::int as lost,
           coalesce((
             select jsonb_agg(jsonb_build_object('workspaceId', workspace_id, 'channelId', channel_id))
             from   candidate
             where  channel_id not in (select channel_id from head)), '[]') as unclaimable,
           (select workspace_id from rotation_end) as "endedAt"`
  return row
}

/**
 * The destination that probes an `outage o`. An account that has not failed comes first, whichever is found first by
 * its key; and then the one whose failure is the oldest.
 */
function probeOf(sql: Sql, { failed }: { failed: boolean }) {
  const usable = sql`
    c.provider_origin = o.origin and c.enabled and c.connection_status = 'connected'
    and    (c.paused_until is null or c.paused_until <= now()) and head.due_at <= now() and not ${isBusy(sql)}`
  if (failed) {
    return sql`
      select 2 as turn, c.workspace_id, head.id
      from   network_failure f
      join   channel c on c.workspace_id = f.workspace_id and c.id = f.channel_id
      cross  join lateral (${headOf(sql)}) head
      where  f.origin = o.origin and (o.workspace_id is null or f.workspace_id = o.workspace_id) and ${usable}
      order  by f.failed_at, head.due_at, head.id
      limit  1`
  }
  return sql`
      select 1 as turn, c.workspace_id, head.id
      from   channel c
      cross  join lateral (${headOf(sql)}) head
      where  ${usable} and c.workspace_id between coalesce(o.workspace_id, ${NIL_UUID}) and coalesce(o.workspace_id, ${MAX_UUID})
      and    not exists (
        select from network_failure f
        where  f.origin = o.origin and f.workspace_id = c.workspace_id and f.channel_id = c.id)
      order  by c.workspace_id, c.id
      limit  1`
}

async function takeProbes(tx: Tx, options: ClaimOptions, limit: number): Promise<Taken[]> {
  const { probeTimeoutMs } = options.outageRules ?? usualOutageRules
  return tx<Taken[]>`
    with outage as (
      select o.id, o.origin, o.workspace_id
      from   network_outage o
      where  o.probe_at <= now()
      order  by o.id
      limit  ${limit}
      for    update skip locked
    ),
    candidate as (
      select o.id as probe, first.workspace_id, first.id
      from   outage o
      cross  join lateral (
        select * from (${probeOf(tx, { failed: false })}) not_failed
        union  all
        select * from (${probeOf(tx, { failed: true })}) failed
        order  by turn
        limit  1
      ) first
    ),
    locked as (${lockedByKey(tx, tx`candidate`)}),
    taken as (
      select l.workspace_id, l.channel_id, l.id, candidate.probe
      from   locked l
      join   candidate on candidate.id = l.id
      where  ${isDue(tx)}
    ),
    ${begun(tx, options)},
    probing as (
      update network_outage o
      set    probe_at = now() + ${probeTimeoutMs} * interval '1 ms'
      from   taken
      join   begun on begun.destination_id = taken.id
      where  o.id = taken.probe
    )
    ${leaseBegun(tx, options, tx`(select probe from taken t where t.id = d.id limit 1)`)}`
}

/**
 * Locks the destinations that `chosen` names. Their status and time are checked on the locked rows (`isDue`): as conditions of
 * this join, they would have the planner read all that is due, where statistics say that this is little.
 */
function lockedByKey(sql: Sql, chosen: Fragment) {
  return sql`
      select d.workspace_id, d.channel_id, d.id, d.status, d.due_at
      from   ${chosen} chosen
      join   destination d on d.workspace_id = chosen.workspace_id and d.id = chosen.id
      order  by d.id
      for    no key update of d skip locked`
}

/** Whether one that was `locked` may still be claimed. */
function isDue(sql: Sql) {
  return sql`status in ('scheduled', 'delayed', 'partially_published') and due_at <= now()`
}

/**
 * A common table expression that notes what is in `taken` as being published, `begun`: nothing of a channel where something is
 * already. A claim or a removal of the channel that is under way is waited for.
 */
function begun(sql: Sql, { workerId }: ClaimOptions) {
  return sql`
    begun as (
      insert into publication (workspace_id, channel_id, destination_id, leased_by)
      select workspace_id, channel_id, id, ${workerId} from taken order by workspace_id, channel_id, id
      on     conflict do nothing
      returning workspace_id, destination_id
    )`
}

/** Leases what has `begun`. */
function leaseBegun(sql: Sql, lease: ClaimOptions, probe: Fragment) {
  return sql`
    ${claimed(sql, lease)}
    from   begun
    where  begun.workspace_id = d.workspace_id and begun.destination_id = d.id
    returning d.workspace_id as "workspaceId", d.channel_id as "channelId", d.id, extract(epoch from now() - d.due_at)::float8 * 1000 as "lateMs", ${probe} as probe`
}
