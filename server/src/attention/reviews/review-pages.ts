import { roleHas } from '@postrider/contract'
import { workspaceOfApproval } from '../../content/approvals/approval-store.ts'
import { findMembership } from '../../people/members/member-store.ts'
import { listWorkspacesOf } from '../../people/members/membership-store.ts'
import {
  type PageAnswer,
  type PageRequest,
  type PageRoute,
  personalPage,
  refusalPage,
  signInFirst,
} from '../../people/pages/page-kit.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { isUuid } from '../../platform/text/uuid.ts'
import { noSuchRequest } from './decide-approval.ts'

type Parts = { readonly db: Db }

/** The addresses in `reviewUrl` and in mails: each leads to the approvals of the dashboard, where a person decides. */
export function reviewPages(parts: Parts): PageRoute[] {
  return [
    personalPage('reviewList', 'GET /review', ({ signedIn }) => toList(parts, signedIn.personId), '/review'),
    { id: 'reviewPage', at: 'GET /review/:approvalId', answer: (request) => toRequest(parts, request) },
  ]
}

/** The first workspace in which they decide; without one, wherever the dashboard leads them. */
async function toList({ db }: Parts, personId: string): Promise<PageAnswer> {
  const workspaces = await listWorkspacesOf(db, personId)
  const own = workspaces.find(({ role }) => roleHas(role, 'approvals:decide'))
  return { to: own === undefined ? '/' : `/w/${own.workspaceId}/approvals` }
}

/** A request that does not exist is answered as one of a workspace of which they are no member. */
async function toRequest({ db }: Parts, { signedIn, params }: PageRequest): Promise<PageAnswer> {
  const approvalId = params['approvalId'] ?? ''
  if (signedIn === null) return signInFirst(`/review/${approvalId}`)
  const workspaceId = isUuid(approvalId) ? await workspaceOfApproval(db, approvalId) : null
  const membership = workspaceId === null ? null : await findMembership(db, workspaceId, signedIn.personId)
  if (workspaceId === null || membership === null) return refusalPage(noSuchRequest())
  return { to: `/w/${workspaceId}/approvals?request=${approvalId}` }
}
