import type { Db, Sql } from '../platform/db.ts'
import type { Lease } from './engine-port.ts'

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

/**
 * Stores a heartbeat of the worker, and renews those of its leases that have used a third of their time; returns how many
 * that were. The session keeps a lock as long as it lasts: its absence shows others at once that the process died,
 * without waiting for its leases. So `session` must be a pool of one connection, for nothing else.
 *
 * Rows that are locked are on their way to be armed or settled, and are left to the next heartbeat.
 */
export async function heartbeat(
  session: Db,
  worker: WorkerIdentity,
  leases: readonly Lease[],
  leaseMs: number,
): Promise<number> {
  const [row] = await session<{ renewed: number }[]>`
    with beat as (
      insert into worker (id, roles, host, pid)
      values (${worker.id}, ${[...worker.roles]}, ${worker.host}, ${worker.pid})
      on     conflict (id) do update set beat_at = now()
      returning case when ${hasLock(session, 'in this session')} then true
                     else pg_try_advisory_lock(${lockKey(session)}) end as alive
    ),
    held as (
      select d.workspace_id, d.id
      from   unnest(${leases.map((lease) => lease.destinationId)}::uuid[], ${leases.map((lease) => lease.fence)}::int[])
               as lease (id, fence)
      join   destination d on d.id = lease.id and d.fence = lease.fence
      where  d.status = 'publishing' and d.leased_by = ${worker.id}
      and    d.lease_until < now() + ${(leaseMs * 2) / 3} * interval '1 ms'
      order  by d.id
      for    no key update of d skip locked
    ),
    renewed as (
      update destination d
      set    lease_until = now() + ${leaseMs} * interval '1 ms'
      from   held
      where  d.workspace_id = held.workspace_id and d.id = held.id
      returning d.id
    )
    select (select count(*) from renewed)::int as renewed from beat`
  return row?.renewed ?? 0
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
    where  worker.beat_at < now() - ${silentAfterMs} * interval '1 ms'
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
