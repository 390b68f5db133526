import type { Db, Sql, Tx } from '../../platform/postgres/db.ts'

/** One consistent view of the database; `close` ends it. */
export type Snapshot = {
  readonly sql: Sql
  /** The rows of a table, some at a time, each as the text of one composite value. */
  readonly rowsOf: (table: string, only?: OnlySome) => AsyncGenerator<string[]>
  readonly close: () => void
}

/** Which rows: those that have the value in the column, in the order of another one. */
export type OnlySome = { readonly column: string; readonly value: string; readonly orderedBy: string | null }

const ROWS_AT_ONCE = 100

/** Opens a read-only view of one moment, on a connection of its own; writers are not held up by it. */
export async function openSnapshot(db: Db): Promise<Snapshot> {
  const connection = await db.reserve({ statementTimeoutMs: 0 })
  try {
    await connection.script(`begin isolation level repeatable read, read only; ${TEXT_FORMS}`)
  } catch (error) {
    connection.release()
    throw error
  }
  return {
    sql: connection,
    async *rowsOf(table, only) {
      const which =
        only === undefined
          ? connection``
          : connection`where whole_row.${connection(only.column)} = ${only.value}::uuid`
      const order =
        only === undefined || only.orderedBy === null
          ? connection``
          : connection`order by whole_row.${connection(only.orderedBy)}`
      await connection`
        declare backup_rows no scroll cursor for
        select whole_row::text as row from ${connection(table)} whole_row ${which} ${order}`
      for (;;) {
        const rows = await connection.script(`fetch ${ROWS_AT_ONCE} from backup_rows`)
        if (rows.length === 0) break
        yield rows.map(({ row }) => String(row))
      }
      await connection`close backup_rows`
    },
    // The connection is not used again, and its transaction ends with it.
    close: () => connection.release(),
  }
}

/** Values are read as they were written, whatever the settings of the two databases, however slow the disk is in between. */
const TEXT_FORMS = `
  set local idle_in_transaction_session_timeout = 0;
  set local datestyle = 'ISO, MDY'; set local intervalstyle = 'postgres'; set local timezone = 'UTC';
  set local extra_float_digits = 1; set local bytea_output = 'hex'`

/** The tables whose rows a backup holds: all but the record of migrations, which the header has, and counts that a crash empties, too. */
export async function listTables(sql: Sql): Promise<string[]> {
  const tables = await sql<{ name: string }[]>`
    select relname as name
    from   pg_class
    where  relnamespace = current_schema()::regnamespace and relkind = 'r' and relpersistence = 'p' and relname <> 'schema_migration'
    order  by relname`
  return tables.map(({ name }) => name)
}

export async function countTable(sql: Sql, table: string): Promise<number> {
  const [row] = await sql<[{ count: number }]>`select count(*)::int as count from ${sql(table)}`
  return row.count
}

export type SequenceState = { readonly sequence: string; readonly value: string; readonly called: boolean }

export async function listSequences(sql: Sql): Promise<SequenceState[]> {
  return sql<SequenceState[]>`
    select sequencename as sequence, coalesce(last_value, start_value)::text as value, last_value is not null as called
    from   pg_sequences
    where  schemaname = current_schema()
    order  by sequencename`
}

export type MediaFile = {
  readonly key: string
  readonly size: number
  readonly contentType: string
  /** The SHA-256 of its bytes. */
  readonly sha256: Buffer
}

/** The files that media items refer to, of all workspaces or of one, in the order of their keys; `after` is the last one of the page before. */
export async function listMediaFiles(
  sql: Sql,
  after: string,
  limit: number,
  workspaceId: string | null = null,
): Promise<MediaFile[]> {
  return sql<MediaFile[]>`
    select distinct on (storage_key) storage_key as key, size_bytes::float8 as size, content_type as "contentType", sha256
    from   media_item
    where  storage_key > ${after} and (${workspaceId}::uuid is null or workspace_id = ${workspaceId})
    order  by storage_key
    limit  ${limit}`
}

/** Whether nothing is stored: no table of anybody else, and no workspace or person in ours. */
export async function isDatabaseEmpty(sql: Sql): Promise<boolean> {
  const tables = await listTables(sql)
  if (tables.length === 0) return true
  if (!['workspace', 'person', 'installation'].every((table) => tables.includes(table))) return false
  const [found] = await sql<[{ any: boolean }]>`
    select exists (select from workspace) or exists (select from person) as any`
  return !found.any
}

/**
 * Makes the tables ready to be filled in any order: they are emptied, and their triggers and the constraints that look at
 * other rows, or that old rows need not meet, are set aside. Gives what puts these back; constraints check what was filled in.
 */
export async function openForImport(tx: Tx): Promise<() => Promise<void>> {
  await tx.script(TEXT_FORMS)
  const constraints = await tx<{ drop: string; add: string }[]>`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
           format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as add
    from   pg_constraint
    where  connamespace = current_schema()::regnamespace and conrelid <> 0  -- those of domains stay
    and    (contype = 'f' or not convalidated)`
  const triggers = await tx<{ disable: string; enable: string }[]>`
    select distinct format('alter table %s disable trigger user', tgrelid::regclass) as disable,
           format('alter table %s enable trigger user', tgrelid::regclass) as enable
    from   pg_trigger t
    join   pg_class c on c.oid = t.tgrelid
    where  c.relnamespace = current_schema()::regnamespace and not t.tgisinternal`
  const run = (statements: readonly string[]) => tx.script(statements.join(';'))
  await run(constraints.map(({ drop }) => drop))
  await run(triggers.map(({ disable }) => disable))
  for (const table of await listTables(tx)) await tx`delete from ${tx(table)}`
  return async () => {
    await run(triggers.map(({ enable }) => enable))
    await run(constraints.map(({ add }) => add))
  }
}

export async function importRows(tx: Tx, table: string, rows: readonly string[]): Promise<void> {
  const columns = await tx<{ name: string }[]>`
    select attname as name from pg_attribute
    where  attrelid = ${table}::text::regclass and attnum > 0 and not attisdropped and attgenerated = ''
    order  by attnum`
  const names = columns.map(({ name }) => tx`${tx(name)}`).reduce((before, name) => tx`${before}, ${name}`)
  await tx`
    insert into ${tx(table)} (${names}) overriding system value
    select ${names} from unnest(cast(${[...rows]}::text[] as ${tx(table)}[])) stored`
}

export async function importSequence(tx: Tx, { sequence, value, called }: SequenceState): Promise<void> {
  await tx`select setval(${sequence}::text::regclass, ${value}::bigint, ${called})`
}

export type HeldChannel = {
  readonly channelId: string
  readonly displayName: string
  /** How many destinations are held. */
  readonly unfinished: number
}

/** The channels with something that is held, of all workspaces or of one, by name. */
export async function heldChannels(tx: Tx, workspaceId: string | null = null): Promise<HeldChannel[]> {
  return tx<HeldChannel[]>`
    select c.id as "channelId", c.display_name as "displayName", count(*)::int as unfinished
    from   destination d
    join   channel c on c.workspace_id = d.workspace_id and c.id = d.channel_id
    where  d.filed_as = 'checking' and (${workspaceId}::uuid is null or d.workspace_id = ${workspaceId})
    group  by c.id, c.display_name
    order  by c.display_name, c.id`
}
