import type { AnyEventType } from '@postrider/contract'
import type { Sql } from '../../platform/postgres/db.ts'
import type { DeliveryStatus } from './delivery-states.ts'
import { WEBHOOKS_CHANNEL, type EndpointKey } from './endpoint-store.ts'

export type DeliveryKey = EndpointKey & { readonly eventId: string }

export type DeliverySummary = {
  eventId: string
  eventType: AnyEventType
  postId: string | null
  test: boolean
  status: DeliveryStatus
  attempts: number
  round: number
  nextAt: Date | null
  httpStatus: number | null
  error: string | null
  settledAt: Date | null
  createdAt: Date
}

export type DeliveryAttempt = {
  round: number
  number: number
  endedAt: Date
  durationMs: number | null
  httpStatus: number | null
  error: string | null
}

/** The deliveries to an endpoint, the latest events first; `before` is the last event id of the page before. */
export async function listDeliveries(
  sql: Sql,
  { workspaceId, endpointId }: EndpointKey,
  { status, limit, before }: { status: DeliveryStatus | null; limit: number; before: string | null },
): Promise<DeliverySummary[]> {
  return sql<DeliverySummary[]>`
    select event_id as "eventId", event_type as "eventType", test_body is not null as test, status, attempts, round,
           (select e.post_id from outbox_event e where e.workspace_id = delivery.workspace_id and e.id = delivery.event_id) as "postId",
           case when status = 'pending' then next_at end as "nextAt", http_status as "httpStatus", error,
           settled_at as "settledAt", created_at as "createdAt"
    from   delivery
    where  workspace_id = ${workspaceId} and endpoint_id = ${endpointId}
    and    (${status}::text is null or status = ${status})
    and    (${before}::uuid is null or event_id < ${before})
    order  by event_id desc
    limit  ${limit}`
}

/** The attempts at one delivery, oldest first. The one that settled it is a part of it. */
export async function listAttempts(
  sql: Sql,
  { workspaceId, endpointId, eventId }: DeliveryKey,
): Promise<DeliveryAttempt[]> {
  return sql<DeliveryAttempt[]>`
    with last as (
      select round, attempts as number, settled_at as ended_at, duration_ms, http_status, error
      from   delivery
      where  workspace_id = ${workspaceId} and endpoint_id = ${endpointId} and event_id = ${eventId} and duration_ms is not null
    )
    select round, number, ended_at as "endedAt", duration_ms as "durationMs", http_status as "httpStatus", error
    from   (
      select * from last
      union  all
      select round, number, ended_at, duration_ms, http_status, error
      from   delivery_attempt a
      where  workspace_id = ${workspaceId} and endpoint_id = ${endpointId} and event_id = ${eventId}
      and    not exists (select from last where last.round = a.round and last.number = a.number)
    ) attempt
    order  by round, number`
}

/** Begins a new round of attempts at a delivery; false when there is none, or it is being sent right now. */
export async function resendDelivery(
  sql: Sql,
  { workspaceId, endpointId, eventId }: DeliveryKey,
): Promise<boolean> {
  const moved = await sql`
    update delivery d
    set    status = 'pending', round = d.round + 1, attempts = 0, next_at = now(), settled_at = null
    where  d.workspace_id = ${workspaceId} and d.endpoint_id = ${endpointId} and d.event_id = ${eventId}
    and    d.status in ('pending', 'delivered', 'failed')
    and    (d.test_body is not null or exists (select from outbox_event ev where ev.id = d.event_id))`
  await sql`select pg_notify(${WEBHOOKS_CHANNEL}, '')`
  return moved.count === 1
}

/**
 * Queues for the endpoint every event of its types that was recorded since then, delivered before or not, and also those
 * recorded while it was disabled or did not exist. What is pending or in flight is not changed. Returns how many.
 */
export async function replayAll(
  sql: Sql,
  { workspaceId, endpointId }: EndpointKey,
  since: Date,
): Promise<number> {
  const queued = await sql`
    insert into delivery as d (workspace_id, endpoint_id, event_id, event_type)
    select e.workspace_id, e.id, ev.id, ev.type
    from   endpoint e
    join   outbox_event ev on ev.workspace_id = e.workspace_id and ev.type = any (e.event_types)
    where  e.workspace_id = ${workspaceId} and e.id = ${endpointId} and ev.created_at >= ${since}
    order  by ev.seq
    on     conflict (workspace_id, endpoint_id, event_id) do update
    set    status = 'pending', round = d.round + 1, attempts = 0, next_at = now(), settled_at = null
    where  d.status in ('delivered', 'failed')`
  await sql`select pg_notify(${WEBHOOKS_CHANNEL}, '')`
  return queued.count
}

/** Begins a new round for the deliveries that failed, of events recorded since then. Returns how many. */
export async function replayFailed(
  sql: Sql,
  { workspaceId, endpointId }: EndpointKey,
  since: Date,
): Promise<number> {
  const queued = await sql`
    update delivery d
    set    status = 'pending', round = d.round + 1, attempts = 0, next_at = now(), settled_at = null
    from   outbox_event ev
    where  d.workspace_id = ${workspaceId} and d.endpoint_id = ${endpointId} and d.status = 'failed'
    and    d.settled_at is not null and d.error is not null and ev.id = d.event_id and ev.created_at >= ${since}`
  await sql`select pg_notify(${WEBHOOKS_CHANNEL}, '')`
  return queued.count
}

/** Queues for the endpoint an event that is recorded nowhere else. */
export async function insertTestDelivery(
  sql: Sql,
  { workspaceId, endpointId, eventId }: DeliveryKey,
  event: { type: AnyEventType; body: Buffer },
): Promise<void> {
  await sql`
    insert into delivery (workspace_id, endpoint_id, event_id, event_type, test_body)
    values (${workspaceId}, ${endpointId}, ${eventId}, ${event.type}, ${event.body})`
  await sql`select pg_notify(${WEBHOOKS_CHANNEL}, '')`
}
