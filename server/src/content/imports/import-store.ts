import type { Sql, Tx } from '../../platform/postgres/db.ts'

/**
 * Holds an import of this name until the transaction ends; false where another request has it. One lock for all of its posts: those of
 * thousands would fill the server's table of locks.
 */
export async function holdImport(tx: Tx, workspaceId: string, name: string): Promise<boolean> {
  const [lock] = await tx<{ obtained: boolean }[]>`
    select pg_try_advisory_xact_lock(hashtextextended(${`${workspaceId} import ${name}`}, 0)) as obtained`
  return lock?.obtained === true
}

/** The posts that have these references, by reference. */
export async function findReferences(
  sql: Sql,
  workspaceId: string,
  references: readonly string[],
): Promise<Map<string, string>> {
  const rows = await sql<{ reference: string; postId: string }[]>`
    select reference, id as "postId" from post
    where  workspace_id = ${workspaceId} and reference collate "C" = any(${[...references]}::text[])`
  return new Map(rows.map(({ reference, postId }) => [reference, postId]))
}

/** Those of these posts that the workspace has, with their references. */
export async function findPostIds(
  sql: Sql,
  workspaceId: string,
  postIds: readonly string[],
): Promise<Map<string, string | null>> {
  const rows = await sql<{ reference: string | null; postId: string }[]>`
    select reference, id as "postId" from post
    where  workspace_id = ${workspaceId} and id = any(${[...postIds]}::uuid[])`
  return new Map(rows.map(({ reference, postId }) => [postId, reference]))
}
