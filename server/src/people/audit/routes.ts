import { app } from '@postrider/contract'
import type { Cursors } from '../../edge/operations/cursor.ts'
import { latestFirst } from '../../edge/operations/latest-first.ts'
import { isRefusal } from '../../edge/operations/refusal.ts'
import { route, type Route } from '../../edge/operations/route.ts'
import { listActs, type RecordedAct } from './audit-store.ts'

const PAGE = 20

/** The route on who changed what. */
export function auditRoutes({ cursors }: { cursors: Cursors }): Route[] {
  return [
    route(app.listAudit, async ({ query }, { caller, sql }) => {
      const { who = null, action = null, cursor, limit = PAGE } = query
      const { workspaceId } = caller
      const list = latestFirst(cursors, [app.listAudit.id, workspaceId, who ?? '', action ?? ''], cursor)
      if (isRefusal(list)) return list
      const actions = action === null ? null : [action, app.appIdOf({ id: action })]
      const filter = { who, actions, before: list.before, limit: limit + 1 }
      const rows = await listActs(sql, workspaceId, filter)
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
