import type { Sql } from './db.ts'

/** What a PostgreSQL is: its major version, how the database encodes text, and its time. */
export type DatabaseFacts = { readonly version: number; readonly encoding: string; readonly now: Date }

/** The oldest release that its makers maintain (postgresql.org/support/versioning, November 2026). */
const OLDEST_POSTGRES = 15

export async function readDatabaseFacts(sql: Sql): Promise<DatabaseFacts> {
  const [row] = await sql<[DatabaseFacts]>`
    select current_setting('server_version_num')::int / 10000 as version, current_setting('server_encoding') as encoding,
           clock_timestamp() as now`
  return row
}

/** How a server keeps what was committed, and how many connections users may have. */
export type ServerSettings = {
  readonly fsync: string
  readonly commit: string
  readonly standbys: number
  readonly synchronous: number
  /** Standbys of which the user sees no more than that they are there. */
  readonly hidden: number
  readonly connections: number
}

export async function readServerSettings(sql: Sql): Promise<ServerSettings> {
  const [row] = await sql<[ServerSettings]>`
    select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
           count(*)::int as standbys, (count(*) filter (where sync_state in ('sync', 'quorum')))::int as synchronous,
           (count(*) filter (where sync_state is null))::int as hidden,
           current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as connections
    from   pg_stat_replication`
  return row
}

/** Why such a database cannot be used, and what to do; null when it can. */
export function explainUnsuitable({ version, encoding }: Omit<DatabaseFacts, 'now'>): string | null {
  if (version < OLDEST_POSTGRES)
    return `The database is PostgreSQL ${version}, and ${OLDEST_POSTGRES} is the oldest that works. Upgrade it.`
  if (encoding !== 'UTF8')
    return (
      `The database encodes text as ${encoding}, which has no room for the texts of posts: it must be UTF8. ` +
      'Create another one (createdb --encoding UTF8 --template template0 --locale C.UTF-8), and name it in DATABASE_URL.'
    )
  return null
}
