import type { Sql, Tx } from '../../platform/postgres/db.ts'

/*
 * A frozen workspace goes on in another installation, or is being deleted. While it is frozen no channel of it is enabled, which a
 * trigger holds, too: so nothing of it is claimed, whatever is asked for.
 */

/** What was stopped with a workspace, and goes on with it. */
export type Stopped = {
  readonly channelIds: readonly string[]
  readonly endpointIds: readonly string[]
  /** Those in doubt that were to be looked up. */
  readonly destinationIds: readonly string[]
}

export type Freeze = Stopped & {
  /** To the microsecond, as PostgreSQL writes it. */
  readonly frozenAt: string
  readonly deleting: boolean
}

/** Null: it is not frozen. */
export async function readFreeze(sql: Sql, workspaceId: string): Promise<Freeze | null> {
  const [row] = await sql<{ frozenAt: string; deleting: boolean; state: Stopped }[]>`
    select frozen_at::text as "frozenAt", deleting, state from workspace_freeze where workspace_id = ${workspaceId}`
  if (row === undefined) return null
  const { frozenAt, deleting, state } = row
  return { ...state, frozenAt, deleting }
}

/** The ids of all workspaces that are frozen. */
export async function frozenWorkspaces(sql: Sql): Promise<ReadonlySet<string>> {
  const rows = await sql<{ id: string }[]>`select workspace_id as id from workspace_freeze`
  return new Set(rows.map(({ id }) => id))
}

export async function noteFreeze(tx: Tx, workspaceId: string, stopped: Stopped): Promise<void> {
  await tx`insert into workspace_freeze (workspace_id, state) values (${workspaceId}, ${tx.json(stopped)})`
}

/** Notes that more destinations in doubt were stopped. */
export async function noteStopped(
  tx: Tx,
  workspaceId: string,
  destinationIds: readonly string[],
): Promise<void> {
  await tx`
    update workspace_freeze
    set    state = jsonb_set(state, '{destinationIds}', (state -> 'destinationIds') || ${tx.json(destinationIds)}::jsonb)
    where  workspace_id = ${workspaceId}`
}

export async function noteDeleting(tx: Tx, workspaceId: string): Promise<void> {
  await tx`update workspace_freeze set deleting = true where workspace_id = ${workspaceId}`
}

export async function removeFreeze(tx: Tx, workspaceId: string): Promise<void> {
  await tx`delete from workspace_freeze where workspace_id = ${workspaceId}`
}

/**
 * Disables all channels, which waits for claims under way, and gives those that were enabled. Their access is not renewed either: some
 * networks take a renewal once, and the copy of it would be worth nothing. In one order, as everything that locks channels.
 */
export async function stopChannels(tx: Tx, workspaceId: string): Promise<string[]> {
  const rows = await tx<{ id: string; enabled: boolean }[]>`
    select id, enabled from channel where workspace_id = ${workspaceId} order by id for update`
  await tx`
    update channel
    set    enabled = false, profile_due_at = 'infinity', updated_at = now(),
           refresh_due_at = case when refresh_due_at is not null then 'infinity'::timestamptz end
    where  workspace_id = ${workspaceId}`
  return rows.flatMap(({ id, enabled }) => (enabled ? [id] : []))
}

/** The opposite, for those channels. The workspace is not frozen any more. */
export async function startChannels(
  tx: Tx,
  workspaceId: string,
  channelIds: readonly string[],
): Promise<void> {
  await tx`select from channel where workspace_id = ${workspaceId} order by id for update`
  await tx`
    update channel
    set    enabled = enabled or (id = any(${[...channelIds]}::uuid[]) and removed_at is null), updated_at = now(),
           profile_due_at = least(profile_due_at, now()),
           refresh_due_at = case when refresh_due_at = 'infinity' then now() else refresh_due_at end
    where  workspace_id = ${workspaceId}`
}

/** Has claims look at these channels when their first destination is due: for those whose destinations were inserted as they are. */
export async function queueAllChannels(tx: Tx, workspaceId: string): Promise<void> {
  await tx`
    select queue_channels(array_agg(workspace_id order by id), array_agg(id order by id))
    from   channel where workspace_id = ${workspaceId} having count(*) > 0`
}
