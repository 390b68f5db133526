import type { Sql } from '../../platform/postgres/db.ts'

export type Usage = {
  readonly workspaceId: string
  readonly name: string
  /** Created in the time, whatever became of them. */
  readonly posts: number
  /** Publishing calls to networks. */
  readonly calls: number
  readonly uploadedBytes: number
  /** Of all files now, each counted once. */
  readonly storedBytes: number
}

/** What each workspace has used from one time to before another, by its rows: by name. */
export async function readUsage(sql: Sql, { from, to }: { from: Date; to: Date }): Promise<Usage[]> {
  return sql<Usage[]>`
    with posts as (
      select workspace_id, count(*) as posts from post
      where  created_at >= ${from} and created_at < ${to}
      group  by workspace_id
    ),
    calls as (
      select workspace_id, count(*) as calls from attempt
      where  armed_at >= ${from} and armed_at < ${to}
      group  by workspace_id
    ),
    uploads as (
      select workspace_id, sum(size_bytes) as bytes from media_item
      where  created_at >= ${from} and created_at < ${to}
      group  by workspace_id
    ),
    files as (
      select workspace_id, sum(size_bytes) as bytes
      from   (select distinct on (workspace_id, storage_key) workspace_id, size_bytes from media_item) file
      group  by workspace_id
    )
    select w.id as "workspaceId", w.name, coalesce(posts, 0)::float8 as posts, coalesce(calls, 0)::float8 as calls,
           coalesce(uploads.bytes, 0)::float8 as "uploadedBytes", coalesce(files.bytes, 0)::float8 as "storedBytes"
    from   workspace w
    left   join posts on posts.workspace_id = w.id
    left   join calls on calls.workspace_id = w.id
    left   join uploads on uploads.workspace_id = w.id
    left   join files on files.workspace_id = w.id
    order  by w.name, w.id`
}
