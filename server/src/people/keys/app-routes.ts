import { app } from '@postrider/contract'
import { refuse, type Refusal, isRefusal } from '../../edge/operations/refusal.ts'
import { route, type Route } from '../../edge/operations/route.ts'
import { isPast } from '../../platform/text/instant.ts'
import { createKey, findKey, limitKey, listKeys, revokeKey } from './key-store.ts'
import { readLimits } from './read-limits.ts'
import { viewKey } from './views.ts'

/** The routes by which people manage agent keys. */
export function keyRoutes(): Route[] {
  return [
    route(app.listKeys, async (_, { caller, sql }) => {
      const keys = await listKeys(sql, caller.workspaceId)
      return keys.map(viewKey)
    }),
    route(app.createKey, async ({ body }, { caller, sql, audit }) => {
      const { permissions } = body
      const name = body.name.trim()
      const expiresAt = body.expiresAt == null ? null : new Date(body.expiresAt)
      if (expiresAt !== null && (await isPast(sql, expiresAt))) return expiryIsPast()
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

function noSuchKey(): Refusal<'not_found'> {
  return refuse('not_found', 'Key not found in this workspace.')
}

function expiryIsPast(): Refusal<'validation_failed'> {
  const detail = '`expiresAt` is in the past. Give a later time, or none.'
  return refuse('validation_failed', detail, {
    errors: [{ pointer: '/expiresAt', code: 'out_of_range', detail }],
  })
}
