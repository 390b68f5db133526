import type { Db, Fragment } from '../../src/platform/db.ts'
import type { Identifier } from '../../src/platform/postgres/query.ts'

type Found<Content> = { name: string; content: Content }

/**
 * The rows of many tables, by the name of the table, in one statement. Tables and rows have an order that is the same in every
 * database. `contentOf` says what is read of a table, as one column `content`.
 */
export async function rowsOfTables<Content>(
  db: Db,
  tables: readonly { readonly name: string }[],
  contentOf: (table: Identifier) => Fragment,
): Promise<Record<string, Content[]>> {
  const rows: Record<string, Content[]> = Object.fromEntries(
    tables
      .map(({ name }) => name)
      .toSorted()
      .map((name) => [name, []]),
  )
  const [first, ...others] = tables.map(
    ({ name }) =>
      db<Found<Content>[]>`select ${name}::text as name, content from (${contentOf(db(name))}) read`,
  )
  if (first === undefined) return rows
  const all = others.reduce((before, next) => db<Found<Content>[]>`${before} union all ${next}`, first)
  const found = await db<
    Found<Content>[]
  >`select name, content from (${all}) every order by name, content::text`
  for (const { name, content } of found) rows[name]!.push(content)
  return rows
}
