import type { AnyEventType } from '@postrider/contract'
import type { Sql, Tx } from '../../platform/postgres/db.ts'
import { type DisabledReason, type EndpointStatus, ownerless } from './delivery-states.ts'

export type Endpoint = {
  endpointId: string
  url: string
  description: string
  eventTypes: AnyEventType[]
  status: EndpointStatus
  statusSince: Date
  disabledReason: DisabledReason | null
  /** When the failures began that no success has ended yet. */
  failingSince: Date | null
  /** Whether what failed is sent again once the endpoint answers. */
  autoReplay: boolean
  /** The agent key or grant that created it; null where a person did. */
  credentialId: string | null
  createdAt: Date
}

export type EndpointKey = { readonly workspaceId: string; readonly endpointId: string }
export type EndpointChange = {
  url?: string
  description?: string
  eventTypes?: readonly AnyEventType[]
  autoReplay?: boolean
}

/** The channel on which it is said that a delivery is due. */
export const WEBHOOKS_CHANNEL = 'postrider_webhooks'

function endpointColumns(sql: Sql) {
  return sql`
    id as "endpointId", url, description, event_types as "eventTypes", status, status_since as "statusSince",
    disabled_reason as "disabledReason", failing_since as "failingSince", auto_replay as "autoReplay",
    credential_id as "credentialId", created_at as "createdAt"`
}

export async function insertEndpoint(
  sql: Sql,
  { workspaceId, endpointId }: EndpointKey,
  { url, description, eventTypes, autoReplay }: Required<EndpointChange>,
  credentialId: string | null = null,
): Promise<Endpoint> {
  const [endpoint] = await sql<[Endpoint]>`
    insert into endpoint (workspace_id, id, url, description, event_types, auto_replay, credential_id)
    values (${workspaceId}, ${endpointId}, ${url}, ${description}, ${[...eventTypes]}, ${autoReplay}, ${credentialId})
    returning ${endpointColumns(sql)}`
  return endpoint
}

/** The endpoints of a workspace, or those of it that a credential created, oldest first. */
export async function listEndpoints(
  sql: Sql,
  workspaceId: string,
  credentialId: string | null = null,
): Promise<Endpoint[]> {
  return sql<Endpoint[]>`
    select ${endpointColumns(sql)} from endpoint
    where  workspace_id = ${workspaceId} and deleted_at is null
    and    (${credentialId}::uuid is null or credential_id = ${credentialId})
    order  by id`
}

export async function findEndpoint(
  sql: Sql,
  { workspaceId, endpointId }: EndpointKey,
): Promise<Endpoint | null> {
  const [endpoint] = await sql<Endpoint[]>`
    select ${endpointColumns(sql)} from endpoint
    where  workspace_id = ${workspaceId} and id = ${endpointId} and deleted_at is null`
  return endpoint ?? null
}

/** The same, locked until the end of the transaction. */
export async function lockEndpoint(
  tx: Tx,
  { workspaceId, endpointId }: EndpointKey,
): Promise<Endpoint | null> {
  const [endpoint] = await tx<Endpoint[]>`
    select ${endpointColumns(tx)}
    from   endpoint
    where  workspace_id = ${workspaceId} and id = ${endpointId} and deleted_at is null
    for    no key update`
  return endpoint ?? null
}

/**
 * How many endpoints the workspace has, and how many of them this credential created; none is added by anyone else until
 * the end of the transaction. Those that their credential has no longer count for nobody.
 */
export async function countEndpoints(
  tx: Tx,
  workspaceId: string,
  credentialId: string | null = null,
): Promise<{ all: number; own: number }> {
  await tx`select from workspace where id = ${workspaceId} for no key update`
  const [row] = await tx<[{ all: number; own: number }]>`
    select count(*)::int as all, count(*) filter (where credential_id = ${credentialId})::int as own
    from   endpoint
    where  workspace_id = ${workspaceId} and deleted_at is null and coalesce(disabled_reason <> all(${[...ownerless]}), true)`
  return row
}

/** Changes what is given and leaves the rest; null when there is no such endpoint. */
export async function changeEndpoint(
  sql: Sql,
  { workspaceId, endpointId }: EndpointKey,
  { url, description, eventTypes, autoReplay }: EndpointChange,
): Promise<Endpoint | null> {
  const [endpoint] = await sql<Endpoint[]>`
    update endpoint
    set    url = coalesce(${url ?? null}, url), description = coalesce(${description ?? null}, description),
           event_types = coalesce(${eventTypes === undefined ? null : [...eventTypes]}, event_types),
           auto_replay = coalesce(${autoReplay ?? null}, auto_replay), updated_at = now()
    where  workspace_id = ${workspaceId} and id = ${endpointId} and deleted_at is null
    returning ${endpointColumns(sql)}`
  return endpoint ?? null
}

