import type { Db, Sql } from '../../platform/postgres/db.ts'
import { mayHaveEvents } from './endpoint-right.ts'
import { MAX_ATTEMPTS, unsentErrors, WAITS_MS, type AttemptError, type Decision } from './retry-policy.ts'

/** One delivery that this dispatcher may send now: its attempt is counted, its lease runs. */
export type Claimed = {
  readonly workspaceId: string
  readonly endpointId: string
  readonly eventId: string
  readonly eventType: string
  readonly fence: number
  /** From 1, within the round. */
  readonly attempt: number
  readonly url: string
  /** Null when the event is no longer stored. */
  readonly body: Buffer | null
  /** The sealed secrets that sign, the newest first. */
  readonly sealedSecrets: readonly Buffer[]
  /** By the clock of the database, in seconds since 1970: that of this process may be wrong, and receivers reject an old or early timestamp. */
  readonly claimedAt: number
}

export type ClaimOptions = {
  /** 256 at most. */
  readonly limit: number
  /**
   * How many deliveries to one endpoint may be in flight at once, of all dispatchers together as far as their claims have
   * committed: those that claim at the same moment do not see each other's, and each takes up to as many.
   */
  readonly perEndpoint: number
  /** Endpoints that may have more than that in flight. */
  readonly favoured: { readonly endpointIds: readonly string[]; readonly perEndpoint: number }
  /** Endpoints that fail now, or those that do not. */
  readonly failing: boolean
  /** Endpoints take turns in the order of their ids: the turn begins after this one. */
  readonly after: string
  readonly except: readonly string[]
  readonly leaseMs: number
}

/**
 * Takes due deliveries, endpoint after endpoint, of each no more than it may have in flight, and none whose owner may not have them now. A queue in order of
 * time would let one dead endpoint with many pending deliveries starve all others; here the claim hops through the
 * index from one endpoint to the next, and stops when it has enough. What is in flight is counted from the rows: a counter
 * would drift with every crash. It was due first, and so stands in front of what waits; what a transaction that was open for
 * long puts before it, is passed over up to as many as there are places. The rows that it has locked are updated by their
 * place (ctid): joined by their keys, the planner reads the whole table.
 */
export async function claim(db: Db, options: ClaimOptions): Promise<Claimed[]> {
  const { limit, perEndpoint, favoured, failing, after, except, leaseMs } = options
  const rows = await db<(OfEndpoint | OfDelivery)[]>`
    with recursive ahead as (
      (select endpoint_id from delivery where settled_at is null and endpoint_id > ${after} order by endpoint_id limit 1)
      union all
      select (select d.endpoint_id from delivery d
              where  d.settled_at is null and d.endpoint_id > a.endpoint_id order by d.endpoint_id limit 1)
      from   ahead a
      where  a.endpoint_id is not null
    ),
    behind as (
      (select endpoint_id from delivery where settled_at is null and endpoint_id <= ${after} order by endpoint_id limit 1)
      union all
      select (select d.endpoint_id from delivery d
              where  d.settled_at is null and d.endpoint_id > b.endpoint_id and d.endpoint_id <= ${after}
              order  by d.endpoint_id limit 1)
      from   behind b
      where  b.endpoint_id is not null
    ),
    rotation as (
      select endpoint_id from ahead where endpoint_id is not null
      union all
      select endpoint_id from behind where endpoint_id is not null
    ),
    picked as (  -- limited to the largest claim first: a limit that is not known has the statement planned for each claim
      select f.place
      from   (
        select d.place
        from   rotation r
        cross  join lateral (  -- limited first: asked for by its status, too, all active ones are read for each
          select e.*, case when e.id = any (${[...favoured.endpointIds]}::uuid[])
                           then ${favoured.perEndpoint}::int else ${perEndpoint}::int end as places
          from   endpoint e
          where  e.id = r.endpoint_id
          limit  1
        ) e
        cross  join lateral (
          select count(first.lease_until) as in_flight
          from   (
            select s.lease_until from delivery s
            where  s.endpoint_id = r.endpoint_id and s.settled_at is null
            order  by s.next_at, s.event_id
            limit  2 * e.places
          ) first
        ) busy
        cross  join lateral (
          select p.ctid as place
          from   delivery p
          where  p.endpoint_id = r.endpoint_id and p.settled_at is null and p.lease_until is null and p.next_at <= now()
          order  by p.next_at, p.event_id
          limit  greatest(0, e.places - busy.in_flight)
          for    no key update skip locked
        ) d
        where  e.status = 'active' and (e.failing_since is not null) = ${failing} and not (e.id = any (${[...except]}::uuid[]))
        and    ${mayHaveEvents(db)}
        limit  256
      ) f
      limit  ${limit}
    ),
    claimed as (
      update delivery d
      set    status = 'sending', attempts = d.attempts + 1, fence = d.fence + 1,
             lease_until = now() + ${leaseMs} * interval '1 ms'
      where  d.ctid = any (array(select place from picked)) and d.attempts < ${MAX_ATTEMPTS}
      returning d.endpoint_id, d.event_id, d.event_type, d.test_body, d.fence, d.attempts
    )
    select e.id as "endpointId", e.workspace_id as "workspaceId", e.url,
           array(
             select s.sealed
             from   endpoint_secret s
             where  s.workspace_id = e.workspace_id and s.endpoint_id = e.id
             and    (s.retires_at is null or s.retires_at > now())
             order  by s.id desc
           ) as "sealedSecrets", extract(epoch from now())::float8 as "claimedAt",
           null::uuid as "eventId", null::text as "eventType", null::int as fence, null::int as attempt, null::text as body
    from   endpoint e
    where  e.id = any (array(select distinct endpoint_id from claimed))
    union all
    select endpoint_id, null, null, null, null, event_id, event_type, fence, attempts,
           convert_from(coalesce(test_body, (select body from outbox_event ev where ev.id = event_id)), 'UTF8')
    from   claimed`
  const endpoints = new Map<string, OfEndpoint>()
  for (const row of rows) if (row.eventId === null) endpoints.set(row.endpointId, row)
  return rows.flatMap((row) => {
    if (row.eventId === null) return []
    const endpoint = endpoints.get(row.endpointId)
    return endpoint === undefined ? [] : [claimedOf(endpoint, row)]
  })
}

