import type { Tx } from './db.ts'

/**
 * Whether the database takes writes now: it is no standby, its disk has room, and its log is flushed by the commit. The room is
 * found out by a sort that is too large for its memory, and so goes to a temporary file; no table is touched. A commit waits
 * for the disk only where its transaction has written something to the log: an empty message. Throws what `isDatabaseFull` and
 * `isReadOnly` tell.
 */
export async function takesWrites(tx: Tx): Promise<boolean> {
  const [, , [row]] = await Promise.all([
    tx`set local work_mem = '64kB'`,
    tx`select from (select n, repeat('x', 100) from generate_series(1, 2000) n order by md5(n::text) offset 1999) sorted`,
    tx<{ readOnly: boolean }[]>`
      select current_setting('transaction_read_only')::boolean as "readOnly", pg_current_xact_id(),
             pg_logical_emit_message(true, 'postrider', '')`,
  ])
  return row?.readOnly === false
}
