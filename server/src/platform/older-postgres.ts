import type { Reserved } from './db.ts'

/**
 * Adds what migrations and statements use and PostgreSQL 15 and 16 lack: the time of an id (UUIDv7, RFC 9562), as PostgreSQL
 * 17 tells it. Changes nothing where it is there.
 */
export async function addMissingFunctions(connection: Reserved): Promise<void> {
  const [found] = await connection<[{ isThere: boolean }]>`
    select to_regprocedure('uuid_extract_timestamp(uuid)') is not null as "isThere"`
  if (!found.isThere) await connection.script(uuidExtractTimestamp)
}

const uuidExtractTimestamp = `
  create function uuid_extract_timestamp(id uuid) returns timestamptz
  language sql immutable strict parallel safe as $$
    select case when substr(id::text, 15, 1) = '7'
                then to_timestamp(('x' || translate(left(id::text, 13), '-', ''))::bit(48)::bigint / 1000.0) end
  $$`