/**
 * Turns an endpoint on, with a clean slate; null when there is no such endpoint. One that its credential has no longer
 * belongs to the workspace from then on.
 */
export async function activateEndpoint(
  sql: Sql,
  { workspaceId, endpointId }: EndpointKey,
): Promise<Endpoint | null> {
  const [endpoint] = await sql<Endpoint[]>`
    update endpoint
    set    status = 'active', disabled_reason = null, failing_since = null, lost_since = 0, updated_at = now(),
           status_since = case when status = 'active' then status_since else now() end,
           credential_id = case when disabled_reason = any(${[...ownerless]}) then null else credential_id end
    where  workspace_id = ${workspaceId} and id = ${endpointId} and deleted_at is null
    returning ${endpointColumns(sql)}`
  return endpoint ?? null
}

/** How much of what is pending for an endpoint is given up while a caller waits; dispatchers give up the rest. */
const ABANDONED_AT_ONCE = 1_000

/** Disables an endpoint and gives up what is pending for it; null when there is no such endpoint. */
export async function disableEndpoint(
  sql: Sql,
  { workspaceId, endpointId }: EndpointKey,
): Promise<Endpoint | null> {
  const [endpoint] = await sql<Endpoint[]>`
    with disabled as (
      update endpoint
      set    status = 'disabled', updated_at = now(),
             disabled_reason = case when status = 'disabled' then disabled_reason else 'by_hand' end,
             status_since = case when status = 'disabled' then status_since else now() end
      where  workspace_id = ${workspaceId} and id = ${endpointId} and deleted_at is null
      returning *
    ),
    pending as (
      select d.workspace_id, d.endpoint_id, d.event_id
      from   delivery d
      where  d.workspace_id = ${workspaceId} and d.endpoint_id = ${endpointId}
      and    d.settled_at is null and d.lease_until is null
      limit  ${ABANDONED_AT_ONCE}
      for    no key update skip locked
    ),
    abandoned as (
      update delivery d
      set    status = 'failed', error = 'endpoint_disabled', settled_at = now()
      from   pending
      where  d.workspace_id = pending.workspace_id and d.endpoint_id = pending.endpoint_id and d.event_id = pending.event_id
    )
    select ${endpointColumns(sql)} from disabled`
  return endpoint ?? null
}

/** Deletes a disabled endpoint with its secrets. Its row stays until its deliveries are gone. */
export async function deleteEndpoint(
  sql: Sql,
  { workspaceId, endpointId }: EndpointKey,
): Promise<Date | null> {
  await endSecrets(sql, { workspaceId, endpointId })
  const [deleted] = await sql<{ deletedAt: Date }[]>`
    update endpoint
    set    deleted_at = now(), updated_at = now()
    where  workspace_id = ${workspaceId} and id = ${endpointId} and status = 'disabled' and deleted_at is null
    returning deleted_at as "deletedAt"`
  return deleted?.deletedAt ?? null
}

/** Adds a signing secret that has no end. There must be no other such one: retire it in the same transaction. */
export async function insertSecret(
  sql: Sql,
  { workspaceId, endpointId }: EndpointKey,
  secret: { id: string; sealed: Buffer },
): Promise<void> {
  await sql`
    insert into endpoint_secret (workspace_id, endpoint_id, id, sealed)
    values (${workspaceId}, ${endpointId}, ${secret.id}, ${secret.sealed})`
}

/** Ends the newest secret after the overlap, and deletes those that have ended. Returns when it ends. */
export async function retireSecret(
  sql: Sql,
  { workspaceId, endpointId }: EndpointKey,
  overlapMs: number,
): Promise<Date | null> {
  const [retired] = await sql<{ retiresAt: Date }[]>`
    with deleted as (
      delete from endpoint_secret
      where  workspace_id = ${workspaceId} and endpoint_id = ${endpointId} and retires_at <= now()
    )
    update endpoint_secret
    set    retires_at = now() + ${overlapMs} * interval '1 ms'
    where  workspace_id = ${workspaceId} and endpoint_id = ${endpointId} and retires_at is null
    returning retires_at as "retiresAt"`
  return retired?.retiresAt ?? null
}

/** Ends every secret now. */
export async function endSecrets(sql: Sql, { workspaceId, endpointId }: EndpointKey): Promise<void> {
  await sql`
    delete from endpoint_secret where workspace_id = ${workspaceId} and endpoint_id = ${endpointId}`
}

/** How many secrets sign for the endpoint now. */
export async function countSecrets(sql: Sql, { workspaceId, endpointId }: EndpointKey): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::int as count
    from   endpoint_secret
    where  workspace_id = ${workspaceId} and endpoint_id = ${endpointId} and (retires_at is null or retires_at > now())`
  return row.count
}
