import { app } from '@postrider/contract'
import type { Cursors } from '../platform/cursor.ts'
import { refuse } from '../platform/refusal.ts'
import { route, type Route } from '../platform/route.ts'
import { listActs, type RecordedAct } from './audit-store.ts'

const PAGE = 20

/** The route on who changed what. */
export function auditRoutes({ cursors }: { cursors: Cursors }): Route[] {
  return [
    route(app.listAudit, async ({ query: { cursor, limit = PAGE } }, { caller, sql }) => {
      const scope = [app.listAudit.id, caller.workspaceId]
      const before = cursor === undefined ? null : cursors.read(cursor, scope)
      if (cursor !== undefined && typeof before !== 'string')
        return refuse('invalid_cursor', 'Send the `nextCursor` of the page before.')
      const position = typeof before === 'string' ? before : null
      const rows = await listActs(sql, caller.workspaceId, { before: position, limit: limit + 1 })
      const page = rows.slice(0, limit)
      const last = rows.length > limit ? page.at(-1) : undefined
      return {
        items: page.map(viewAct),
        nextCursor: last === undefined ? null : cursors.issue(scope, last.seq),
      }
    }),
  ]
}

function viewAct(act: RecordedAct): app.AuditEntry {
  const { auditId, at, actorType, actorId, actorName, action, subject, before, after, address, requestId } =
    act
  return {
    auditId,
    at: at.toISOString(),
    actor: { type: actorType, id: actorId, name: actorName },
    action,
    subject: { ...subject },
    before,
    after,
    address,
    requestId,
  }
}
