import type { Fragment, Sql, Tx } from '../../platform/postgres/db.ts'
import { nameKey } from '../../platform/text/name-key.ts'

/** What of a post decides on who may label it. */
export type LabelledPost = {
  readonly postId: string
  readonly labels: readonly string[]
  readonly destinations: readonly { readonly channelId: string; readonly status: string }[]
}

type Labelled = { readonly workspaceId: string; readonly postId: string; readonly labels: readonly string[] }

/** Inserts what posts are found by, for their labels. */
export function insertLabels(sql: Sql, posts: readonly Labelled[]): Fragment {
  const rows = posts.flatMap(({ workspaceId, postId, labels }) =>
    labels.map((label) => ({ workspaceId, postId, label })),
  )
  return sql`
    insert into post_label (workspace_id, post_id, label_key, label)
    select * from unnest(${rows.map(({ workspaceId }) => workspaceId)}::uuid[], ${rows.map(({ postId }) => postId)}::uuid[],
                         ${rows.map(({ label }) => nameKey(label))}::text[], ${rows.map(({ label }) => label)}::text[])`
}

/** Locks posts against edits and decisions until the transaction ends, in the order of their ids, and reads their labels. */
export async function lockLabels(
  tx: Tx,
  workspaceId: string,
  postIds: readonly string[],
): Promise<LabelledPost[]> {
  // Sent together, in this order: what is read is what the locks guard.
  const [, posts] = await Promise.all([
    tx`
      select from post
      where  workspace_id = ${workspaceId} and id = any(${[...postIds]}::uuid[])
      order  by id
      for    no key update`,
    tx<LabelledPost[]>`
      select p.id as "postId", p.labels, d.destinations
      from   post p
      cross  join lateral (
        select json_agg(json_build_object('channelId', d.channel_id, 'status', d.status)) as destinations
        from   destination d
        where  d.workspace_id = p.workspace_id and d.post_id = p.id
        offset 0
      ) d
      where  p.workspace_id = ${workspaceId} and p.id = any(${[...postIds]}::uuid[])`,
  ])
  return posts
}

/** Gives posts these labels instead of theirs: when that was. The locks are the caller's. */
export async function replaceLabels(tx: Tx, workspaceId: string, posts: readonly Labelled[]): Promise<Date> {
  const ids = posts.map(({ postId }) => postId)
  const lists = posts.map(({ labels }) => JSON.stringify(labels))
  const [[first]] = await Promise.all([
    tx<{ at: Date }[]>`
      update post p
      set    labels = array(select jsonb_array_elements_text(given.labels::jsonb)), updated_at = now()
      from   unnest(${ids}::uuid[], ${lists}::text[]) as given (id, labels)
      where  p.workspace_id = ${workspaceId} and p.id = given.id
      returning p.updated_at as at`,
    tx`delete from post_label where workspace_id = ${workspaceId} and post_id = any(${ids}::uuid[])`,
    tx`${insertLabels(tx, posts)}`,
  ])
  if (first === undefined) throw new Error('posts vanished under their locks')
  return first.at
}
