import { listPosts as operation, type Answer, type Input } from '@postrider/contract'
import type { Cursors } from '../platform/cursor.ts'
import { isStatementTimeout, type Sql } from '../platform/db.ts'
import { isRefusal, refuse, type Refusal } from '../platform/refusal.ts'
import { isStorable } from '../platform/storable-text.ts'
import { fold } from './fold.ts'
import { listSummaries } from './post-list-store.ts'
import { viewSummary } from './views.ts'

const DEFAULT_LIMIT = 20

/** One page of the workspace's posts. Its cursor is good for this workspace and these filters only. */
export async function listPosts(
  sql: Sql,
  workspaceId: string,
  { cursor, limit = DEFAULT_LIMIT, q, status = 'all' }: Input<typeof operation>['query'],
  cursors: Cursors,
): Promise<Answer<typeof operation> | Refusal<'invalid_cursor' | 'search_too_broad'>> {
  const scope = [operation.id, workspaceId, status, q ?? '']
  const before = cursor === undefined ? null : cursors.read(cursor, scope)
  if (cursor !== undefined && typeof before !== 'string') {
    return refuse(
      'invalid_cursor',
      'Send the `nextCursor` of the page before, with the same `q` and `status`.',
    )
  }
  // No post can hold what the database cannot.
  if (q !== undefined && !isStorable(q)) return { items: [], nextCursor: null }

  const filter = {
    status,
    folded: q === undefined ? null : fold(q),
    before: typeof before === 'string' ? before : null,
  }
  const rows = await listSummaries(sql, workspaceId, filter, limit + 1).catch((error: unknown) => {
    if (q === undefined || !isStatementTimeout(error)) throw error
    return refuse(
      'search_too_broad',
      'Too many posts had to be read to find the text. Narrow the search with `status`, or search for something that newer posts hold.',
    )
  })
  if (isRefusal(rows)) return rows
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return {
    items: page.map(viewSummary),
    nextCursor: last === undefined ? null : cursors.issue(scope, last.postId),
  }
}
