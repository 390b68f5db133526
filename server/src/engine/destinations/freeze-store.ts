import type { Sql, Tx } from '../../platform/postgres/db.ts'

/*
 * What a workspace that is frozen leaves to the installation that it goes on in, besides what waits on its channels: look-ups, which may
 * repeat a call under its key.
 */

/** How many destinations are still in the hands of a publisher, or of their network. */
export async function countPublishing(sql: Sql, workspaceId: string): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::int as count from destination where workspace_id = ${workspaceId} and status = 'publishing'`
  return row.count
}

/**
 * Has nothing in doubt looked up any more, and gives what was to be. What a look-up under way finds is not noted. In one order, as everything
 * that locks several.
 */
export async function stopLookups(tx: Tx, workspaceId: string): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    select id from destination
    where  workspace_id = ${workspaceId} and filed_as = 'checking' and due_at is not null
    order  by id
    for    no key update`
  const ids = rows.map(({ id }) => id)
  await tx`
    update destination set due_at = null, fence = fence + 1
    where  workspace_id = ${workspaceId} and id = any(${ids}::uuid[]) and status = 'checking'`
  return ids
}

/** The opposite, for those of these that are still in doubt. */
export async function resumeLookups(
  tx: Tx,
  workspaceId: string,
  destinationIds: readonly string[],
): Promise<void> {
  await tx`
    update destination set due_at = now()
    where  workspace_id = ${workspaceId} and id = any(${[...destinationIds]}::uuid[]) and status = 'checking'
    and    due_at is null`
}
