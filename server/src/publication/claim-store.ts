import { connectionOf } from '../channels/channel-store.ts'
import { heldUntil } from '../destinations/holds.ts'
import { freshToken } from '../destinations/tokens.ts'
import { type Db, isUniqueViolation, type Sql, type Tx, useIndexPlans } from '../platform/db.ts'
import { maxUuid, nilUuid } from '../platform/nil-uuid.ts'
import type { Grant } from '../providers/port.ts'
import { type ChannelKey, dueChannels, headOf, isBusy, putOff } from './channel-queue-store.ts'
import { lookAgainAfterMs } from './decide-outcome.ts'
import { equalParts } from './doubt-store.ts'
import type { Doubt, Lease, OpenAttempt, Subject, WaitingUpload, Work } from './engine-port.ts'
import { type OutageRules, usualOutageRules } from './outage-store.ts'
import { deadWorkers, type HeartbeatTimes } from './worker-store.ts'

export type ClaimOptions = {
  readonly workerId: string
  readonly leaseMs: number
  /** How many destinations of one workspace this worker may hold at once, so that others always find a place. */
  readonly perWorkspace: number
  readonly outageRules?: OutageRules
  /** How old an attempt is, as a rule, when it counts that nothing of it is to be seen: it is looked up then. */
  readonly absenceCountsAfterMs?: number
  /** As the heartbeats of all workers keep them, if these are not the usual times. */
  readonly heartbeatTimes?: HeartbeatTimes
  /** Opens a sealed grant; null when it cannot be opened. */
  readonly openGrant: (sealed: Buffer, channelId: string) => Grant | null
}

type SubjectRow = Omit<Subject, 'grant' | 'grantUnreadable' | 'connected'> & {
  connectionStatus: string
  grantSealed: Buffer
}

function subjectOf<Row extends SubjectRow>(row: Row, { openGrant }: ClaimOptions) {
  const { connectionStatus, grantSealed, ...rest } = row
  const grant = openGrant(grantSealed, row.channelId)
  return {
    ...rest,
    grant: grant ?? {},
    grantUnreadable: grant === null,
    connected: connectionStatus === 'connected',
  }
}

/** What the engine needs to know of a `destination d` on a `channel c`. */
function subjectColumns(sql: Sql) {
  return sql`
    d.workspace_id as "workspaceId", d.id as "destinationId", d.fence, d.post_id as "postId",
    d.channel_id as "channelId", d.provider, d.settings, d.tries,
    c.connection_status as "connectionStatus", ${connectionOf(sql)} as connection, c.grant_sealed as "grantSealed",
    c.provider_origin as origin, c.subscription, c.limits,
    (select jsonb_agg(jsonb_build_object('index', p.index, 'status', p.status, 'text', p.text, 'remoteId', p.remote_id,
                      'media', ${mediaOfPart(sql)})
                      order by p.index)
     from   part p
     where  p.workspace_id = d.workspace_id and p.destination_id = d.id) as parts`
}

/**
 * Takes what is due, and holds each for the length of the lease. Each claim goes on in the circle of workspaces where the
 * one before it ended. One that found nothing but channels that had to be put off looks again: others may stand behind them.
 */
export function claimDue(db: Db, options: ClaimOptions): (limit: number) => Promise<Work[]> {
  let after = nilUuid
  return async (limit) => {
    for (;;) {
      let putOffs = 0
      const works = await claiming(db, options, async (tx) => {
        const { taken, visited, reached } = await takeDue(tx, options, { limit, after })
        after = reached ?? nilUuid
        return { taken, beside: putOff(tx, visited, () => putOffs++) }
      })
      if (works.length > 0 || putOffs === 0) return works
    }
  }
}

/** Takes one destination for each outage whose probe is due, and puts off the probe after it. */
export function claimProbes(db: Db, options: ClaimOptions, limit: number): Promise<Work[]> {
  return claiming(db, options, async (tx) => ({ taken: await takeProbes(tx, options, limit) }))
}

type Taken = { id: string; lateMs: number; probe: string | null }

/** `beside` is what ends together with reading what was taken. */
type Taking = { taken: readonly Taken[]; beside?: Promise<void> }

