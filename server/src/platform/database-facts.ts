import type { Sql } from './db.ts'

/** The major version of the PostgreSQL, and its time. */
export async function readDatabaseFacts(sql: Sql): Promise<{ version: number; now: Date }> {
  const [row] = await sql<[{ version: number; now: Date }]>`
    select current_setting('server_version_num')::int / 10000 as version, clock_timestamp() as now`
  return row
}