/** What all deliveries to an endpoint have in common comes once. */
type OfEndpoint = Pick<Claimed, 'endpointId' | 'workspaceId' | 'url' | 'sealedSecrets' | 'claimedAt'> & {
  readonly eventId: null
}
/** The body is text as it was recorded: UTF-8. */
type OfDelivery = Pick<Claimed, 'endpointId' | 'eventId' | 'eventType' | 'fence' | 'attempt'> & {
  readonly body: string | null
}

function claimedOf(endpoint: OfEndpoint, row: OfDelivery): Claimed {
  const { workspaceId, endpointId, url, sealedSecrets, claimedAt } = endpoint
  const { eventId, eventType, fence, attempt, body } = row
  return {
    workspaceId,
    endpointId,
    eventId,
    eventType,
    fence,
    attempt,
    url,
    body: body === null ? null : Buffer.from(body),
    sealedSecrets,
    claimedAt,
  }
}

/** How one attempt ended. */
export type Completion = Pick<Claimed, 'workspaceId' | 'endpointId' | 'eventId' | 'fence'> & {
  readonly decision: Decision
  readonly httpStatus: number | null
  readonly durationMs: number
}

/** What a completion did; `lost` when the lease was no longer ours and nothing was written. */
export type Completed = { readonly stored: 'settled' | 'lost'; readonly disabled: boolean }

/** After so long without one success, and so many deliveries given up, an endpoint is disabled. */
export type DisablePolicy = { readonly failingMs: number; readonly lostAtLeast: number }

/**
 * Stores the completions of attempts, many in one statement: the delivery moves if the lease still holds, an attempt that does
 * not settle it is logged, and the endpoint's record of failing begins, grows or ends. Only a delivery that was given up can
 * disable its endpoint, so a single bad answer never does. The commit does not wait for the disk: should the database crash
 * and lose it, the lease runs out and the event is sent again, which receivers have to handle in any case. A claim does wait.
 */
