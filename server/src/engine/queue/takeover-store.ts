import { takenOver } from '../destinations/queue-moves.ts'
import type { Db, Sql } from '../../platform/postgres/db.ts'
import type { Work } from './work.ts'
import { type ClaimOptions, readTaken, type Taken } from './work-store.ts'
import { deadWorkers } from '../../platform/postgres/worker-store.ts'

/** Takes over what a lost worker left in `publishing`: its lease is over, or it is known to be dead. */
export function claimOrphans(db: Db, options: ClaimOptions, limit: number): Promise<Work[]> {
  return takeOver(db, options, 'orphans', limit)
}

/** Takes what a provider is processing and what is to be polled now. */
export function claimProcessing(db: Db, options: ClaimOptions, limit: number): Promise<Work[]> {
  return takeOver(db, options, 'processing', limit)
}

function orphans(sql: Sql, { heartbeatTimes }: ClaimOptions, limit: number) {
  return sql`
    dead as materialized (${deadWorkers(sql, heartbeatTimes)}),
    chosen as (
      select d.workspace_id, d.id
      from   publication p
      join   destination d on d.workspace_id = p.workspace_id and d.id = p.destination_id
      where  p.leased_by is not null and d.status = 'publishing' and (d.lease_until <= now() or d.leased_by in (select id from dead))
      order  by d.lease_until
      limit  ${limit}
      for    no key update of d skip locked
    )`
}

function processing(sql: Sql, limit: number) {
  return sql`
    chosen as (
      select d.workspace_id, d.id
      from   publication p
      join   destination d on d.workspace_id = p.workspace_id and d.id = p.destination_id
      where  p.poll_at <= now() and d.status = 'publishing' and d.lease_until is null
      order  by p.poll_at
      limit  ${limit}
      for    no key update of d skip locked
    )`
}

/**
 * Leases destinations that are `publishing` already, each with the attempt that is open. The attempts are read by a
 * statement after the one that takes the locks: what was armed while that one ran is not in its snapshot, and a call
 * that may have been made would be taken for none.
 */
function takeOver(
  db: Db,
  options: ClaimOptions,
  which: 'orphans' | 'processing',
  limit: number,
): Promise<Work[]> {
  return db.begin(async (tx) => {
    const keys = await tx<Pick<Taken, 'workspaceId' | 'id'>[]>`
      with ${which === 'orphans' ? orphans(tx, options, limit) : processing(tx, limit)}
      ${takenOver(tx, options)}
      from   chosen
      where  chosen.workspace_id = d.workspace_id and chosen.id = d.id
      returning d.workspace_id as "workspaceId", d.id`
    const facts = { orphan: which === 'orphans', lateMs: 0, probe: null }
    const taken = keys.map((key) => ({ ...key, ...facts }))
    return readTaken(tx, options, taken, { begins: false })
  })
}
