import {
  createOwnEndpoint,
  deleteOwnEndpoint,
  listOwnDeliveries,
  listOwnDeliveryAttempts,
  listOwnEndpoints,
  readOwnEndpoint,
  replayOwnDeliveries,
  resendOwnDelivery,
  rotateOwnEndpointSecret,
  testOwnEndpoint,
} from '@postrider/contract'
import type { CredentialLimits } from '@postrider/contract'
import type { Sql } from '../../platform/postgres/db.ts'
import { isRefusal, refuse, type Refusal } from '../../edge/operations/refusal.ts'
import { refuseWithout } from '../../edge/operations/refuse-without.ts'
import { type Caller, route, type Route } from '../../edge/operations/route.ts'
import { auditedEndpoint } from './audited-endpoint.ts'
import { listAttempts, listDeliveries } from './delivery-log-store.ts'
import { type Endpoint, type EndpointKey, findEndpoint, listEndpoints } from './endpoint-store.ts'
import {
  createEndpoint,
  type EndpointParts,
  remove,
  replay,
  resend,
  rotateSecret,
  sendTest,
} from './manage-endpoints.ts'
import { DELIVERIES_PAGE, noSuchEndpoint, refuseNew, refuseState } from './refuse-endpoint.ts'
import { viewAttempt, viewDelivery, viewEndpoint } from './views.ts'

export type OwnWebhookParts = Omit<EndpointParts, 'db'>

/** The routes by which a credential manages the endpoints that it created itself. All others are unknown to it. */
export function ownWebhookRoutes(parts: OwnWebhookParts): Route[] {
  return [...endpointRoutes(parts), ...deliveryRoutes(parts)]
}

function endpointRoutes(parts: OwnWebhookParts): Route[] {
  return [
    route(listOwnEndpoints, async (_, { caller, sql }) => {
      const endpoints = await listEndpoints(sql, caller.workspaceId, caller.credential.id)
      return endpoints.map(viewEndpoint)
    }),
    route(
      createOwnEndpoint,
      async ({ body }, { caller, sql, audit }) => {
        const { workspaceId, credential } = caller
        // The events are those of posts.
        const refused = refuseWithout('posts:read', credential) ?? refuseLimited(credential.limits)
        if (refused !== null) return refused
        const wanted = { ...body, description: body.description ?? '' }
        const made = await createEndpoint({ ...parts, db: sql }, workspaceId, wanted, credential.id)
        if ('refused' in made) return refuseNew(made)
        audit({ after: auditedEndpoint(made.endpoint) })
        const endpoint = viewEndpoint(made.endpoint)
        return { endpointId: endpoint.endpointId, endpoint, secret: made.secret }
      },
      { location: ({ endpointId }) => `/agent/v1/webhook-endpoints/${endpointId}` },
    ),
    route(readOwnEndpoint, async ({ params }, { caller, sql }) => {
      const endpoint = await findOwn(sql, params, caller)
      return isRefusal(endpoint) ? endpoint : viewEndpoint(endpoint)
    }),
    route(rotateOwnEndpointSecret, async ({ params, body }, { caller, sql, audit }) => {
      const endpoint = await findOwn(sql, params, caller)
      if (isRefusal(endpoint)) return endpoint
      const rotated = await rotateSecret({ ...parts, db: sql }, keyOf(params, caller), body)
      if ('refused' in rotated) return refuseState(rotated)
      const overlapUntil = rotated.overlapUntil?.toISOString() ?? null
      audit({ after: { overlapUntil } })
      return { secret: rotated.secret, overlapUntil }
    }),
    route(testOwnEndpoint, async ({ params, body }, { caller, sql }) => {
      const endpoint = await findOwn(sql, params, caller)
      if (isRefusal(endpoint)) return endpoint
      const sent = await sendTest({ ...parts, db: sql }, keyOf(params, caller), body.type ?? null)
      return 'refused' in sent ? refuseState(sent) : sent
    }),
    route(deleteOwnEndpoint, async ({ params }, { caller, sql, audit }) => {
      const endpoint = await findOwn(sql, params, caller)
      if (isRefusal(endpoint)) return endpoint
      const deletedAt = await remove({ db: sql }, keyOf(params, caller))
      if (deletedAt === null) return noSuchEndpoint()
      audit({ before: auditedEndpoint(endpoint) })
      return { endpointId: params.endpointId, deletedAt: deletedAt.toISOString() }
    }),
  ]
}

function deliveryRoutes(parts: OwnWebhookParts): Route[] {
  return [
    route(listOwnDeliveries, async ({ params, query }, { caller, sql }) => {
      const endpoint = await findOwn(sql, params, caller)
      if (isRefusal(endpoint)) return endpoint
      const { status = null, before = null, limit = DELIVERIES_PAGE } = query
      const deliveries = await listDeliveries(sql, keyOf(params, caller), { status, before, limit })
      return deliveries.map(viewDelivery)
    }),
    route(listOwnDeliveryAttempts, async ({ params }, { caller, sql }) => {
      const endpoint = await findOwn(sql, params, caller)
      if (isRefusal(endpoint)) return endpoint
      const attempts = await listAttempts(sql, { ...params, workspaceId: caller.workspaceId })
      return attempts.map(viewAttempt)
    }),
    route(resendOwnDelivery, async ({ params }, { caller, sql }) => {
      const endpoint = await findOwn(sql, params, caller)
      if (isRefusal(endpoint)) return endpoint
      const key = { ...params, workspaceId: caller.workspaceId }
      const refused = await resend({ ...parts, db: sql }, key)
      return refused === null ? params : refuseState(refused)
    }),
    route(replayOwnDeliveries, async ({ params, body }, { caller, sql, audit }) => {
      const endpoint = await findOwn(sql, params, caller)
      if (isRefusal(endpoint)) return endpoint
      const since = new Date(body.since)
      const { onlyFailed } = body
      const replayed = await replay({ ...parts, db: sql }, keyOf(params, caller), { since, onlyFailed })
      if ('refused' in replayed) return refuseState(replayed)
      audit({ after: { since: since.toISOString(), onlyFailed, count: replayed.count } })
      return replayed
    }),
  ]
}

type InEndpoint = { readonly endpointId: string }

function keyOf({ endpointId }: InEndpoint, { workspaceId }: Caller): EndpointKey {
  return { workspaceId, endpointId }
}

/** The endpoint, if this credential created it. */
async function findOwn(
  sql: Sql,
  params: InEndpoint,
  caller: Caller,
): Promise<Endpoint | Refusal<'not_found'>> {
  const endpoint = await findEndpoint(sql, keyOf(params, caller))
  return endpoint?.credentialId === caller.credential.id ? endpoint : noSuchEndpoint()
}

/** An endpoint gets the events of the whole workspace: a credential that sees only some of its posts makes none. */
function refuseLimited({ channelIds, label }: CredentialLimits): Refusal<'credential_limit'> | null {
  const limit = channelIds !== null ? 'channelIds' : label !== null ? 'label' : null
  if (limit === null) return null
  const detail =
    'This credential is limited to some of the posts, and an endpoint gets the events of all. Read `GET /agent/v1/events` instead.'
  return refuse('credential_limit', detail, { limit })
}
