import { app, type Operation, operations } from '@postrider/contract'
import { approvalRoutes } from '../attention/reviews/routes.ts'
import { attentionRoute } from '../attention/attention-route.ts'
import { auditRoutes } from '../people/audit/routes.ts'
import { bulkRoutes } from '../content/bulk/routes.ts'
import { channelGroupRoutes, managedChannelRoutes } from '../networks/channels/routes.ts'
import { connectRoutes, type ConnectRouteParts } from '../accounts/connect/app-routes.ts'
import { keyRoutes } from '../people/keys/app-routes.ts'
import { calendarOverviewRoute } from '../content/listing/read-calendar-overview.ts'
import { todayRoute } from '../content/listing/read-today.ts'
import { workspaceRoutes } from '../people/members/app-routes.ts'
import {
  invitationRoutes,
  newWorkspaceRoute,
  type PeopleRouteParts,
  signInRoutes,
} from '../people/sign-in/routes.ts'
import { noticeRoutes } from '../attention/notices/routes.ts'
import { eventLogRoutes } from '../engine/outbox/routes.ts'
import { connectedAppRoutes } from '../people/apps/app-routes.ts'
import { actorOf } from '../edge/operations/actor.ts'
import type { Cursors } from '../edge/operations/cursor.ts'
import { isRefusal, refuse, type Refusal } from '../edge/operations/refusal.ts'
import { route, type Route } from '../edge/operations/route.ts'
import type { AccountPictures } from '../media/account-pictures.ts'
import { accountPictureRoute, playRoute } from '../media/routes.ts'
import type { MediaParts } from '../media/upload-media.ts'
import { ownPostRoutes } from '../content/posts/app-routes.ts'
import { renewEditTokens } from '../content/posts/post-store.ts'
import { readPost } from '../content/posts/read-post.ts'
import type { Providers } from '../networks/providers/port/port.ts'
import { versionEnds } from '../networks/channels/version-ends.ts'
import type { CallTimes } from '../engine/publication/call-times.ts'
import { endCredentials, stopApp, stopDetails, stopKey, type Stopped } from './stop-credential.ts'
import { type Finding, resolveByPerson } from '../engine/publication/resolve-by-person.ts'
import { removeChannelRoute } from './remove-channel-route.ts'
import { sandboxRoutes, type SandboxRouteParts } from '../accounts/sandbox/routes.ts'
import { timelineRoutes } from '../engine/timeline/routes.ts'
import { webhookRoutes, type WebhookRouteParts } from '../engine/webhooks/routes.ts'

export type AppRouteParts = PeopleRouteParts &
  WebhookRouteParts &
  ConnectRouteParts &
  SandboxRouteParts & {
    readonly providers: Providers
    readonly media: Pick<MediaParts, 'storage'> & { readonly pictures: AccountPictures }
    readonly cursors: Cursors
    readonly times: CallTimes
    /** The routes of the Agent API, which people have, too. */
    readonly agentRoutes: readonly Route[]
  }

/** The routes of everything that people can do. */
export function appRoutes(parts: AppRouteParts): Route[] {
  return [
    ...signInRoutes(parts),
    newWorkspaceRoute(parts),
    ...invitationRoutes(parts),
    ...workspaceRoutes(endCredentials),
    ...keyRoutes(),
    ...connectedAppRoutes(),
    ...stopRoutes(),
    ...webhookRoutes(parts),
    ...approvalRoutes(parts),
    todayRoute(),
    calendarOverviewRoute(),
    attentionRoute(versionEnds(parts.providers)),
    ...noticeRoutes({ hasMail: parts.mail !== null }),
    ...managedChannelRoutes(parts),
    ...channelGroupRoutes(),
    removeChannelRoute(),
    ...connectRoutes(parts),
    ...sandboxRoutes(parts),
    ...sharedRoutes(parts.agentRoutes),
    ...ownPostRoutes(parts),
    ...bulkRoutes(),
    playRoute(parts.media),
    accountPictureRoute(parts.media),
    ...eventLogRoutes(parts),
    ...auditRoutes(parts),
    resolveRoute(parts),
    ...timelineRoutes(),
  ]
}

