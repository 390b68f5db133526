import { settled } from '../destinations/destination-states.ts'
import type { Sql } from '../platform/db.ts'

/**
 * Removes at most `limit` attempts with their evidence that were settled more than `days` ago; says how many. One in
 * doubt stays, and so does every one of a destination that may still resume automatically.
 */
export async function pruneAttempts(sql: Sql, days: number, limit: number): Promise<number> {
  const { count } = await sql`
    delete from attempt
    where  ctid = any (array(
      select a.ctid
      from   attempt a
      join   destination d on d.workspace_id = a.workspace_id and d.id = a.destination_id
      where  a.armed_at < now() - ${days} * interval '1 day' and a.settled_at < now() - ${days} * interval '1 day'
      and    a.verdict <> 'unknown' and d.status = any(${[...settled]})
      limit  ${limit}))`
  return count
}
