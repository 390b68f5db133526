import type { Db, Fragment } from '../../src/platform/postgres/db.ts'

type Found<Content> = { name: string; content: Content }

/** A server indexes posts when it likes: those of `post_search` are compared with what waits for that. */
export const isCompared = ({ name }: { readonly name: string }): boolean => name !== 'unindexed_post'

/** The rows of a table, for a `from`. */
export function rowsOf(db: Db, name: string): Fragment {
  // A server marks the storage that it uses when it likes.
  if (name === 'media_place') return db`(select installation_id from media_place)`
  if (name !== 'post_search') return db`${db(name)}`
  return db`(
    select * from unindexed_post
    union  all
    select * from post_search where (workspace_id, post_id) not in (select workspace_id, post_id from unindexed_post))`
}

/**
 * The rows of many tables, by the name of the table, in one statement. Tables and rows have an order that is the same in every
 * database. `contentOf` says what is read of the rows of a table, as one column `content`.
 */
export async function rowsOfTables<Content>(
  db: Db,
  tables: readonly { readonly name: string }[],
  contentOf: (rows: Fragment) => Fragment,
): Promise<Record<string, Content[]>> {
  const rows: Record<string, Content[]> = Object.fromEntries(
    tables
      .filter(isCompared)
      .map(({ name }) => name)
      .toSorted()
      .map((name) => [name, []]),
  )
  const [first, ...others] = tables
    .filter(isCompared)
    .map(
      ({ name }) =>
        db<
          Found<Content>[]
        >`select ${name}::text as name, content from (${contentOf(rowsOf(db, name))}) read`,
    )
  if (first === undefined) return rows
  const all = others.reduce((before, next) => db<Found<Content>[]>`${before} union all ${next}`, first)
  const found = await db<
    Found<Content>[]
  >`select name, content from (${all}) every order by name, content::text`
  for (const { name, content } of found) rows[name]!.push(content)
  return rows
}
