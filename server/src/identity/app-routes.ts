import { app } from '@postrider/contract'
import { refuse, type Refusal, isRefusal } from '../platform/refusal.ts'
import { route, type Route } from '../platform/route.ts'
import { createKey, findKey, limitKey, listKeys, revokeKey } from './key-store.ts'
import { changeRole, removeMember, transferOwnership } from './manage-members.ts'
import { listMembers } from './member-store.ts'
import { readLimits } from './read-limits.ts'
import { viewKey, viewMember, viewWorkspace } from './views.ts'
import { readChange } from './workspace-change.ts'
import { findWorkspace, lockWorkspace, updateWorkspace, type WorkspaceChange } from './workspace-store.ts'

/** The routes by which people run their workspace: its settings, its members and their agent keys. */
export function workspaceRoutes(): Route[] {
  return [...settingsRoutes(), ...memberRoutes(), ...keyRoutes()]
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

function memberRoutes(): Route[] {
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
      const removed = await removeMember(sql, acting, params.memberId)
      if (isRefusal(removed)) return removed
      audit(removed.details)
      return { keysEnded: removed.keysEnded }
    }),
    route(app.leaveWorkspace, async (_, { caller, sql, audit }) => {
      const memberId = caller.member.id
      const left = await removeMember(sql, { workspaceId: caller.workspaceId, memberId }, memberId)
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

function keyRoutes(): Route[] {
  return [
    route(app.listKeys, async (_, { caller, sql }) => {
      const keys = await listKeys(sql, caller.workspaceId)
      return keys.map(viewKey)
    }),
    route(app.createKey, async ({ body }, { caller, sql, audit }) => {
      const { permissions } = body
      const name = body.name.trim()
      const expiresAt = body.expiresAt == null ? null : new Date(body.expiresAt)
      if (expiresAt !== null && !(expiresAt > new Date())) return expiryIsPast()
      const limits = await readLimits(sql, caller.workspaceId, body.limits ?? {}, '/limits')
      if (isRefusal(limits)) return limits
      const wanted = { memberId: caller.member.id, name, permissions, expiresAt, limits }
      const made = await createKey(sql, caller.workspaceId, wanted)
      audit({ after: { name, permissions, expiresAt: expiresAt?.toISOString() ?? null, limits } })
      return made
    }),
    route(app.limitKey, async ({ params: { keyId }, body }, { caller, sql, audit }) => {
      const { workspaceId } = caller
      const limits = await readLimits(sql, workspaceId, body)
      if (isRefusal(limits)) return limits
      const before = await findKey(sql, workspaceId, keyId)
      if (before === null || !(await limitKey(sql, workspaceId, keyId, limits))) return noSuchKey()
      audit({ before: { limits: before.limits }, after: { limits } })
      return viewKey({ ...before, limits })
    }),
    route(app.revokeKey, async ({ params }, { caller, sql, audit }) => {
      const before = await findKey(sql, caller.workspaceId, params.keyId)
      const revoked = await revokeKey(sql, caller.workspaceId, params.keyId)
      if (before === null || revoked === null) return noSuchKey()
      const revokedAt = revoked.revokedAt.toISOString()
      audit({
        before: { name: revoked.name, revokedAt: before.revokedAt?.toISOString() ?? null },
        after: { revokedAt },
      })
      return { keyId: params.keyId, revokedAt }
    }),
  ]
}

function noSuchWorkspace(): Refusal<'not_found'> {
  return refuse('not_found', 'There is no such workspace.')
}

function noSuchKey(): Refusal<'not_found'> {
  return refuse('not_found', 'There is no such key in this workspace.')
}

function expiryIsPast(): Refusal<'validation_failed'> {
  const detail = '`expiresAt` is in the past. Give a later time, or none.'
  return refuse('validation_failed', detail, {
    errors: [{ pointer: '/expiresAt', code: 'out_of_range', detail }],
  })
}
