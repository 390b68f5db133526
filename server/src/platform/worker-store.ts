import type { Sql } from './db.ts'

export type WorkerBeat = {
  readonly roles: string[]
  readonly host: string
  readonly pid: number
  readonly beatAgeMs: number
}

/** The workers that are registered, the latest heartbeat first. */
export async function workers(sql: Sql): Promise<WorkerBeat[]> {
  return sql<WorkerBeat[]>`
    select roles, host, pid, extract(epoch from now() - beat_at)::float8 * 1000 as "beatAgeMs"
    from   worker
    where  beat_at >= now() - interval '1 day'
    order  by beat_at desc`
}

/** Removes at most `limit` workers that have been silent for more than `days`; says how many. */
export async function pruneWorkers(sql: Sql, days: number, limit: number): Promise<number> {
  const { count } = await sql`
    delete from worker
    where  id = any(array(
             select id from worker where beat_at < now() - ${days} * interval '1 day' limit ${limit} for update skip locked))`
  return count
}