export async function complete(
  db: Db,
  completions: readonly Completion[],
  { failingMs, lostAtLeast }: DisablePolicy,
): Promise<Completed[]> {
  const rows = await db<{ place: number; disabled: boolean }[]>`
    with given as (
      select *
      from   rows from (
               jsonb_to_recordset(${db.json(completions.map(rowOf))})
               as (endpoint_id uuid, event_id uuid, fence int, status text, wait_ms float8, http_status smallint,
                   duration_ms real, error text))
             with ordinality as g (endpoint_id, event_id, fence, status, wait_ms, http_status, duration_ms, error, number)
    ),
    found as (  -- the limit has each looked up by its key, however few the planner takes them for
      select g.*, e.status as endpoint_status, k.place
      from   given g
      join   endpoint e on e.id = g.endpoint_id
      cross  join lateral (
        select d.ctid as place
        from   delivery d
        where  d.workspace_id = e.workspace_id and d.endpoint_id = g.endpoint_id and d.event_id = g.event_id
        limit  1
      ) k
    ),
    moved as (  -- a lease is there while it is sending; asked for plainly, one row would be expected, and each compared with all
      update delivery d
      set    status = case when g.status = 'pending' and g.endpoint_status = 'disabled' then 'failed' else g.status end,
             settled_at = case when g.status = 'pending' and g.endpoint_status = 'active' then null else now() end,
             next_at = case when g.status = 'pending' then now() + g.wait_ms * interval '1 ms' else d.next_at end, lease_until = null,
             duration_ms = case when g.status = 'pending' and g.endpoint_status = 'active' then null else g.duration_ms end,
             http_status = g.http_status, error = g.error
      from   found g
      where  d.ctid = any (array(select place from found)) and d.ctid = g.place
      and    d.fence = g.fence and coalesce(d.lease_until > '-infinity', false)
      returning g.number, d.workspace_id, d.endpoint_id, d.event_id, d.round, d.attempts, d.status, d.http_status, d.error,
                d.test_body is not null as test, g.duration_ms
    ),
    logged as (
      insert into delivery_attempt (workspace_id, endpoint_id, event_id, round, number, duration_ms, http_status, error)
      select workspace_id, endpoint_id, event_id, round, attempts, duration_ms, http_status, error from moved
      where  status = 'pending'
      ${replacingOutlived(db)}
    ),
    outcomes as (  -- what was not sent says nothing about the endpoint
      select workspace_id, endpoint_id, bool_or(error is null) as succeeded,
             count(*) filter (where status = 'failed' and not test) as lost
      from   moved
      where  error is null or error <> all (${[...unsentErrors]})
      group  by workspace_id, endpoint_id
    ),
    affected as (  -- locked in one order, so that two dispatchers cannot wait for each other
      select e.id, t.succeeded, t.lost,
             not t.succeeded and t.lost > 0 and e.status = 'active' and e.lost_since + t.lost >= ${lostAtLeast}
             and e.failing_since <= now() - ${failingMs} * interval '1 ms' as disabled
      from   endpoint e
      join   outcomes t on t.workspace_id = e.workspace_id and t.endpoint_id = e.id
      where  case when t.succeeded then e.failing_since is not null else e.failing_since is null or t.lost > 0 end
      order  by e.id
      for    no key update of e
    ),
    marked as (
      update endpoint e
      set    failing_since = case when a.succeeded then null else coalesce(e.failing_since, now()) end,
             lost_since = case when a.succeeded then 0 else e.lost_since + a.lost::int end,
             status = case when a.disabled then 'disabled' else e.status end,
             status_since = case when a.disabled then now() else e.status_since end,
             disabled_reason = case when a.disabled then 'failing' else e.disabled_reason end,
             updated_at = now()
      from   affected a
      where  e.id = a.id
      returning e.id, coalesce(a.disabled, false) as disabled
    )
    select m.number::int as place, coalesce(k.disabled, false) as "disabled"
    from   (select set_config('synchronous_commit', 'off', true)) async_commit
    cross  join moved m
    left   join marked k on k.id = m.endpoint_id`
  const ends = completions.map((): Completed => ({ stored: 'lost', disabled: false }))
  for (const { place, disabled } of rows) ends[place - 1] = { stored: 'settled', disabled }
  return ends
}

const statusAfter = { confirm: 'delivered', defer: 'pending', exhaust: 'failed' } as const

/** What is left out is null: most deliveries arrive. */
function rowOf({ endpointId, eventId, fence, decision, httpStatus, durationMs }: Completion) {
  return {
    endpoint_id: endpointId,
    event_id: eventId,
    fence,
    status: statusAfter[decision.move],
    wait_ms: decision.move === 'defer' ? decision.waitMs : undefined,
    http_status: httpStatus,
    duration_ms: durationMs,
    error: decision.error ?? undefined,
  }
}

/** Releases claimed deliveries of which not a byte was sent: their attempt does not count. */
export async function release(db: Db, claims: readonly Claimed[]): Promise<void> {
  if (claims.length === 0) return
  await db`
    update delivery d
    set    status = 'pending', attempts = d.attempts - 1, lease_until = null
    from   jsonb_to_recordset(${db.json(claims.map(leaseOf))}) as g (workspace_id uuid, endpoint_id uuid, event_id uuid, fence int)
    where  d.workspace_id = g.workspace_id and d.endpoint_id = g.endpoint_id and d.event_id = g.event_id
    and    d.fence = g.fence and d.status = 'sending'`
}

