import type { Sql, Tx } from '../../platform/postgres/db.ts'

export type GroupKey = { readonly workspaceId: string; readonly groupId: string }

/** A named set of channels; those that were removed are not among them. */
export type GroupRow = {
  readonly groupId: string
  readonly name: string
  readonly channelIds: readonly string[]
}

/** The groups of a workspace, by name. */
export async function listGroups(sql: Sql, workspaceId: string): Promise<GroupRow[]> {
  return sql<GroupRow[]>`
    select ${groupColumns(sql)} from channel_group g where g.workspace_id = ${workspaceId} order by g.name_key`
}

/** Those of the ids that are groups of the workspace. */
export async function findGroups(
  sql: Sql,
  workspaceId: string,
  ids: readonly string[],
): Promise<Map<string, GroupRow>> {
  const rows = await sql<GroupRow[]>`
    select ${groupColumns(sql)}
    from   channel_group g
    where  g.workspace_id = ${workspaceId} and g.id = any(${[...ids]}::uuid[])`
  return new Map(rows.map((row) => [row.groupId, row]))
}

/** The same, kept from changing until the transaction ends. */
export async function lockGroups(
  tx: Tx,
  workspaceId: string,
  ids: readonly string[],
): Promise<Map<string, GroupRow>> {
  const lock = async () => tx`
    select from channel_group
    where  workspace_id = ${workspaceId} and id = any(${[...ids]}::uuid[])
    order  by id
    for    share`
  // Sent together, in this order: what is read is what the locks keep.
  const [, found] = await Promise.all([lock(), findGroups(tx, workspaceId, ids)])
  return found
}

/** False where another group of the workspace has the name. */
export async function insertGroup(
  sql: Sql,
  { workspaceId, groupId }: GroupKey,
  { name, nameKey, channelIds }: NewGroup,
): Promise<boolean> {
  const { count } = await sql`
    insert into channel_group (workspace_id, id, name, name_key, channel_ids)
    values (${workspaceId}, ${groupId}, ${name}, ${nameKey}, ${[...channelIds]}::uuid[])
    on     conflict (workspace_id, name_key) do nothing`
  return count === 1
}

export type NewGroup = Pick<GroupRow, 'name' | 'channelIds'> & { readonly nameKey: string }

/** The group of this name other than the one of this id, kept from others until the end of the transaction. */
export async function lockGroupNamed(
  tx: Tx,
  { workspaceId, groupId }: GroupKey,
  nameKey: string,
): Promise<boolean> {
  const rows = await tx`
    select from channel_group
    where  workspace_id = ${workspaceId} and name_key = ${nameKey} and id <> ${groupId}
    for    update`
  return rows.length > 0
}

/** Changes a group whose lock is the caller's. */
export async function updateGroup(
  sql: Sql,
  { workspaceId, groupId }: GroupKey,
  { name, nameKey, channelIds }: NewGroup,
): Promise<void> {
  await sql`
    update channel_group
    set    name = ${name}, name_key = ${nameKey}, channel_ids = ${[...channelIds]}::uuid[], updated_at = now()
    where  workspace_id = ${workspaceId} and id = ${groupId}`
}

/** The group as it was, kept from others until the end of the transaction; null when the workspace has none such. */
export async function lockGroup(tx: Tx, { workspaceId, groupId }: GroupKey): Promise<GroupRow | null> {
  const lock = async () =>
    tx`select from channel_group where workspace_id = ${workspaceId} and id = ${groupId} for update`
  const [, found] = await Promise.all([lock(), findGroups(tx, workspaceId, [groupId])])
  return found.get(groupId) ?? null
}

export async function deleteGroup(sql: Sql, { workspaceId, groupId }: GroupKey): Promise<void> {
  await sql`delete from channel_group where workspace_id = ${workspaceId} and id = ${groupId}`
}

/** The groups of a `channel c`, as JSON. */
export function groupsJson(sql: Sql) {
  return sql`
    (select coalesce(json_agg(json_build_object('groupId', g.id, 'name', g.name) order by g.name_key), '[]')
     from   channel_group g
     where  g.workspace_id = c.workspace_id and c.id = any(g.channel_ids))`
}

function groupColumns(sql: Sql) {
  return sql`
    g.id as "groupId", g.name,
    array(
      select c.id
      from   unnest(g.channel_ids) with ordinality as named (id, place)
      join   channel c on c.workspace_id = g.workspace_id and c.id = named.id and c.removed_at is null
      order  by named.place) as "channelIds"`
}
