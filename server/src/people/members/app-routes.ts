import { app } from '@postrider/contract'
import { isRefusal, refuse, type Refusal } from '../../edge/operations/refusal.ts'
import { route, type Route } from '../../edge/operations/route.ts'
import { changeRole, removeMember, transferOwnership } from './manage-members.ts'
import { type EndCredentials, listMembers } from './member-store.ts'
import { viewMember, viewWorkspace } from './views.ts'
import { readChange } from './workspace-change.ts'
import { findWorkspace, lockWorkspace, updateWorkspace, type WorkspaceChange } from './workspace-store.ts'

/** The routes by which people run their workspace: its settings and its members. */
export function workspaceRoutes(endCredentials: EndCredentials): Route[] {
  return [...settingsRoutes(), ...memberRoutes(endCredentials)]
}

function settingsRoutes(): Route[] {
  return [
    route(app.readWorkspace, async (_, { caller, sql }) => {
      const workspace = await findWorkspace(sql, caller.workspaceId)
      return workspace === null ? noSuchWorkspace() : viewWorkspace(workspace)
    }),
    route(app.updateWorkspace, async ({ body }, { caller, sql, audit }) => {
      const change = readChange(body)
      if (isRefusal(change)) return change
      const before = await lockWorkspace(sql, caller.workspaceId)
      await updateWorkspace(sql, caller.workspaceId, change)
      const after = await findWorkspace(sql, caller.workspaceId)
      if (before === null || after === null) return noSuchWorkspace()
      const names = Object.keys(change) as (keyof WorkspaceChange)[]
      audit({
        before: Object.fromEntries(names.map((name) => [name, before[name]])),
        after: Object.fromEntries(names.map((name) => [name, after[name]])),
      })
      return viewWorkspace(after)
    }),
  ]
}

function memberRoutes(endCredentials: EndCredentials): Route[] {
  return [
    route(app.listMembers, async (_, { caller, sql }) => {
      const members = await listMembers(sql, caller.workspaceId)
      return members.map(viewMember)
    }),
    route(app.changeMemberRole, async ({ params, body }, { caller, sql, audit }) => {
      const acting = { workspaceId: caller.workspaceId, memberId: caller.member.id }
      const changed = await changeRole(sql, acting, params.memberId, body.role)
      if (isRefusal(changed)) return changed
      audit(changed.details)
      return { memberId: changed.member.memberId, role: changed.member.role }
    }),
    route(app.removeMember, async ({ params }, { caller, sql, audit }) => {
      const acting = { workspaceId: caller.workspaceId, memberId: caller.member.id }
      const removed = await removeMember(sql, acting, params.memberId, endCredentials)
      if (isRefusal(removed)) return removed
      audit(removed.details)
      return { keysEnded: removed.keysEnded }
    }),
    route(app.leaveWorkspace, async (_, { caller, sql, audit }) => {
      const memberId = caller.member.id
      const acting = { workspaceId: caller.workspaceId, memberId }
      const left = await removeMember(sql, acting, memberId, endCredentials)
      if (isRefusal(left)) return left
      audit({ ...left.details, subject: { memberId } })
      return { keysEnded: left.keysEnded }
    }),
    route(app.transferOwnership, async ({ body }, { caller, sql, audit }) => {
      const acting = { workspaceId: caller.workspaceId, memberId: caller.member.id }
      const changed = await transferOwnership(sql, acting, body.memberId)
      if (isRefusal(changed)) return changed
      audit(changed.details)
      return { memberId: changed.member.memberId, role: changed.member.role }
    }),
  ]
}

function noSuchWorkspace(): Refusal<'not_found'> {
  return refuse('not_found', 'Workspace not found.')
}