function leaseOf({ workspaceId, endpointId, eventId, fence }: Claimed) {
  return { workspace_id: workspaceId, endpoint_id: endpointId, event_id: eventId, fence }
}

/** An attempt may outlive the delivery that it was of, which retention removes apart, and which a replay makes anew. */
function replacingOutlived(sql: Sql) {
  return sql`
      on conflict (workspace_id, endpoint_id, event_id, round, number) do update
      set    ended_at = excluded.ended_at, duration_ms = excluded.duration_ms, http_status = excluded.http_status, error = excluded.error`
}

/** How many of an endpoint's deliveries, the first that were due, are looked through for those of a lost dispatcher. */
const IN_FRONT = 500

/** A recursive common table expression that hops through the index: the endpoints that are owed something, and a null at the end. */
function owedEndpoints(sql: Sql) {
  return sql`
    hop as (
      (select endpoint_id from delivery where settled_at is null order by endpoint_id limit 1)
      union all
      select (select d.endpoint_id from delivery d
              where  d.settled_at is null and d.endpoint_id > h.endpoint_id order by d.endpoint_id limit 1)
      from   hop h
      where  h.endpoint_id is not null
    )`
}

/**
 * Queues the deliveries of dispatchers that were lost again: their attempt counts, since it may have arrived. Returns how
 * many there were. The fence rises, so that a late answer changes nothing. They are looked for in front of what waits for
 * each endpoint, where they stand; one that does not comes there once what is before it is settled, or waits for another try.
 */
export async function requeueLost(db: Db, limit: number): Promise<number> {
  const error: AttemptError = 'interrupted'
  const [row] = await db<[{ count: number }]>`
    with recursive ${owedEndpoints(db)},
    lost as (
      select l.place
      from   hop h
      cross  join lateral (
        select d.ctid as place
        from   (
          select s.ctid as place, s.lease_until from delivery s
          where  s.endpoint_id = h.endpoint_id and s.settled_at is null
          order  by s.next_at, s.event_id
          limit  ${IN_FRONT}
        ) first
        join   delivery d on d.ctid = first.place
        where  first.lease_until <= now() and d.lease_until <= now()
        for    no key update of d skip locked
      ) l
      limit  ${limit}
    ),
    moved as (
      update delivery d
      set    status = case when d.attempts < ${MAX_ATTEMPTS} then 'pending' else 'failed' end,
             settled_at = case when d.attempts < ${MAX_ATTEMPTS} then null else now() end,
             next_at = now() + interval '1 ms' * coalesce((${[...WAITS_MS]}::int[])[d.attempts], 0),
             fence = d.fence + 1, lease_until = null, error = ${error}
      where  d.ctid = any (array(select place from lost))
      returning d.*
    ),
    logged as (
      insert into delivery_attempt (workspace_id, endpoint_id, event_id, round, number, error)
      select workspace_id, endpoint_id, event_id, round, attempts, ${error} from moved
      ${replacingOutlived(db)}
    )
    select count(*)::int as count from moved`
  return row.count
}

/** Gives up at most `limit` deliveries that are pending for endpoints that were disabled meanwhile; says how many. */
export async function abandonDisabled(db: Db, limit: number): Promise<number> {
  const { count } = await db`
    with abandoned as (
      select d.ctid as place
      from   endpoint e
      join   delivery d on d.endpoint_id = e.id and d.settled_at is null and d.lease_until is null
      where  e.status = 'disabled'
      limit  ${limit}
      for    no key update of d skip locked
    )
    update delivery d
    set    status = 'failed', error = 'endpoint_disabled', settled_at = now()
    where  d.ctid = any (array(select place from abandoned))`
  return count
}

/** Milliseconds until the first pending delivery is due, 0 when one is; null when none is pending. */
export async function nextDueInMs(db: Db): Promise<number | null> {
  const [row] = await db<{ ms: number }[]>`
    with recursive ${owedEndpoints(db)}
    select greatest(0, extract(epoch from min(head.next_at) - now())::float8 * 1000) as ms
    from   hop h
    cross  join lateral (
      select d.next_at from delivery d
      where  d.endpoint_id = h.endpoint_id and d.settled_at is null and d.lease_until is null
      order  by d.next_at limit 1
    ) head
    having count(*) > 0`
  return row?.ms ?? null
}
