import type { Db } from '../../src/platform/postgres/db.ts'

/** How many rows of each table and index all connections have read so far, and this one has reported. */
async function rowsRead(db: Db): Promise<Map<string, number>> {
  await db`select pg_stat_force_next_flush()`
  const rows = await db<{ relation: string; count: number }[]>`
    select relname as relation, seq_tup_read::int as count from pg_stat_user_tables
    union  all
    select indexrelname, greatest(idx_tup_read, idx_tup_fetch)::int from pg_stat_user_indexes`
  return new Map(rows.map(({ relation, count }) => [relation, count]))
}

/** The tables and indexes of which this reads more than so many rows, over a pool of one connection. */
export async function longReads(
  db: Db,
  { most, act }: { most: number; act: () => Promise<unknown> },
): Promise<string[]> {
  const rowsBefore = await rowsRead(db)
  await act()
  const rowsAfter = await rowsRead(db)
  return [...rowsAfter].flatMap(([relation, rows]) => {
    const read = rows - (rowsBefore.get(relation) ?? 0)
    return read > most ? [`${read} of ${relation}`] : []
  })
}
