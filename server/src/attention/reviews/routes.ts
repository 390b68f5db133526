import { app } from '@postrider/contract'
import { route, type Route } from '../../edge/operations/route.ts'
import { listApprovals } from '../../content/approvals/approval-store.ts'
import { isRefusal } from '../../edge/operations/refusal.ts'
import { decideApproval, noSuchRequest } from './decide-approval.ts'
import { showApproval } from './show-approval.ts'
import { undoDecision } from './undo-decision.ts'
import { viewApprovalSummary, viewShownApproval } from './views.ts'

/** The routes by which people decide about posts that wait for them. */
export function approvalRoutes({ baseUrl }: { baseUrl: string }): Route[] {
  return [
    route(app.listApprovals, async ({ query }, { caller, sql }) => {
      const requests = await listApprovals(sql, caller.workspaceId, { all: query.all === 'true' })
      return requests.map(viewApprovalSummary)
    }),
    route(app.readApproval, async ({ params }, { caller, sql }) => {
      const { workspaceId } = caller
      const shown = await sql.begin((tx) => showApproval(tx, workspaceId, params.approvalId))
      return shown === null ? noSuchRequest() : viewShownApproval(shown)
    }),
    route(app.decideApproval, async ({ params, body }, { caller, sql, audit }) => {
      const { workspaceId, member } = caller
      const decided = await decideApproval(sql, {
        workspaceId,
        approvalId: params.approvalId,
        verdict: body.verdict,
        memberId: member.id,
        memberName: member.name,
        note: body.note?.trim() || null,
        seen: Buffer.from(body.digest, 'hex'),
      })
      if (isRefusal(decided)) return decided
      const request = await showApproval(sql, workspaceId, params.approvalId)
      if (request === null) throw new Error('a request vanished under its lock')
      const { postId } = decided
      // Of an operator the log names no person: it says here in whose name they decided.
      const named = caller.operator === undefined ? {} : { decidedBy: member.name }
      audit({
        subject: { postId },
        after: { verdict: body.verdict, note: body.note?.trim() || null, ...named },
      })
      return viewApprovalSummary(request.request)
    }),
    route(app.undoDecision, async ({ params: { approvalId } }, { caller, sql, audit }) => {
      const { workspaceId, member } = caller
      const undone = await undoDecision(sql, { workspaceId, approvalId, memberName: member.name, baseUrl })
      if (isRefusal(undone)) return undone
      const request = await showApproval(sql, workspaceId, approvalId)
      if (request === null) throw new Error('a request vanished under its lock')
      const { postId, status } = undone
      audit({ subject: { postId }, before: { status }, after: { status: 'pending' } })
      return viewApprovalSummary(request.request)
    }),
  ]
}
