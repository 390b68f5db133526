import type { Database, DatabaseSettings } from './database.ts'
import type { Reserved, Sql } from '../postgres/db.ts'

/**
 * Why what needs a session (heartbeats, migrations, notifications) cannot work as it is configured, and what to do; null
 * when it can. A pooler in transaction mode takes a session lock without an error, and hands it on with the server
 * connection: then a worker that died seems alive, and a migration waits for a lock that is never released.
 */
export async function explainLostSessions(
  { db, embedded }: Pick<Database, 'db' | 'embedded'>,
  { database }: Pick<DatabaseSettings, 'database'>,
): Promise<string | null> {
  if (embedded) return null
  const [first, second] = await Promise.all([db.reserve(), db.reserve()])
  try {
    if (await shareServers(first, second)) {
      return database.listenUrl !== null
        ? 'DATABASE_LISTEN_URL leads through a pooler in transaction mode. It must lead to PostgreSQL itself.'
        : 'DATABASE_URL leads through a pooler in transaction mode. Set DATABASE_LISTEN_URL to the same database without the pooler.'
    }
    if (database.listenUrl === null) return null
    const [here, there] = [await identityOf(db), await identityOf(first)]
    return here === there ? null : 'DATABASE_URL and DATABASE_LISTEN_URL do not lead to the same database.'
  } finally {
    first.release()
    second.release()
  }
}

/** With sessions, each connection keeps one server process, and shares it with no other. */
async function shareServers(first: Reserved, second: Reserved): Promise<boolean> {
  const before = await serverOf(first)
  await second`begin`
  const others = await serverOf(second)
  const after = await serverOf(first)
  await second`rollback`
  return before === others || before !== after
}

async function serverOf(sql: Sql): Promise<number> {
  const [row] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`
  return row.pid
}

async function identityOf(sql: Sql): Promise<string> {
  const [row] = await sql<[{ identity: string }]>`
    select oid || ' ' || extract(epoch from pg_postmaster_start_time()) as identity
    from   pg_database
    where  datname = current_database()`
  return row.identity
}
