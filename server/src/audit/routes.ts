import { app } from '@postrider/contract'
import type { Cursors } from '../operations/cursor.ts'
import { latestFirst } from '../operations/latest-first.ts'
import { isRefusal } from '../operations/refusal.ts'
import { route, type Route } from '../operations/route.ts'
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
