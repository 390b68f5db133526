import type { Sql } from './db.ts'

/** The key that authenticates the cursors of every process on this database. */
export async function readCursorKey(sql: Sql): Promise<Buffer> {
  const [row] = await sql<{ cursorKey: Buffer }[]>`select cursor_key as "cursorKey" from installation`
  if (row === undefined) throw new Error('The database has lost its row in the table installation.')
  return row.cursorKey
}
