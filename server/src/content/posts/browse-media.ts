import { app, type Answer, type Input } from '@postrider/contract'
import { viewMedia } from '../../media/views.ts'
import type { Cursors } from '../../edge/operations/cursor.ts'
import { refuse, type Refusal } from '../../edge/operations/refusal.ts'
import type { Sql } from '../../platform/postgres/db.ts'
import { searchMedia } from './media-use-store.ts'

const DEFAULT_LIMIT = 20

/** One page of what was searched for in the workspace's media. Its cursor is good for this workspace and this search only. */
export async function browseMedia(
  sql: Sql,
  workspaceId: string,
  { cursor, limit = DEFAULT_LIMIT, q = '', kind, used }: Input<typeof app.findMedia>['query'],
  cursors: Cursors,
): Promise<Answer<typeof app.findMedia> | Refusal<'invalid_cursor'>> {
  const words = q.trim()
  const scope = [app.findMedia.id, workspaceId, kind ?? '', used ?? '', words]
  const before = cursor === undefined ? null : cursors.read(cursor, scope)
  if (cursor !== undefined && typeof before !== 'string')
    return refuse('invalid_cursor', 'Send the `nextCursor` of the previous page, with the same search.')
  const filter = { workspaceId, words, kind: kind ?? null, used: used === undefined ? null : used === 'yes' }
  const rows = await searchMedia(
    sql,
    { ...filter, before: typeof before === 'string' ? before : null },
    limit + 1,
  )
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return {
    items: page.map((row) => ({ ...viewMedia(row), used: row.used })),
    nextCursor: last === undefined ? null : cursors.issue(scope, last.mediaId),
  }
}
