import type { Tx } from '../../platform/postgres/db.ts'

/** Disables the endpoints of a workspace, and gives those that were active. */
export async function stopEndpoints(tx: Tx, workspaceId: string): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    update endpoint
    set    status = 'disabled', disabled_reason = 'by_hand', status_since = now(), updated_at = now()
    where  workspace_id = ${workspaceId} and status = 'active'
    returning id`
  return rows.map(({ id }) => id)
}

/**
 * Has these endpoints go on as if they had never been stopped: what was given up meanwhile is pending again, and what was recorded
 * meanwhile is owed to them.
 */
export async function startEndpoints(
  tx: Tx,
  workspaceId: string,
  endpointIds: readonly string[],
  since: string,
): Promise<void> {
  const ids = [...endpointIds]
  await tx`
    update endpoint
    set    status = 'active', disabled_reason = null, status_since = now(), updated_at = now()
    where  workspace_id = ${workspaceId} and id = any(${ids}::uuid[]) and disabled_reason = 'by_hand' and deleted_at is null`
  await tx`
    update delivery
    set    status = 'pending', error = null, settled_at = null, next_at = now()
    where  workspace_id = ${workspaceId} and endpoint_id = any(${ids}::uuid[]) and error = 'endpoint_disabled'
    and    settled_at >= ${since}::timestamptz`
  await tx`
    insert into delivery (workspace_id, endpoint_id, event_id, event_type)
    select e.workspace_id, e.id, o.id, o.type
    from   outbox_event o
    join   endpoint e on e.workspace_id = o.workspace_id and e.id = any(${ids}::uuid[]) and e.status = 'active'
    where  o.workspace_id = ${workspaceId} and o.created_at >= ${since}::timestamptz and o.type = any (e.event_types)
    on     conflict do nothing`
}
