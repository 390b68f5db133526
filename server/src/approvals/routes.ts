import { app } from '@postrider/contract'
import { refuse } from '../platform/refusal.ts'
import { route, type Route } from '../platform/route.ts'
import { listApprovals } from './approval-store.ts'
import { decideApproval, type Decided } from './decide-approval.ts'
import { showApproval } from './show-approval.ts'
import { viewApprovalSummary, viewShownApproval } from './views.ts'

/** The routes by which people decide about posts that wait for them. */
export function approvalRoutes(): Route[] {
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
      if (!decided.done) return refuseDecision(decided)
      const request = await showApproval(sql, workspaceId, params.approvalId)
      if (request === null) throw new Error('a request vanished under its lock')
      const { postId } = decided.request
      audit({ subject: { postId }, after: { verdict: body.verdict, note: body.note?.trim() || null } })
      return viewApprovalSummary(request.request)
    }),
  ]
}

function noSuchRequest() {
  return refuse('not_found', 'There is no such request for approval in this workspace.')
}

/** Why nothing was decided, in words. */
export function refuseDecision({ why, request }: Extract<Decided, { done: false }>) {
  switch (why) {
    case 'not_found':
      return noSuchRequest()
    case 'changed':
      return refuse(
        'invalid_state',
        'What would be published is no longer what you saw, so nothing was decided. Look at it again.',
      )
    case 'cancelled':
      return refuse(
        'invalid_state',
        'All of the post was cancelled, so that there is nothing left to decide.',
      )
    case 'closed':
      return refuse('invalid_state', 'This request is closed: it was decided, replaced or has expired.', {
        ...(request === null ? {} : { currentStatus: request.status }),
      })
    default:
      return why satisfies never
  }
}
