import type { Cursors } from './cursor.ts'
import { refuse, type Refusal } from './refusal.ts'

/** A list of rows that are numbered as they were recorded, shown page by page with the latest first. */
export type LatestFirst = {
  /** Before which row a page begins: null for the first page. */
  readonly before: string | null
  /** The rows of a page out of one more than it holds, and the cursor of the next. */
  readonly page: <Row extends { readonly seq: string }>(
    rows: readonly Row[],
    limit: number,
  ) => { items: Row[]; nextCursor: string | null }
}

/** `scope` is what a cursor is bound to: the list and its workspace. */
export function latestFirst(
  cursors: Cursors,
  scope: readonly string[],
  cursor: string | undefined,
): LatestFirst | Refusal<'invalid_cursor'> {
  const place = cursor === undefined ? null : cursors.read(cursor, scope)
  if (cursor !== undefined && typeof place !== 'string')
    return refuse('invalid_cursor', 'Send the `nextCursor` of the previous page.')
  return {
    before: typeof place === 'string' ? place : null,
    page(rows, limit) {
      const items = rows.slice(0, limit)
      const last = rows.length > limit ? items.at(-1) : undefined
      return { items, nextCursor: last === undefined ? null : cursors.issue(scope, last.seq) }
    },
  }
}
