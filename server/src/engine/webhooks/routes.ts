import { app } from '@postrider/contract'
import type { ActDetails } from '../../edge/operations/act.ts'
import type { Sql } from '../../platform/postgres/db.ts'
import type { TargetRules } from '../../platform/outbound/outbound-guard.ts'
import { type Caller, route, type Route } from '../../edge/operations/route.ts'
import type { Keyring } from '../../platform/sealing/sealing.ts'
import { auditedEndpoint } from './audited-endpoint.ts'
import { listAttempts, listDeliveries } from './delivery-log-store.ts'
import { type Endpoint, type EndpointKey, findEndpoint, listEndpoints } from './endpoint-store.ts'
import {
  createEndpoint,
  disable,
  enable,
  type EndpointRefusal,
  remove,
  replay,
  resend,
  rotateSecret,
  sendTest,
  updateEndpoint,
} from './manage-endpoints.ts'
import { DELIVERIES_PAGE, noSuchEndpoint, refuseEndpoint, refuseState } from './refuse-endpoint.ts'
import { viewAttempt, viewDelivery, viewEndpoint } from './views.ts'

export type WebhookRouteParts = { readonly keyring: Pick<Keyring, 'seal'>; readonly rules: TargetRules }

const DONE = { done: true } as const

/** The routes by which people run their webhook endpoints. */
export function webhookRoutes(parts: WebhookRouteParts): Route[] {
  return [...endpointRoutes(parts), ...deliveryRoutes(parts)]
}

function endpointRoutes(parts: WebhookRouteParts): Route[] {
  return [
    route(app.listEndpoints, async (_, { caller, sql }) => {
      const endpoints = await listEndpoints(sql, caller.workspaceId)
      return endpoints.map(viewEndpoint)
    }),
    route(app.createEndpoint, async ({ body }, { caller, sql, audit }) => {
      const wanted = { ...body, description: body.description ?? '' }
      const made = await createEndpoint({ ...parts, db: sql }, caller.workspaceId, wanted)
      if ('refused' in made) return refuseEndpoint(made)
      const endpoint = viewEndpoint(made.endpoint)
      audit({ after: auditedEndpoint(made.endpoint) })
      return { endpointId: endpoint.endpointId, endpoint, secret: made.secret }
    }),
    route(app.updateEndpoint, async ({ params, body }, context) => {
      const key = keyOf(params, context.caller)
      const change = () => updateEndpoint({ ...parts, db: context.sql }, key, body)
      const changed = await audited(context, key, change)
      return 'refused' in changed ? refuseEndpoint(changed) : viewEndpoint(changed)
    }),
    route(app.rotateEndpointSecret, async ({ params, body }, { caller, sql, audit }) => {
      const key = keyOf(params, caller)
      const rotated = await rotateSecret({ ...parts, db: sql }, key, body)
      if ('refused' in rotated) return refuseState(rotated)
      const overlapUntil = rotated.overlapUntil?.toISOString() ?? null
      audit({ after: { overlapUntil } })
      return { secret: rotated.secret, overlapUntil }
    }),
    route(app.disableEndpoint, async ({ params }, context) => {
      const key = keyOf(params, context.caller)
      const disabled = await audited(context, key, () => disable({ ...parts, db: context.sql }, key))
      return 'refused' in disabled ? noSuchEndpoint() : viewEndpoint(disabled)
    }),
    route(app.enableEndpoint, async ({ params }, context) => {
      const key = keyOf(params, context.caller)
      const enabled = await audited(context, key, () => enable({ ...parts, db: context.sql }, key))
      return 'refused' in enabled ? refuseState(enabled) : viewEndpoint(enabled)
    }),
    route(app.deleteEndpoint, async ({ params }, { caller, sql, audit }) => {
      const key = keyOf(params, caller)
      const endpoint = await findEndpoint(sql, key)
      const deletedAt = endpoint === null ? null : await remove({ db: sql }, key)
      if (endpoint === null || deletedAt === null) return noSuchEndpoint()
      audit({ before: auditedEndpoint(endpoint) })
      return { endpointId: params.endpointId, deletedAt: deletedAt.toISOString() }
    }),
    route(app.testEndpoint, async ({ params, body }, { caller, sql }) => {
      const key = keyOf(params, caller)
      const sent = await sendTest({ ...parts, db: sql }, key, body.type ?? null)
      return 'refused' in sent ? refuseState(sent) : sent
    }),
  ]
}

function deliveryRoutes(parts: WebhookRouteParts): Route[] {
  return [
    route(app.listDeliveries, async ({ params, query }, { caller, sql }) => {
      const key = keyOf(params, caller)
      if ((await findEndpoint(sql, key)) === null) return noSuchEndpoint()
      const { status = null, before = null, limit = DELIVERIES_PAGE } = query
      const deliveries = await listDeliveries(sql, key, { status, before, limit })
      return deliveries.map(viewDelivery)
    }),
    route(app.listDeliveryAttempts, async ({ params }, { caller, sql }) => {
      const key = { ...params, workspaceId: caller.workspaceId }
      if ((await findEndpoint(sql, key)) === null) return noSuchEndpoint()
      const attempts = await listAttempts(sql, key)
      return attempts.map(viewAttempt)
    }),
    route(app.resendDelivery, async ({ params }, { caller, sql }) => {
      const key = { ...params, workspaceId: caller.workspaceId }
      const refused = await resend({ ...parts, db: sql }, key)
      return refused === null ? DONE : refuseState(refused)
    }),
    route(app.replayDeliveries, async ({ params, body }, { caller, sql, audit }) => {
      const key = keyOf(params, caller)
      const since = new Date(body.since)
      const replayed = await replay({ ...parts, db: sql }, key, { since, onlyFailed: body.onlyFailed })
      if ('refused' in replayed) return refuseState(replayed)
      audit({ after: { since: since.toISOString(), onlyFailed: body.onlyFailed, count: replayed.count } })
      return replayed
    }),
  ]
}

function keyOf({ endpointId }: { endpointId: string }, { workspaceId }: Caller): EndpointKey {
  return { workspaceId, endpointId }
}

/** Carries a change of an endpoint out, and says in the audit log what was there before and what is there since. */
async function audited<Outcome extends Endpoint | EndpointRefusal>(
  { sql, audit }: { readonly sql: Sql; readonly audit: (details: ActDetails) => void },
  key: EndpointKey,
  change: () => Promise<Outcome>,
): Promise<Outcome> {
  const before = await findEndpoint(sql, key)
  const changed = await change()
  if (before !== null && !('refused' in changed))
    audit({ before: auditedEndpoint(before), after: auditedEndpoint(changed) })
  return changed
}
