import type { Db } from '../platform/db.ts'
import type { Lease } from './engine-port.ts'

export type WorkerIdentity = {
  readonly id: string
  readonly roles: readonly string[]
  readonly host: string
  readonly pid: number
}

/** Says that the worker lives, and renews the leases it holds. Returns how many were renewed. */
export async function beat(
  db: Db,
  worker: WorkerIdentity,
  leases: readonly Lease[],
  leaseMs: number,
): Promise<number> {
  const [row] = await db<{ renewed: number }[]>`
    with beat as (
      insert into worker (id, roles, host, pid)
      values (${worker.id}, ${[...worker.roles]}, ${worker.host}, ${worker.pid})
      on     conflict (id) do update set beat_at = now()
    ),
    renewed as (
      update destination d
      set    lease_until = now() + ${leaseMs} * interval '1 ms'
      from   unnest(${leases.map((lease) => lease.destinationId)}::uuid[], ${leases.map((lease) => lease.fence)}::int[])
               as held (id, fence)
      where  d.id = held.id and d.fence = held.fence and d.status = 'publishing' and d.leased_by = ${worker.id}
      returning d.id
    )
    select count(*)::int as renewed from renewed`
  return row?.renewed ?? 0
}

/** Takes the worker off the list: it has stopped, and holds nothing any more. */
export async function signOff(db: Db, workerId: string): Promise<void> {
  await db`delete from worker where id = ${workerId}`
}

/** Milliseconds until the next destination is due, 0 when one is; null when none is waiting. */
export async function nextDueInMs(db: Db): Promise<number | null> {
  const [row] = await db<{ ms: number | null }[]>`
    select (extract(epoch from min(due_at) - now()) * 1000)::float8 as ms
    from   destination
    where  status in ('scheduled', 'delayed', 'partially_published') and due_at > now()`
  // Not `greatest` of SQL: to that, nothing is 0, and an empty queue would be looked at without end.
  return row?.ms == null ? null : Math.max(0, row.ms)
}
