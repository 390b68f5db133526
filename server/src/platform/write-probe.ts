import { type Db, isDatabaseFull, isReadOnly } from './db.ts'

/**
 * Whether the database takes writes now: it is no standby, its disk has room, and a commit reaches its log. The room is
 * found out by a sort that is too large for its memory, and so goes to a temporary file; no table is touched.
 */
export async function takesWrites(db: Db): Promise<boolean> {
  try {
    const [, , [row]] = await db.begin((tx) =>
      Promise.all([
        tx`set local work_mem = '64kB'`,
        tx`select from (select n, repeat('x', 100) from generate_series(1, 2000) n order by md5(n::text) offset 1999) sorted`,
        tx<{ readOnly: boolean }[]>`
          select current_setting('transaction_read_only')::boolean as "readOnly", pg_current_xact_id()`,
      ]),
    )
    return row?.readOnly === false
  } catch (error) {
    if (isDatabaseFull(error) || isReadOnly(error)) return false
    throw error
  }
}
