import type { Db, Sql, Tx } from './db.ts'

export type WorkerIdentity = {
  readonly id: string
  readonly roles: readonly string[]
  readonly host: string
  readonly pid: number
}

/** The times by which others know whether a worker lives, in milliseconds. */
export type HeartbeatTimes = {
  readonly heartbeatEveryMs: number
  /** A worker that has sent no heartbeat for so long, and whose session is gone, is dead. */
  readonly silentAfterMs: number
}

export const usualHeartbeatTimes: HeartbeatTimes = { heartbeatEveryMs: 1_000, silentAfterMs: 1_500 }

/** After a restart of the database no session is left: workers have this long to connect again. */
const RECONNECTED_WITHIN = '2 seconds'

/** Stores a heartbeat of the worker, and has its session keep the worker's lock from the first one on. */
export function registered(session: Db, worker: WorkerIdentity) {
  return session`
      insert into worker (id, roles, host, pid)
      values (${worker.id}, ${[...worker.roles]}, ${worker.host}, ${worker.pid})
      on     conflict (id) do update set heartbeat_at = now()
      returning case when ${hasLock(session, 'in this session')} then true
                     else pg_try_advisory_lock(${lockKey(session)}) end as alive`
}

/** Removes the worker: it has stopped, and holds no lease any more. */
export async function deregisterWorker(db: Db, workerId: string): Promise<void> {
  await db`delete from worker where id = ${workerId}`
}

/**
 * The ids of the workers that are known to be dead: their session is gone, and they have sent no heartbeat since. A worker
 * whose connection was cut may be taken for dead for a moment; its fence then stops it, as after a lapsed lease.
 */
export function deadWorkers(sql: Sql, { silentAfterMs }: HeartbeatTimes = usualHeartbeatTimes) {
  return sql`
    select worker.id from worker
    where  worker.heartbeat_at not between now() - ${silentAfterMs} * interval '1 ms' and now() + ${silentAfterMs} * interval '1 ms'
    and    pg_postmaster_start_time() < now() - ${RECONNECTED_WITHIN}::interval
    and    not ${hasLock(sql, 'in any session')}`
}

/** Waits, where the database was started just now, until workers that live have connected again: before that, none is known to be dead. */
export async function awaitReconnections(sql: Sql): Promise<void> {
  await sql`
    select pg_sleep(greatest(0, extract(epoch from
      pg_postmaster_start_time() + ${RECONNECTED_WITHIN}::interval - clock_timestamp())))`
}

/** Whether some worker is not known to be dead. */
export async function isAnyWorkerAlive(sql: Sql): Promise<boolean> {
  const [row] = await sql<[{ alive: boolean }]>`
    select exists (select from worker where id not in (${deadWorkers(sql)})) as alive`
  return row.alive
}

/** Has workers that start wait with their first heartbeat until the transaction ends. */
export async function lockWorkers(tx: Tx): Promise<void> {
  await tx`lock table worker in share row exclusive mode`
}

/** Takes all workers for dead, those of a server whose database was copied. Their work is taken over. */
export async function forgetHeartbeats(tx: Tx): Promise<void> {
  await tx`update worker set heartbeat_at = 'epoch'`
}

export type WorkerHeartbeat = {
  readonly roles: string[]
  readonly host: string
  readonly pid: number
  readonly heartbeatAgeMs: number
}

/**
 * The workers that are registered, the latest heartbeat first. One that lies ahead was sent before the clock was set back, and
 * not since: it is as far away as one in the past.
 */
export async function workers(sql: Sql): Promise<WorkerHeartbeat[]> {
  return sql<WorkerHeartbeat[]>`
    select roles, host, pid, "heartbeatAgeMs"
    from   (select roles, host, pid, abs(extract(epoch from now() - heartbeat_at))::float8 * 1000 as "heartbeatAgeMs"
            from   worker
            where  heartbeat_at >= now() - interval '1 day') w
    order  by "heartbeatAgeMs"`
}

/** Removes at most `limit` workers that have been silent for more than `days`; says how many. */
export async function pruneWorkers(sql: Sql, days: number, limit: number): Promise<number> {
  const { count } = await sql`
    delete from worker
    where  id = any(array(
             select id from worker where heartbeat_at < now() - ${days} * interval '1 day' limit ${limit} for update skip locked))`
  return count
}

/** Whether the lock of a row of `worker` is held. */
function hasLock(sql: Sql, where: 'in this session' | 'in any session') {
  return sql`exists (
    select from pg_locks l
    where  l.locktype = 'advisory' and l.granted and l.objsubid = 1
    and    l.database = (select oid from pg_database where datname = current_database())
    and    (l.classid::bigint << 32) | l.objid::bigint = ${lockKey(sql)}
    ${where === 'in this session' ? sql`and l.pid = pg_backend_pid()` : sql``})`
}

function lockKey(sql: Sql) {
  return sql`hashtextextended('postrider worker ' || worker.id, 0)`
}
