import { app } from '@postrider/contract'
import { readLimits } from '../keys/read-limits.ts'
import { isRefusal, refuse, type Refusal } from '../../edge/operations/refusal.ts'
import { route, type Route } from '../../edge/operations/route.ts'
import { type ConnectedApp, findGrant, limitGrant, listGrants, revokeGrant } from './app-grant-store.ts'

/** The routes by which people see to the apps that were let into their workspace. */
export function connectedAppRoutes(): Route[] {
  return [
    route(app.listApps, async (_, { caller, sql }) => {
      const grants = await listGrants(sql, caller.workspaceId)
      return grants.map(viewApp)
    }),
    route(app.limitApp, async ({ params: { grantId }, body }, { caller, sql, audit }) => {
      const { workspaceId } = caller
      const limits = await readLimits(sql, workspaceId, body)
      if (isRefusal(limits)) return limits
      const before = await findGrant(sql, workspaceId, grantId)
      if (before === null || !(await limitGrant(sql, workspaceId, grantId, limits))) return noSuchApp()
      audit({ before: { limits: before.limits }, after: { limits } })
      return viewApp({ ...before, limits })
    }),
    route(app.revokeApp, async ({ params: { grantId } }, { caller, sql, audit }) => {
      const before = await findGrant(sql, caller.workspaceId, grantId)
      const revoked = await revokeGrant(sql, caller.workspaceId, grantId)
      if (before === null || revoked === null) return noSuchApp()
      const revokedAt = revoked.revokedAt.toISOString()
      const { clientName } = before
      audit({
        before: { clientName, revokedAt: before.revokedAt?.toISOString() ?? null },
        after: { revokedAt },
      })
      return { grantId, revokedAt }
    }),
  ]
}

function viewApp(grant: ConnectedApp): app.ConnectedAppView {
  const { grantId, clientId, clientName, clientOrigin, permissions, limits, connectedBy } = grant
  return {
    grantId,
    clientId,
    clientName,
    clientOrigin,
    limits,
    connectedBy,
    permissions: [...permissions],
    connectedAt: grant.createdAt.toISOString(),
    expiresAt: grant.expiresAt?.toISOString() ?? null,
    lastUsedAt: grant.lastUsedAt?.toISOString() ?? null,
    revokedAt: grant.revokedAt?.toISOString() ?? null,
  }
}

function noSuchApp(): Refusal<'not_found'> {
  return refuse('not_found', 'App not found in this workspace.')
}
