import type { Sql, Tx } from '../../platform/postgres/db.ts'

type PostKey = { readonly workspaceId: string; readonly postId: string }
type Texts = { readonly parts: readonly { readonly folded: string }[] }

/** A common table expression that has a new post found by its texts, for the statement that inserts it. */
export function insertSearch(tx: Tx, post: PostKey, destinations: readonly Texts[]) {
  return tx`new_search as (${foundBy(tx, post, textsOf(destinations))})`
}

/** The same for the statement that gives a post these texts, and no others. The lock on it is the caller's. */
export function replaceSearch(tx: Tx, post: PostKey, folded: readonly string[]) {
  return tx`
    new_search as (
      ${foundBy(tx, post, folded)}
      ${orByThese(tx)}
    )`
}

function foundBy(tx: Tx, { workspaceId, postId }: PostKey, folded: readonly string[]) {
  return tx`
    insert into unindexed_post as u (workspace_id, post_id, folded)
    values (${workspaceId}, ${postId}, ${[...new Set(folded)].toSorted()}::text[])`
}

function textsOf(destinations: readonly Texts[]): string[] {
  return destinations.flatMap(({ parts }) => parts.map(({ folded }) => folded))
}

function orByThese(sql: Sql) {
  return sql`
    on     conflict (workspace_id, post_id) do update
    set    folded = excluded.folded
    where  u.folded <> excluded.folded`
}

/**
 * Has a post found by the texts that it has now, and no longer by those that it had: called by whoever has written parts of a
 * post that there is. The lock on it is the caller's. The parts are read in a way that the planner has to run for each
 * destination, by its key.
 */
export async function rewriteSearch(tx: Tx, { workspaceId, postId }: PostKey): Promise<void> {
  await tx`
    insert into unindexed_post as u (workspace_id, post_id, folded)
    select ${workspaceId}, ${postId}, array(
             select distinct parts.folded collate "C" as folded
             from   destination d
             cross  join lateral (
               select p.folded from part p where p.workspace_id = d.workspace_id and p.destination_id = d.id offset 0) parts
             where  d.workspace_id = ${workspaceId} and d.post_id = ${postId}
             order  by folded)
    ${orByThese(tx)}`
}

/**
 * Indexes the texts of at most `limit` posts that are not indexed yet, and says of how many. Those that somebody writes just
 * now are left for later; whoever writes one that is being indexed waits, and has it indexed again.
 */
export async function indexPosts(sql: Sql, limit: number): Promise<number> {
  const { count } = await sql`
    with chosen as materialized (
      select workspace_id, post_id
      from   unindexed_post
      order  by workspace_id, post_id
      limit  ${limit}
      for    update skip locked
    ),
    taken as (
      delete from unindexed_post u
      using  chosen
      where  u.workspace_id = chosen.workspace_id and u.post_id = chosen.post_id
      returning u.*
    )
    insert into post_search (workspace_id, post_id, folded)
    select workspace_id, post_id, folded from taken
    on     conflict (workspace_id, post_id) do update
    set    folded = excluded.folded`
  return count
}
