import type { MediaKind } from '@postrider/contract'
import type { Sql, Tx } from '../platform/postgres/db.ts'
import type { MediaFacts } from '../networks/providers/port/check-media.ts'

export type MediaRow = MediaFacts & {
  readonly mediaId: string
  readonly storageKey: string
  readonly createdAt: Date
}

export type NewMedia = Omit<MediaRow, 'createdAt'> & {
  /** Of what is stored. */
  readonly sha256: Buffer
  /** Of the file as it was sent, which for an image is another one. */
  readonly sentSha256: Buffer
}

/**
 * Inserts an item whose bytes are kept, and gives it back as later reads will. Where it shares the bytes of an item that is
 * there, that one is kept until the end of the transaction: else its deletion could take the bytes along. Null where it is gone.
 */
export async function insertMedia(
  sql: Sql,
  workspaceId: string,
  { shared = false, ...media }: NewMedia & { readonly shared?: boolean },
): Promise<MediaRow | null> {
  const [row] = await sql<MediaRow[]>`
    with kept as (
      select from media_item
      where  workspace_id = ${workspaceId} and storage_key = ${media.storageKey}
      limit  1
      for    key share
    )
    insert into media_item as m (workspace_id, id, kind, content_type, size_bytes, width, height, duration_ms, video_codec, audio_codec,
                                 frame_rate, audio_channels, audio_sample_rate, animated, alt_text, sha256, sent_sha256, storage_key)
    select ${workspaceId}, ${media.mediaId}, ${media.kind}, ${media.contentType}, ${media.sizeBytes}, ${media.width}::integer,
           ${media.height}::integer, ${media.durationMs}::integer, ${media.videoCodec}::text, ${media.audioCodec}::text,
           ${media.frameRate}::float8, ${media.audioChannels}::integer, ${media.audioSampleRate}::integer, ${media.animated}, ${media.altText}, ${media.sha256}::bytea, ${media.sentSha256}::bytea, ${media.storageKey}
    where  not ${shared} or exists (select from kept)
    returning ${mediaColumns(sql)}`
  return row ?? null
}

/** Where equal bytes are kept in the workspace already, those first that this installation has stored; null for nowhere. */
export async function keyOfEqual(
  sql: Sql,
  workspaceId: string,
  sha256: Buffer,
): Promise<{ key: string; isOurs: boolean } | null> {
  const [row] = await sql<{ key: string; isOurs: boolean }[]>`
    select m.storage_key as key, f.storage_key is not null as "isOurs"
    from   media_item m
    left   join media_file f on f.workspace_id = m.workspace_id and f.storage_key = m.storage_key and f.unused_since is null
    where  m.workspace_id = ${workspaceId} and m.sha256 = ${sha256}
    order  by "isOurs" desc
    limit  1`
  return row ?? null
}

/** Those of the items that the workspace has, by id. Asks nothing for none. */
export async function findMedia(
  sql: Sql,
  workspaceId: string,
  mediaIds: readonly string[],
): Promise<ReadonlyMap<string, MediaRow>> {
  if (mediaIds.length === 0) return new Map()
  const rows = await sql<MediaRow[]>`
    select ${mediaColumns(sql)}
    from   media_item m
    where  m.workspace_id = ${workspaceId} and m.id = any(${[...mediaIds]}::uuid[])`
  return new Map(rows.map((row) => [row.mediaId, row]))
}

/** The same, kept from being deleted until the end of the transaction, which has a post carry them. */
export async function findMediaToCarry(
  tx: Tx,
  workspaceId: string,
  mediaIds: readonly string[],
): Promise<ReadonlyMap<string, MediaRow>> {
  if (mediaIds.length === 0) return new Map()
  const rows = await tx<MediaRow[]>`
    select ${mediaColumns(tx)}
    from   media_item m
    where  m.workspace_id = ${workspaceId} and m.id = any(${[...mediaIds]}::uuid[])
    order  by m.id
    for    key share`
  return new Map(rows.map((row) => [row.mediaId, row]))
}

