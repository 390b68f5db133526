import * as contract from '@postrider/contract'
import { findChannels } from '../channels/channel-store.ts'
import { findMedia } from '../media/media-store.ts'
import { viewMedia } from '../media/views.ts'
import type { Cursors } from '../platform/cursor.ts'
import { refuse } from '../platform/refusal.ts'
import { route, type Caller, type Route } from '../platform/route.ts'
import { checkPlan, isError } from './check-post.ts'
import { channelIdsOf, createPost, type PostsOptions } from './create-post.ts'
import { refuseShape } from './refuse-plan.ts'
import {
  cancelDestination,
  rescheduleDestination,
  retryDestination,
  scheduleDestination,
} from './command-destination.ts'
import { editPost } from './edit-post.ts'
import { listPosts } from './list-posts.ts'
import { mediaIdsOf, readPlan } from './plan.ts'
import { readCalendar } from './read-calendar.ts'
import { readPost } from './read-post.ts'

/** The routes on posts: checking and creating them, reading them, and the calendar. */
export function postRoutes({ providers, baseUrl, cursors }: PostsOptions & { cursors: Cursors }): Route[] {
  const options = { providers, baseUrl }
  return [
    route(contract.checkPost, async ({ body }, { caller, sql }) => {
      const read = readPlan(body)
      if ('errors' in read) return refuseShape(read.errors)
      const mediaIds = mediaIdsOf(read.plan)
      if (mediaIds.length > 0 && !maySeeMedia(caller)) return refuseMedia(caller)
      const { now, channels } = await findChannels(sql, caller.workspaceId, channelIdsOf(read.plan))
      const media = await findMedia(sql, caller.workspaceId, mediaIds)
      const { destinations, issues } = checkPlan(read.plan, channels, providers, now, media)
      const seen = mediaIds.flatMap((id) => media.get(id) ?? [])
      return { ready: !issues.some(isError), destinations, media: seen.map(viewMedia), issues: [...issues] }
    }),
    route(contract.createPost, ({ body }, { caller, sql }) => createPost(sql, caller, body, options), {
      location: ({ postId }) => `/agent/v1/posts/${postId}`,
    }),
    route(contract.editPost, ({ params, body }, { caller, sql }) =>
      editPost(sql, { workspaceId: caller.workspaceId, postId: params.postId }, body, options),
    ),
    route(contract.scheduleDestination, ({ params, body }, { caller, sql }) =>
      scheduleDestination(sql, { ...body, ...params, workspaceId: caller.workspaceId }, options),
    ),
    route(contract.rescheduleDestination, ({ params, body }, { caller, sql }) =>
      rescheduleDestination(sql, { ...body, ...params, workspaceId: caller.workspaceId }, options),
    ),
    route(contract.cancelDestination, ({ params, body }, { caller, sql }) =>
      cancelDestination(sql, { ...body, ...params, workspaceId: caller.workspaceId }, options),
    ),
    route(contract.retryDestination, ({ params, body }, { caller, sql }) =>
      retryDestination(sql, { ...body, ...params, workspaceId: caller.workspaceId }, options),
    ),
    route(contract.listPosts, ({ query }, { caller, sql }) =>
      listPosts(sql, caller.workspaceId, query, cursors),
    ),
    route(contract.readPost, ({ params }, { caller, sql }) =>
      readPost(sql, { workspaceId: caller.workspaceId, postId: params.postId }, baseUrl),
    ),
    route(contract.readCalendar, ({ query }, { caller, sql }) =>
      readCalendar(sql, caller.workspaceId, query),
    ),
  ]
}

function maySeeMedia({ credential }: Caller): boolean {
  return credential.permissions.includes('media:read')
}

function refuseMedia({ credential }: Caller) {
  const detail =
    'This credential lacks `media:read`, which the check of a plan with media needs. Have it granted, or leave the media out.'
  return refuse('missing_permission', detail, {
    requiredPermission: 'media:read',
    grantedPermissions: credential.permissions,
  })
}