const claimTriesAtMost = 3

/**
 * The destinations are read by a statement of their own: the one that takes the locks would still see the parts as they
 * were before an edit that it has let go first.
 */
async function claiming(db: Db, options: ClaimOptions, take: (tx: Tx) => Promise<Taking>): Promise<Work[]> {
  for (let tries = 1; ; tries++) {
    try {
      return await db.begin(async (tx) => {
        const [, { taken, beside }] = await Promise.all([useIndexPlans(tx), take(tx)])
        const facts = taken.map(({ id, lateMs, probe }) => [id, { orphan: false, lateMs, probe }] as const)
        const [works] = await Promise.all([readTaken(tx, options, new Map(facts)), beside])
        return works
      })
    } catch (fault) {
      // Another worker has just begun on one of these channels: the next try sees it.
      if (!isUniqueViolation(fault, 'destination_one_publishing')) throw fault
      if (tries === claimTriesAtMost) return []
    }
  }
}

/** What is said of a claimed destination besides what the database has of it. */
type TakenFacts = Pick<Work, 'orphan' | 'lateMs' | 'probe'>

/**
 * Reads what this transaction has just leased. An attempt that is open comes with it in every case: a call that may have
 * been made is never passed over.
 */
async function readTaken(
  tx: Tx,
  options: ClaimOptions,
  facts: ReadonlyMap<string, TakenFacts>,
): Promise<Work[]> {
  if (facts.size === 0) return []
  type Row = SubjectRow &
    Lease & { attempt: AttemptJson | null; upload: WaitingUpload | null; suspected: boolean }
  const rows = await tx<Row[]>`
    select ${subjectColumns(tx)}, d.upload, ${suspectedColumn(tx)}, ${attemptColumn(tx)}
    from   destination d
    join   channel c on c.workspace_id = d.workspace_id and c.id = d.channel_id
    left   join attempt a on a.workspace_id = d.workspace_id and a.destination_id = d.id and a.verdict is null
    where  d.id = any(${[...facts.keys()]}::uuid[])`
  return rows.map(({ attempt, ...row }) => ({
    ...subjectOf(row, options),
    ...{ orphan: false, lateMs: 0, probe: null, ...facts.get(row.destinationId) },
    attempt: attempt && { ...attempt, armedAt: new Date(attempt.armedAt) },
  }))
}

/** Whether calls to the network of a `channel c` failed lately. */
function suspectedColumn(sql: Sql) {
  return sql`exists (select from network_failure f where f.origin = c.provider_origin) as suspected`
}

/** The media of a `part p`, in its order, as the engine needs it. */
function mediaOfPart(sql: Sql) {
  return sql`
    case when p.media_ids = '{}' then '[]'::jsonb else (
      select jsonb_agg(jsonb_build_object(
               'mediaId', wanted.id, 'kind', m.kind, 'contentType', m.content_type, 'sizeBytes', m.size_bytes,
               'width', m.width, 'height', m.height, 'durationMs', m.duration_ms, 'animated', m.animated,
               'altText', m.alt_text, 'storageKey', m.storage_key)
               order by wanted.place)
      from   unnest(p.media_ids) with ordinality as wanted (id, place)
      left   join media_item m on m.workspace_id = p.workspace_id and m.id = wanted.id) end`
}

type DueTaken = {
  taken: Taken[]
  /** The channels of which nothing can be claimed now, those just taken included. */
  visited: ChannelKey[]
  /** Where the circle of workspaces ended; null at its end, or where it was not needed. */
  reached: string | null
}

