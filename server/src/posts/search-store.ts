import type { Tx } from '../platform/db.ts'

type PostKey = { readonly workspaceId: string; readonly postId: string }
type Texts = { readonly parts: readonly { readonly folded: string }[] }

/** A common table expression that has a new post found by its texts, for the statement that inserts it. */
export function insertSearch(tx: Tx, { workspaceId, postId }: PostKey, destinations: readonly Texts[]) {
  const texts = new Set(destinations.flatMap(({ parts }) => parts.map(({ folded }) => folded)))
  return tx`
    new_search as (
      insert into post_search (workspace_id, post_id, folded) values (${workspaceId}, ${postId}, ${[...texts].toSorted()}::text[])
    )`
}

/**
 * Has a post found by the texts that it has now, and no longer by those that it had: called by whoever has written parts of a
 * post that there is. The lock on it is the caller's. The parts are read in a way that the planner has to run for each
 * destination, by its key.
 */
export async function rewriteSearch(tx: Tx, { workspaceId, postId }: PostKey): Promise<void> {
  await tx`
    insert into post_search as s (workspace_id, post_id, folded)
    select ${workspaceId}, ${postId}, array(
             select distinct parts.folded collate "C" as folded
             from   destination d
             cross  join lateral (
               select p.folded from part p where p.workspace_id = d.workspace_id and p.destination_id = d.id offset 0) parts
             where  d.workspace_id = ${workspaceId} and d.post_id = ${postId}
             order  by folded)
    on     conflict (workspace_id, post_id) do update
    set    folded = excluded.folded
    where  s.folded <> excluded.folded`
}