/** What people and agents do alike is done by the same handlers. */
function sharedRoutes(agentRoutes: readonly Route[]): Route[] {
  const byId = new Map<string, Operation>(app.sharedOperations.map((operation) => [operation.id, operation]))
  return operations.flatMap((agent) => {
    const shared = byId.get(app.appIdOf(agent))
    const found = agentRoutes.find(({ operation }) => operation.id === agent.id)
    if (shared === undefined || found === undefined) return []
    return [{ ...withoutLocation(found), operation: shared }]
  })
}

/** Everything of a route but where the Agent API has what it creates. */
const withoutLocation = ({ location: _, ...more }: Route) => more

/** One act for each kind of credential: it is revoked, and what it planned is cancelled. */
function stopRoutes(): Route[] {
  return [
    route(app.stopKey, async ({ params: { keyId } }, { caller, sql, audit }) => {
      const stopped = await stopKey(sql, caller.workspaceId, keyId, actorOf(caller))
      if (stopped === null) return refuse('not_found', 'Key not found in this workspace.')
      audit(stopDetails(stopped))
      return { keyId, ...viewStopped(stopped) }
    }),
    route(app.stopApp, async ({ params: { grantId } }, { caller, sql, audit }) => {
      const stopped = await stopApp(sql, caller.workspaceId, grantId, actorOf(caller))
      if (stopped === null) return refuse('not_found', 'App not found in this workspace.')
      audit(stopDetails(stopped))
      return { grantId, ...viewStopped(stopped) }
    }),
  ]
}

function viewStopped({ revokedAt, cancelled, underWay }: Stopped) {
  return { revokedAt: revokedAt.toISOString(), cancelled, underWay }
}

function resolveRoute({ providers, times, baseUrl }: AppRouteParts): Route {
  return route(app.resolveDestination, async ({ params, body }, { caller, sql, audit }) => {
    const finding = readFinding(body)
    if (isRefusal(finding)) return finding
    const { workspaceId, member } = caller
    const key = { workspaceId, postId: params.postId, channelId: body.channelId }
    const read = async () => {
      const post = await readPost(sql, key, actorOf(caller), { providers, baseUrl })
      if (isRefusal(post)) return post
      const destination = post.destinations.find(({ channelId }) => channelId === body.channelId)
      return destination ?? refuse('not_found', 'The post has no destination on this channel.')
    }
    const before = await read()
    if (isRefusal(before)) return before
    // First, as in every command on a channel: a post is locked before its destinations.
    await renewEditTokens(sql, workspaceId, [params.postId], actorOf(caller), ['status'])
    const resolved = await resolveByPerson(sql, times, providers, {
      ...key,
      controlToken: body.controlToken,
      memberName: member.name,
      note: body.note?.trim() || null,
      finding,
    })
    if (isRefusal(resolved)) {
      return resolved.refused === 'invalid_state'
        ? { ...resolved, facts: { currentStatus: before.status, ...resolved.facts } }
        : resolved
    }
    const after = await read()
    // Of an operator the log names no person: it says here whose word it is.
    const named = caller.operator === undefined ? {} : { decidedBy: member.name }
    if (!isRefusal(after)) {
      audit({
        subject: { channelId: body.channelId },
        before: { status: before.status },
        after: { status: after.status, finding: finding.is, ...named },
      })
    }
    return after
  })
}

function readFinding(body: {
  finding: Finding['is']
  remoteId?: string
  url?: string | null
}): Finding | Refusal<'validation_failed'> {
  const { finding, remoteId, url = null } = body
  const wrong = (pointer: string, code: string, detail: string) =>
    refuse('validation_failed', detail, { errors: [{ pointer, code, detail }] })
  if (finding !== 'published') {
    return remoteId === undefined && url === null
      ? { is: finding }
      : wrong('/remoteId', 'not_allowed', 'Only a published post has an ID and an address on the network.')
  }
  if (remoteId === undefined)
    return wrong('/remoteId', 'required', 'Give the ID that the post has on the network.')
  if (url !== null && !/^https?:\/\//.test(url))
    return wrong('/url', 'malformed', '`url` must be an http or https address.')
  return { is: 'published', remoteId, url }
}