/**
 * One row per channel, the earliest due. Workspaces take turns: the first channel of each comes before the second of
 * any, so a thousand due posts of one never stand before another's one. Where more channels are due than are looked at,
 * those whose workspaces are next in the circle come first in each turn: after a whole circle every workspace had its
 * turn, however old the posts of others are.
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
      select d.workspace_id, count(*) as held
      from   destination d
      where  d.status = 'publishing' and d.leased_by = ${workerId}
      group  by d.workspace_id
    ),
    head as (
      select n.workspace_id, n.channel_id, n.in_turn, head.due_at, head.id
      from   candidate n
      join   channel c on c.workspace_id = n.workspace_id and c.id = n.channel_id
      -- Where the owner has to reconnect it, no call is made: that is said at once.
      and    c.enabled and (${heldUntil(tx)} is null or c.connection_status <> 'connected')
      cross  join lateral (${headOf(tx)}) head
      where  head.due_at <= now() and not ${isBusy(tx)}
    ),
    queue as (
      select h.*, row_number() over (partition by h.workspace_id order by h.due_at, h.id) + coalesce(held.held, 0) as turn
      from   head h
      left   join held on held.workspace_id = h.workspace_id
    ),
    turns as (
      select * from queue where turn <= ${perWorkspace} order by turn, in_turn desc, due_at limit ${limit}
    ),
    -- Chosen first and locked then: whoever finds the first of a channel locked must not take its second.
    taken as (
      select d.workspace_id, d.id, d.due_at, null::uuid as probe
      from   turns
      join   destination d on d.workspace_id = turns.workspace_id and d.id = turns.id
      where  d.status in ('scheduled', 'delayed', 'partially_published') and d.due_at <= now()
      for    no key update of d skip locked
    ),
    leased as (${leaseTaken(tx, options)})
    select coalesce((select jsonb_agg(jsonb_build_object('id', id, 'lateMs', "lateMs", 'probe', probe)) from leased), '[]') as taken,
           coalesce((
             select jsonb_agg(jsonb_build_object('workspaceId', workspace_id, 'channelId', channel_id))
             from   candidate
             where  channel_id not in (select channel_id from head where id not in (select id from leased))), '[]') as visited,
           (select workspace_id from reached) as reached`
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
      where  ${usable} and c.workspace_id between coalesce(o.workspace_id, ${nilUuid}) and coalesce(o.workspace_id, ${maxUuid})
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
    taken as (
      select d.workspace_id, d.id, d.due_at, candidate.probe
      from   candidate
      join   destination d on d.workspace_id = candidate.workspace_id and d.id = candidate.id
      where  d.status in ('scheduled', 'delayed', 'partially_published') and d.due_at <= now()
      order  by d.id
      for    no key update of d skip locked
    ),
    probing as (
      update network_outage o
      set    probe_at = now() + ${probeTimeoutMs} * interval '1 ms'
      from   taken
      where  o.id = taken.probe
    )
    ${leaseTaken(tx, options)}`
}

/** Leases what is in `taken`. */
function leaseTaken(sql: Sql, { workerId, leaseMs }: ClaimOptions) {
  return sql`
    update destination d
    set    status = 'publishing', status_since = now(), updated_at = now(), control_token = ${freshToken(sql)},
           fence = d.fence + 1, leased_by = ${workerId}, lease_until = now() + ${leaseMs} * interval '1 ms',
           check_again_at = null, error = null
    from   taken
    where  taken.workspace_id = d.workspace_id and taken.id = d.id
    returning d.id, extract(epoch from now() - taken.due_at)::float8 * 1000 as "lateMs", taken.probe`
}

/** An open attempt `a` as the engine sees it. */
function attemptColumn(sql: Sql) {
  return sql`
    case when a.id is not null then jsonb_build_object(
      'id', a.id, 'partIndex', a.part_index, 'armedAt', a.armed_at, 'handle', a.handle, 'media', a.media, 'prepared', a.prepared,
      'ageMs', extract(epoch from now() - a.armed_at) * 1000) end as attempt`
}

type AttemptJson = Omit<OpenAttempt, 'armedAt'> & { readonly armedAt: string }

/** Takes over what a lost worker left in `publishing`: its lease is over, or it is known to be dead. */
export function claimOrphans(db: Db, options: ClaimOptions, limit: number): Promise<Work[]> {
  return takeOver(db, options, 'orphans', limit)
}

/** Takes what a provider is processing and what is to be polled now. */
export function claimProcessing(db: Db, options: ClaimOptions, limit: number): Promise<Work[]> {
  return takeOver(db, options, 'processing', limit)
}

