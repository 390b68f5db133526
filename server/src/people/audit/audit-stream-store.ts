import type { Db, Sql } from '../../platform/postgres/db.ts'
import type { RecordedAct } from './audit-store.ts'

/** An act with whose it is, in which workspace. */
export type StreamedAct = RecordedAct & {
  readonly workspaceId: string | null
  readonly personId: string | null
}

/** Takes the turn to write, or keeps it, and gives the place of the last entry that was written; null where another process has it. */
export async function takeTurn(sql: Sql, holder: string, leaseSeconds: number): Promise<string | null> {
  const [row] = await sql<{ position: string }[]>`
    update audit_stream set holder = ${holder}, held_until = now() + ${leaseSeconds} * interval '1 second'
    where  holder = ${holder} or held_until is null or held_until < now()
    returning position`
  return row?.position ?? null
}

export async function advance(sql: Sql, holder: string, position: string): Promise<void> {
  await sql`update audit_stream set position = ${position}::bigint where holder = ${holder} and position < ${position}::bigint`
}

export async function giveTurnBack(sql: Sql, holder: string): Promise<void> {
  await sql`update audit_stream set held_until = null where holder = ${holder}`
}

/** The last place that was given to an entry, and then who was writing entries: one of theirs may have an earlier place. */
export async function readEnd(db: Db): Promise<{ last: string; writers: readonly string[] }> {
  const [{ last }] = await db<[{ last: string }]>`
    select case when is_called then last_value else 0 end as last from audit_entry_seq_seq`
  return { last, writers: await readWriters(db) }
}

/** The transactions that write entries now. */
export async function readWriters(sql: Sql): Promise<readonly string[]> {
  const rows = await sql<{ writer: string }[]>`
    select l.virtualtransaction as writer
    from   pg_locks l
    join   pg_database d on d.oid = l.database
    where  d.datname = current_database() and l.relation = 'audit_entry'::regclass and l.mode = 'RowExclusiveLock'`
  return rows.map(({ writer }) => writer)
}

/** The place of the last entry of a workspace that may not be written yet; null where all are, or nothing writes. */
export async function lastUnwritten(
  sql: Sql,
  workspaceId: string,
  { streams }: { readonly streams: boolean },
): Promise<string | null> {
  const [row] = await sql<[{ last: string | null }]>`
    select max(e.seq) as last
    from   audit_entry e, audit_stream s
    where  e.workspace_id = ${workspaceId} and e.seq > s.position and (${streams}::boolean or s.held_until > now())`
  return row.last
}

export async function isWritten(sql: Sql, seq: string): Promise<boolean> {
  return (await sql`select from audit_stream where position >= ${seq}::bigint`).length > 0
}

/** The acts of all workspaces between two places, the earliest first. */
export async function actsBetween(
  sql: Sql,
  { after, upTo, limit }: { after: string; upTo: string; limit: number },
): Promise<StreamedAct[]> {
  return sql<StreamedAct[]>`
    select seq, id as "auditId", at, workspace_id as "workspaceId", person_id as "personId", actor_type as "actorType",
           actor_id as "actorId", actor_name as "actorName", action, subject, before, after, address, request_id as "requestId"
    from   audit_entry
    where  seq > ${after}::bigint and seq <= ${upTo}::bigint
    order  by seq
    limit  ${limit}`
}
