import type { Sql } from '../../platform/postgres/db.ts'

/** Whether some publish call of a `destination d` has no known end. The offset has it looked up for each, and never joined. */
export function inDoubt(sql: Sql) {
  return sql`exists (
    select from attempt a
    where  a.workspace_id = d.workspace_id and a.destination_id = d.id and (a.verdict is null or a.verdict = 'unknown')
    offset 0)`
}

/** Whether an attempt `a` stands for what the server before a restore may have done. */
export function isFromRestore(sql: Sql) {
  return sql`a.evidence @> '[{"by": "restore"}]'`
}

/** Whether a `destination d` is held since a restore. */
export function isHeldSinceRestore(sql: Sql) {
  return sql`(d.filed_as = 'checking' and exists (
    select from attempt a
    where  a.workspace_id = d.workspace_id and a.destination_id = d.id and a.verdict = 'unknown' and ${isFromRestore(sql)}))`
}
