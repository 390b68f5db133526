import * as contract from '@postrider/contract'
import { actorOf } from '../platform/actor.ts'
import type { Cursors } from '../platform/cursor.ts'
import { type Restricted, route, type Route } from '../platform/route.ts'
import { createPost, type PostsOptions } from './create-post.ts'
import { cancelSome } from './cancel-post.ts'
import { checkPost } from './check-post.ts'
import { rescheduleDestination, retryDestination, scheduleDestination } from './command-destination.ts'
import { editPost } from './edit-post.ts'
import { listPosts } from './list-posts.ts'
import { readCalendar } from './read-calendar.ts'
import { readPost } from './read-post.ts'

const mediaDetails: Restricted<contract.Post> = {
  permission: 'media:read',
  without: (post) => ({ ...post, media: [] }),
}

/** The routes on posts: checking and creating them, reading them, and the calendar. */
export function postRoutes({ cursors, ...options }: PostsOptions & { cursors: Cursors }): Route[] {
  return [
    route(contract.checkPost, ({ body }, { caller, sql }) => checkPost(sql, caller, body, options.providers)),
    route(contract.createPost, ({ body }, { caller, sql }) => createPost(sql, caller, body, options), {
      atOnce: true,
      location: ({ postId }) => `/agent/v1/posts/${postId}`,
      restricted: mediaDetails,
    }),
    route(
      contract.editPost,
      ({ params, body }, { caller, sql, audit }) =>
        editPost(sql, { ...params, workspaceId: caller.workspaceId }, body, actorOf(caller), {
          ...options,
          say: audit,
        }),
      { atOnce: true, restricted: mediaDetails },
    ),
    route(
      contract.scheduleDestination,
      ({ params, body }, { caller, sql, audit }) =>
        scheduleDestination(sql, { ...body, ...params, workspaceId: caller.workspaceId }, actorOf(caller), {
          ...options,
          say: audit,
        }),
      { atOnce: true },
    ),
    route(
      contract.rescheduleDestination,
      ({ params, body }, { caller, sql, audit }) =>
        rescheduleDestination(sql, { ...body, ...params, workspaceId: caller.workspaceId }, actorOf(caller), {
          ...options,
          say: audit,
        }),
      { atOnce: true },
    ),
    route(
      contract.cancelDestination,
      ({ params, body }, { caller, sql, audit }) =>
        cancelSome(sql, { ...params, workspaceId: caller.workspaceId }, body, actorOf(caller), {
          ...options,
          say: audit,
        }),
      { atOnce: true },
    ),
    route(
      contract.retryDestination,
      ({ params, body }, { caller, sql, audit }) =>
        retryDestination(sql, { ...body, ...params, workspaceId: caller.workspaceId }, actorOf(caller), {
          ...options,
          say: audit,
        }),
      { atOnce: true },
    ),
    route(
      contract.listPosts,
      ({ query }, { caller, sql }) =>
        listPosts(sql, caller.workspaceId, query, cursors, caller.credential.limits.channelIds),
      { atOnce: true },
    ),
    route(
      contract.readPost,
      ({ params }, { caller, sql }) =>
        readPost(sql, { ...params, workspaceId: caller.workspaceId }, actorOf(caller), options),
      { atOnce: true },
    ),
    route(
      contract.readCalendar,
      ({ query }, { caller, sql }) =>
        readCalendar(sql, caller.workspaceId, query, caller.credential.limits.channelIds),
      { atOnce: true },
    ),
  ]
}
