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
