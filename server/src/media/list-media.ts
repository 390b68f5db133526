import { listMedia as operation, type Answer, type Input } from '@postrider/contract'
import type { Cursors } from '../edge/operations/cursor.ts'
import type { Sql } from '../platform/postgres/db.ts'
import { refuse, type Refusal } from '../edge/operations/refusal.ts'
import { listMediaRows } from './media-store.ts'
import { viewMedia } from './views.ts'

const DEFAULT_LIMIT = 20

/** One page of the workspace's media. Its cursor is good for this workspace and these filters only. */
export async function listMedia(
  sql: Sql,
  workspaceId: string,
  { cursor, limit = DEFAULT_LIMIT, kind, sentSha256 }: Input<typeof operation>['query'],
  cursors: Cursors,
): Promise<Answer<typeof operation> | Refusal<'invalid_cursor'>> {
  const scope = [operation.id, workspaceId, kind ?? '', ...(sentSha256 === undefined ? [] : [sentSha256])]
  const before = cursor === undefined ? null : cursors.read(cursor, scope)
  if (cursor !== undefined && typeof before !== 'string') {
    return refuse(
      'invalid_cursor',
      'Send the `nextCursor` of the previous page, with the same `kind` and `sentSha256`.',
    )
  }
  const filter = {
    kind: kind ?? null,
    sentSha256: sentSha256 === undefined ? null : Buffer.from(sentSha256, 'hex'),
    before: typeof before === 'string' ? before : null,
  }
  const rows = await listMediaRows(sql, workspaceId, filter, limit + 1)
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return {
    items: page.map(viewMedia),
    nextCursor: last === undefined ? null : cursors.issue(scope, last.mediaId),
  }
}