/**
 * The item, locked until the end of the transaction; null for none. Nothing comes to carry it meanwhile: what is read of its
 * posts by statements after this one is all of them.
 */
export async function lockMedia(tx: Tx, workspaceId: string, mediaId: string): Promise<MediaRow | null> {
  const [row] = await tx<MediaRow[]>`
    select ${mediaColumns(tx)}
    from   media_item m
    where  m.workspace_id = ${workspaceId} and m.id = ${mediaId}
    for    update`
  return row ?? null
}

/** Gives an item another alt text. The lock is the caller's. */
export async function setAltText(
  tx: Tx,
  { workspaceId, mediaId }: { workspaceId: string; mediaId: string },
  altText: string | null,
): Promise<void> {
  await tx`update media_item set alt_text = ${altText} where workspace_id = ${workspaceId} and id = ${mediaId}`
}

/** Removes an item; its bytes are left to the sweep, unless another item has them, or another installation has stored them. Says when. The lock is the caller's. */
export async function removeMedia(tx: Tx, workspaceId: string, mediaId: string): Promise<Date> {
  const [row] = await tx<{ at: Date }[]>`
    delete from media_item where workspace_id = ${workspaceId} and id = ${mediaId} returning now() as at`
  if (row === undefined) throw new Error('a media item vanished under its lock')
  return row.at
}

/** A media item as PostgreSQL writes it into JSON. */
export type MediaJson = Omit<MediaRow, 'createdAt'> & { readonly createdAt: string }

export type MediaFilter = {
  readonly kind: MediaKind | null
  readonly sentSha256: Buffer | null
  readonly before: string | null
}

/** The items of the workspace, newest first. */
export async function listMediaRows(
  sql: Sql,
  workspaceId: string,
  { kind, sentSha256, before }: MediaFilter,
  limit: number,
): Promise<MediaRow[]> {
  return sql<MediaRow[]>`
    select ${mediaColumns(sql)}
    from   media_item m
    where  m.workspace_id = ${workspaceId}
    ${kind === null ? sql`` : sql`and m.kind = ${kind}`}
    ${sentSha256 === null ? sql`` : sql`and m.sent_sha256 = ${sentSha256}`}
    ${before === null ? sql`` : sql`and m.id < ${before}`}
    order  by m.id desc
    limit  ${limit}`
}

/** Of so many files that are stored, what the items say of them. */
export type StoredSize = { readonly key: string; readonly sizeBytes: number }

/** The sizes that the files under these keys have, as items know them; those without an item are left out. */
export async function sizesOf(sql: Sql, keys: readonly string[]): Promise<StoredSize[]> {
  return sql<StoredSize[]>`
    select distinct storage_key as key, size_bytes::float8 as "sizeBytes"
    from   media_item
    where  storage_key = any(${[...keys]}::text[])`
}

/** The items that a `part t` carries as JSON (`MediaJson[]`); null for none, of which nothing is read. */
export function mediaOfPartJson(sql: Sql) {
  return sql`
    case when t.media_ids <> '{}' then (
      select json_agg(to_json(item))
      from   (
        select ${mediaColumns(sql)}
        from   media_item m
        where  m.workspace_id = t.workspace_id and m.id = any(t.media_ids)
      ) item) end`
}

/** How many files the items of all workspaces refer to. */
export async function countFiles(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(distinct storage_key)::float8 as count from media_item`
  return row?.count ?? 0
}

/** What is read of a `media_item m`: a `MediaRow`. */
export function mediaColumns(sql: Sql) {
  return sql`
    m.id as "mediaId", m.kind, m.content_type as "contentType", m.size_bytes::float8 as "sizeBytes", m.width, m.height,
    m.duration_ms as "durationMs", m.video_codec as "videoCodec", m.audio_codec as "audioCodec",
    m.frame_rate as "frameRate", m.audio_channels as "audioChannels", m.audio_sample_rate as "audioSampleRate", m.animated,
    m.alt_text as "altText", m.storage_key as "storageKey", m.created_at as "createdAt"`
}
