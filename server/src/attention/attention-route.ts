import { app, roleHas } from '@postrider/contract'
import {
  findSecondPosts,
  findTroubledChannels,
  findTroubledPosts,
} from '../content/listing/attention-store.ts'
import { route, type Route } from '../edge/operations/route.ts'
import { findTroubledSeries } from '../content/series/troubled-series-store.ts'
import { type Endpoint, listEndpoints } from '../engine/webhooks/endpoint-store.ts'
import { viewEndpoint } from '../engine/webhooks/views.ts'

/** What needs a person, out of several rooms. */
export function attentionRoute(): Route {
  return route(app.readAttention, async (_, { caller, sql }) => {
    const { workspaceId, member } = caller
    const posts = await findTroubledPosts(sql, workspaceId)
    const secondPosts = await findSecondPosts(sql, workspaceId)
    const channels = await findTroubledChannels(sql, workspaceId)
    const series = await findTroubledSeries(sql, workspaceId)
    const endpoints = roleHas(member.role, 'webhooks:manage') ? await listEndpoints(sql, workspaceId) : []
    return {
      posts: posts.map((post) => ({ ...post, since: post.since.toISOString() })),
      secondPosts: secondPosts.map((post) => ({ ...post, since: post.since.toISOString() })),
      channels: channels.map(({ connected, accessEndsAt, ...channel }) => ({
        ...channel,
        problem: connected ? ('access_ending' as const) : ('disconnected' as const),
        accessEndsAt: accessEndsAt?.toISOString() ?? null,
      })),
      series: series.map(({ nextAt, ...one }) => ({
        ...one,
        nextAt: nextAt?.toISOString() ?? null,
      })),
      endpoints: endpoints.flatMap(viewTroubled),
    }
  })
}

function viewTroubled(endpoint: Endpoint): app.Attention['endpoints'] {
  const { endpointId, url, status, disabledReason, statusSince, failingSince } = viewEndpoint(endpoint)
  if (status === 'disabled')
    return disabledReason === 'by_hand' ? [] : [{ endpointId, url, problem: 'disabled', since: statusSince }]
  return failingSince === null ? [] : [{ endpointId, url, problem: 'failing', since: failingSince }]
}
