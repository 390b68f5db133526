import { settled } from '../destinations/destination-states.ts'
import type { Sql } from '../../platform/postgres/db.ts'

/**
 * Removes at most `limit` attempts with their evidence, and what they made late, that were settled more than `days` ago; says how many. One in
 * doubt stays, and so does every one of a destination that may still resume automatically.
 */
export async function pruneAttempts(sql: Sql, days: number, limit: number): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    with pruned as (
      delete from attempt
      where  ctid = any (array(
        select a.ctid
        from   attempt a
        join   destination d on d.workspace_id = a.workspace_id and d.id = a.destination_id
        where  a.armed_at < now() - ${days} * interval '1 day' and a.settled_at < now() - ${days} * interval '1 day'
        and    a.verdict <> 'unknown' and d.status = any(${[...settled]})
        limit  ${limit}))
      returning workspace_id, destination_id, part_index, id
    ),
    late as (
      delete from late_post l
      using  pruned a
      where  l.workspace_id = a.workspace_id and l.destination_id = a.destination_id and l.part_index = a.part_index
      and    l.attempt_id = a.id
    )
    select count(*)::int as count from pruned`
  return row.count
}
