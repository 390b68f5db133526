import type { Sql, Tx } from '../platform/postgres/db.ts'
import { workspaceOfKey } from './media-storage.ts'
import { TRASH_DAYS } from './place-store.ts'

/*
 * Which files of the storage are this installation's own: those that it has stored itself, each noted before it was, and those that it was
 * told to take over. That no item refers to a file proves nothing, since it may be another installation's.
 */

/** No upload takes as long as this, so what is older than it and has no item never gets one. */
const UNUSED_HOURS = 24
/** So many are brought to the trash in an hour, by all processes together. */
export const MOST_AN_HOUR = 500
/** Any number will do, as long as every process takes the same. */
const UNUSED_LOCK = 720_575_942

/** Notes that a file is about to be stored. */
export async function recordFile(sql: Sql, key: string): Promise<void> {
  await recordFiles(sql, [key])
}

/** Notes that files are this installation's own. */
export async function recordFiles(sql: Sql, keys: readonly string[]): Promise<void> {
  await sql`
    insert into media_file (workspace_id, storage_key)
    select w::uuid, k from unnest(${keys.map(workspaceOfKey)}::text[], ${[...keys]}::text[]) as f (w, k)
    on conflict (workspace_id, storage_key) do update set unused_since = null, discarded_at = null`
}

/** The same of all files that items refer to; says how many were not noted before. */
export async function recordFilesOfItems(sql: Sql): Promise<number> {
  const { count } = await sql`
    insert into media_file (workspace_id, storage_key)
    select distinct workspace_id, storage_key from media_item
    on conflict (workspace_id, storage_key) do nothing`
  return count
}

/** Of a file that was removed, or is brought back to where it was. */
export async function forgetFile(sql: Sql, key: string): Promise<void> {
  await sql`delete from media_file where workspace_id = ${workspaceOfKey(key)} and storage_key = ${key}`
}

/** All files of a workspace that are this installation's own. */
export async function filesOfWorkspace(sql: Sql, workspaceId: string): Promise<string[]> {
  const rows = await sql<{ key: string }[]>`
    select storage_key as key from media_file where workspace_id = ${workspaceId} order by storage_key`
  return rows.map(({ key }) => key)
}

/** Notes that a file has no item any more. */
export async function noteUnused(sql: Sql, key: string): Promise<void> {
  await sql`
    update media_file set unused_since = coalesce(unused_since, now())
    where  workspace_id = ${workspaceOfKey(key)} and storage_key = ${key}`
}

/** From now on no file that is stored is this installation's own. */
export async function forgetAllFiles(sql: Sql): Promise<void> {
  await sql`delete from media_file`
}

/** Those of the keys that are noted as this installation's own. */
export async function recordedOf(sql: Sql, keys: readonly string[]): Promise<string[]> {
  const rows = await sql<{ key: string }[]>`
    select storage_key as key from media_file
    where  (workspace_id, storage_key) in (
      select w::uuid, k from unnest(${keys.map(workspaceOfKey)}::text[], ${[...keys]}::text[]) as f (w, k))`
  return rows.map(({ key }) => key)
}

/** A look at some of the files, in the order of their keys. */
export type Slice = {
  /** The last of them; null where there are no more. */
  readonly last: string | null
  /** Those that are old enough and have no item. */
  readonly unused: readonly string[]
}

/** Looks at the next `limit` files behind `after` that are where they were stored. */
export async function sliceOfFiles(sql: Sql, after: string | null, limit: number): Promise<Slice> {
  const rows = await sql<{ key: string; unused: boolean }[]>`
    select f.storage_key as key,
           f.written_at < now() - ${UNUSED_HOURS} * interval '1 hour'
           and not exists (select from media_item m where m.storage_key = f.storage_key) as unused
    from   (
      select storage_key, written_at
      from   media_file
      where  unused_since is null
      ${after === null ? sql`` : sql`and (workspace_id, storage_key) > (${workspaceOfKey(after)}::uuid, ${after}::text)`}
      order  by workspace_id, storage_key
      limit  ${limit}
    ) f
    order  by f.storage_key`
  const unused = rows.flatMap(({ key, unused: isUnused }) => (isUnused ? [key] : []))
  return { last: rows.length < limit ? null : (rows.at(-1)?.key ?? null), unused }
}

/** Takes those of the files that have no item, as far as the number for an hour allows, and notes that they are unused. */
export async function takeUnused(tx: Tx, keys: readonly string[]): Promise<string[]> {
  await tx`select pg_advisory_xact_lock(${UNUSED_LOCK})`
  const rows = await tx<{ key: string }[]>`
    with room as (
      select greatest(0, ${MOST_AN_HOUR}::int - count(*)::int) as places
      from   media_file where unused_since > now() - interval '1 hour'
    )
    update media_file f
    set    unused_since = now()
    from   (
      select u.workspace_id, u.storage_key
      from   media_file u
      where  (u.workspace_id, u.storage_key) in (
        select w::uuid, k from unnest(${keys.map(workspaceOfKey)}::text[], ${[...keys]}::text[]) as g (w, k))
      and    u.unused_since is null
      and    not exists (select from media_item m where m.storage_key = u.storage_key)
      order  by u.storage_key
      limit  (select places from room)
      for    update
    ) due
    where  f.workspace_id = due.workspace_id and f.storage_key = due.storage_key
    returning f.storage_key as key`
  return rows.map(({ key }) => key)
}

/** Unused files that are not in the trash yet. */
export async function filesToDiscard(sql: Sql, limit: number): Promise<string[]> {
  const rows = await sql<{ key: string }[]>`
    select storage_key as key from media_file
    where  unused_since is not null and discarded_at is null
    order  by unused_since
    limit  ${limit}`
  return rows.map(({ key }) => key)
}

/** Notes that an unused file is in the trash. */
export async function noteDiscarded(sql: Sql, key: string): Promise<void> {
  await sql`
    update media_file set discarded_at = now()
    where  workspace_id = ${workspaceOfKey(key)} and storage_key = ${key} and unused_since is not null`
}

/** Files whose time in the trash is over; `isUsed` says that an item refers to one after all. */
export async function filesToRemove(sql: Sql, limit: number): Promise<{ key: string; isUsed: boolean }[]> {
  return sql<{ key: string; isUsed: boolean }[]>`
    select f.storage_key as key,
           exists (select from media_item m where m.storage_key = f.storage_key) as "isUsed"
    from   media_file f
    where  f.unused_since is not null and f.discarded_at < now() - ${TRASH_DAYS} * interval '1 day'
    order  by f.discarded_at
    limit  ${limit}`
}
