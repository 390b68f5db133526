import { renewed } from '../destinations/queue-moves.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { registered, type WorkerIdentity } from '../../platform/postgres/worker-store.ts'
import type { Lease } from './work.ts'

export type Heartbeat = {
  /** How many leases were renewed. */
  readonly renewed: number
  /** Whether any worker holds a lease: where none does, there is nothing to take over. */
  readonly leased: boolean
}

/**
 * Stores a heartbeat of the worker, and renews those of its leases that have used a third of their time. The session keeps a
 * lock as long as it lasts: its absence shows others at once that the process died, without waiting for its leases. So
 * `session` must be a pool of one connection, for nothing else.
 *
 * Rows that are locked are on their way to be armed or settled, and are left to the next heartbeat.
 */
export async function heartbeat(
  session: Db,
  worker: WorkerIdentity,
  leases: readonly Lease[],
  leaseMs: number,
): Promise<Heartbeat> {
  const [row] = await session<[Heartbeat]>`
    with heartbeat as (${registered(session, worker)}),
    held as (
      select d.workspace_id, d.id
      from   unnest(${leases.map((lease) => lease.workspaceId)}::uuid[], ${leases.map((lease) => lease.destinationId)}::uuid[],
                    ${leases.map((lease) => lease.fence)}::int[]) as lease (workspace_id, id, fence)
      join   destination d on d.workspace_id = lease.workspace_id and d.id = lease.id and d.fence = lease.fence
      where  d.status = 'publishing' and d.leased_by = ${worker.id}
      and    d.lease_until < now() + ${(leaseMs * 2) / 3} * interval '1 ms'
      order  by d.id
      for    no key update of d skip locked
    ),
    renewed as (
      ${renewed(session, leaseMs)}
      from   held
      where  d.workspace_id = held.workspace_id and d.id = held.id
      returning d.id
    )
    select (select count(*) from renewed)::int as renewed,
           exists (select from publication where leased_by is not null) as leased
    from   heartbeat`
  return row
}
