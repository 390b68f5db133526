import { app, roleHas } from '@postrider/contract'
import {
  findSecondPosts,
  findTroubledChannels,
  findTroubledPosts,
  type TroubledChannel,
} from '../content/listing/attention-store.ts'
import { route, type Route } from '../edge/operations/route.ts'
import { findTroubledSeries } from '../content/series/troubled-series-store.ts'
import type { VersionEnd } from '../networks/channels/version-ends.ts'
import { type Endpoint, listEndpoints } from '../engine/webhooks/endpoint-store.ts'
import { viewEndpoint } from '../engine/webhooks/views.ts'

/** What needs a person, out of several rooms. */
export function attentionRoute(ends: readonly VersionEnd[]): Route {
  return route(app.readAttention, async (_, { caller, sql }) => {
    const { workspaceId, member } = caller
    const posts = await findTroubledPosts(sql, workspaceId)
    const secondPosts = await findSecondPosts(sql, workspaceId)
    const channels = await findTroubledChannels(sql, workspaceId, ends)
    const series = await findTroubledSeries(sql, workspaceId)
    const endpoints = roleHas(member.role, 'webhooks:manage') ? await listEndpoints(sql, workspaceId) : []
    return {
      posts: posts.map((post) => ({ ...post, since: post.since.toISOString() })),
      secondPosts: secondPosts.map((post) => ({ ...post, since: post.since.toISOString() })),
      channels: channels.map(viewChannel),
      series: series.map(({ nextAt, ...one }) => ({
        ...one,
        nextAt: nextAt?.toISOString() ?? null,
      })),
      endpoints: endpoints.flatMap(viewTroubled),
    }
  })
}

function viewChannel({
  connected,
  accessEnds,
  accessEndsAt,
  version,
  versionEndsAt,
  ...channel
}: TroubledChannel): app.Attention['channels'][number] {
  const ending = accessEnds ? 'access_ending' : 'version_ending'
  return {
    ...channel,
    problem: connected ? ending : 'disconnected',
    accessEndsAt: accessEndsAt?.toISOString() ?? null,
    apiVersion:
      version === null || versionEndsAt === null
        ? null
        : { name: version, endsAt: versionEndsAt.toISOString() },
  }
}

function viewTroubled(endpoint: Endpoint): app.Attention['endpoints'] {
  const { endpointId, url, status, disabledReason, statusSince, failingSince } = viewEndpoint(endpoint)
  if (status === 'disabled')
    return disabledReason === 'by_hand' ? [] : [{ endpointId, url, problem: 'disabled', since: statusSince }]
  return failingSince === null ? [] : [{ endpointId, url, problem: 'failing', since: failingSince }]
}
