import { app } from '@postrider/contract'
import type { Cursors } from '../platform/cursor.ts'
import { latestFirst } from '../platform/latest-first.ts'
import { isRefusal } from '../platform/refusal.ts'
import { route, type Route } from '../platform/route.ts'
import { listActs, type RecordedAct } from './audit-store.ts'

const PAGE = 20

/** The route on who changed what. */
export function auditRoutes({ cursors }: { cursors: Cursors }): Route[] {
  return [
    route(app.listAudit, async ({ query: { cursor, limit = PAGE } }, { caller, sql }) => {
      const { workspaceId } = caller
      const list = latestFirst(cursors, [app.listAudit.id, workspaceId], cursor)
      if (isRefusal(list)) return list
      const rows = await listActs(sql, workspaceId, { before: list.before, limit: limit + 1 })
      const { items, nextCursor } = list.page(rows, limit)
      return { items: items.map(viewAct), nextCursor }
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