function orphans(sql: Sql, { heartbeatTimes }: ClaimOptions, limit: number) {
  return sql`
    dead as materialized (${deadWorkers(sql, heartbeatTimes)}),
    chosen as (
      select d.workspace_id, d.id
      from   destination d
      where  d.status = 'publishing' and (d.lease_until <= now() or d.leased_by in (select id from dead))
      order  by d.lease_until
      limit  ${limit}
      for    no key update skip locked
    )`
}

function processing(sql: Sql, limit: number) {
  return sql`
    chosen as (
      select d.workspace_id, d.id
      from   destination d
      where  d.status = 'publishing' and d.lease_until is null and d.due_at <= now()
      order  by d.due_at
      limit  ${limit}
      for    no key update skip locked
    )`
}

/**
 * Leases destinations that are `publishing` already, each with the attempt that is open. The attempts are read by a
 * statement after the one that takes the locks: what was armed while that one ran is not in its snapshot, and a call
 * that may have been made would be taken for none.
 */
function takeOver(
  db: Db,
  options: ClaimOptions,
  which: 'orphans' | 'processing',
  limit: number,
): Promise<Work[]> {
  const { workerId, leaseMs } = options
  return db.begin(async (tx) => {
    const taken = await tx<{ id: string }[]>`
      with ${which === 'orphans' ? orphans(tx, options, limit) : processing(tx, limit)}
      update destination d
      set    fence = d.fence + 1, leased_by = ${workerId}, lease_until = now() + ${leaseMs} * interval '1 ms'
      from   chosen
      where  chosen.workspace_id = d.workspace_id and chosen.id = d.id
      returning d.id`
    const facts = { orphan: which === 'orphans', lateMs: 0, probe: null }
    return readTaken(tx, options, new Map(taken.map(({ id }) => [id, facts])))
  })
}

/**
 * Takes what is in doubt and due to be looked up, and puts the next lookup off: that alone keeps others from it. It is
 * put off no further than to the moment from which it counts that nothing is there.
 */
export async function claimDoubts(db: Db, options: ClaimOptions, limit: number): Promise<Doubt[]> {
  const { absenceCountsAfterMs } = options
  const absenceMs = absenceCountsAfterMs === undefined ? null : absenceCountsAfterMs + 1
  type Row = SubjectRow & { attempt: AttemptJson; expired: boolean; knownRemoteIds: string[] }
  const rows = await db<Row[]>`
    with chosen as (
      select d.workspace_id, d.id, now() + interval '1 ms' *
               (${[...lookAgainAfterMs]}::int[])[least(d.tries + 2, ${lookAgainAfterMs.length})] as next_at
      from   destination d
      where  d.status = 'checking' and d.due_at <= now()
      order  by d.due_at
      limit  ${limit}
      for    no key update skip locked
    ),
    due as (
      select chosen.workspace_id, chosen.id,
             case when absence.counts_at > now() then least(chosen.next_at, absence.counts_at) else chosen.next_at end as next_at
      from   chosen
      left   join lateral (
        select a.armed_at + ${absenceMs} * interval '1 ms' as counts_at
        from   attempt a
        where  a.workspace_id = chosen.workspace_id and a.destination_id = chosen.id and a.verdict = 'unknown'
        limit  1
      ) absence on true
    ),
    claimed as (
      update destination d
      set    tries = d.tries + 1, due_at = due.next_at, check_again_at = due.next_at
      from   due
      where  due.workspace_id = d.workspace_id and due.id = d.id
      returning d.*
    )
    select ${subjectColumns(db)}, ${attemptColumn(db)}, coalesce(d.expires_at <= now(), false) as expired,
           array(
             select other.remote_id
             from   ${equalParts(db, 'a')}
             where  other.remote_id is not null
           ) as "knownRemoteIds"
    from   claimed d
    join   channel c on c.workspace_id = d.workspace_id and c.id = d.channel_id
    join   attempt a on a.workspace_id = d.workspace_id and a.destination_id = d.id and a.verdict = 'unknown'`
  return rows.map(({ attempt, ...row }) => ({
    ...subjectOf(row, options),
    attempt: { ...attempt, armedAt: new Date(attempt.armedAt) },
  }))
}
