import type { AnyEventType } from '@postrider/contract'
import type { Sql, Tx } from '../../platform/postgres/db.ts'
import type { EndpointKey } from './endpoint-store.ts'
import { retriedErrors, retriedStatuses } from './retry-policy.ts'

export type ProbeDue = EndpointKey & {
  readonly eventTypes: AnyEventType[]
  /** The test event of this outage; null when it has none yet. */
  readonly probeId: string | null
}

export type Replayed = EndpointKey & { readonly count: number }

/** For how long after its creation a delivery is sent again automatically. */
const REPLAY_HOURS = 24

/**
 * A failed delivery that a later attempt may complete: not one that was refused for good, nor a test event. None is settled
 * before it is created; the bound on `settled_at` is there for the index, which otherwise gives all that ever failed.
 */
function replayable(sql: Sql) {
  const since = sql`now() - ${REPLAY_HOURS} * interval '1 hour'`
  return sql`
    d.status = 'failed' and d.error is not null and d.test_body is null and d.created_at > ${since} and d.settled_at > ${since}
    and (d.error = any (${[...retriedErrors]})
         or d.error = 'http_status' and (d.http_status between 500 and 599 or d.http_status = any (${[...retriedStatuses]}::int[])))`
}

/** Whether any endpoint is to have sent again what failed. */
export async function isAnyReplayed(sql: Sql): Promise<boolean> {
  const [row] = await sql<[{ any: boolean }]>`
    select exists (select from endpoint where auto_replay and status = 'active') as any`
  return row.any
}

/**
 * The endpoints that fail, have nothing pending or in flight, and have failed deliveries to replay: a probe has to find out
 * whether they answer.
 * The wait between two probes is as long as the outage was at the last one, from 30 seconds to five minutes. Locked until the
 * end of the transaction; those that another dispatcher has locked are left out.
 */
export async function lockProbesDue(tx: Tx): Promise<ProbeDue[]> {
  return tx<ProbeDue[]>`
    select e.workspace_id as "workspaceId", e.id as "endpointId", e.event_types as "eventTypes", p.event_id as "probeId"
    from   endpoint e
    left   join delivery p on p.workspace_id = e.workspace_id and p.endpoint_id = e.id and p.event_id = e.probe_id
                          and p.created_at >= e.failing_since
    where  e.auto_replay and e.status = 'active' and e.failing_since is not null
    and    not exists (select from delivery d where d.endpoint_id = e.id and d.settled_at is null)
    and    exists (select from delivery d where d.endpoint_id = e.id and ${replayable(tx)})
    and    (p.event_id is null
            or p.settled_at + least(greatest(p.settled_at - e.failing_since, interval '30 s'), interval '5 min') <= now())
    order  by e.id
    for    no key update of e skip locked`
}

/** Names the test event that asks whether the endpoint answers. */
export async function setProbe(
  tx: Tx,
  { workspaceId, endpointId }: EndpointKey,
  probeId: string,
): Promise<void> {
  await tx`update endpoint set probe_id = ${probeId} where workspace_id = ${workspaceId} and id = ${endpointId}`
}

/**
 * Begins a new round for at most `limit` failed deliveries of endpoints that answer again. A delivery that fails all the
 * same waits as long as it is old, so that one that its receiver never takes is sent a dozen rounds in its day and not thousands.
 */
export async function replayRecovered(sql: Sql, limit: number): Promise<Replayed[]> {
  return sql<Replayed[]>`
    with recovered as (
      select d.workspace_id, d.endpoint_id, d.event_id
      from   endpoint e
      join   delivery d on d.workspace_id = e.workspace_id and d.endpoint_id = e.id
      where  e.auto_replay and e.status = 'active' and e.failing_since is null and ${replayable(sql)}
      and    d.settled_at + (d.settled_at - d.created_at) <= now()
      limit  ${limit}
      for    no key update of d skip locked
    ),
    replayed as (
      update delivery d
      set    status = 'pending', round = d.round + 1, attempts = 0, next_at = now(), settled_at = null
      from   recovered r
      where  d.workspace_id = r.workspace_id and d.endpoint_id = r.endpoint_id and d.event_id = r.event_id
      returning d.workspace_id, d.endpoint_id
    )
    select workspace_id as "workspaceId", endpoint_id as "endpointId", count(*)::int as count
    from   replayed
    group  by workspace_id, endpoint_id`
}
