import type { Input } from '@postrider/contract'
import * as contract from '@postrider/contract'
import type { ActDetails } from '../../edge/operations/act.ts'
import { type Actor, actorOf } from '../../edge/operations/actor.ts'
import { isRefusal } from '../../edge/operations/refusal.ts'
import type { Sql, Tx } from '../../platform/postgres/db.ts'
import {
  batchRoute,
  type Caller,
  type Restricted,
  route,
  type Route,
  rowsRoute,
} from '../../edge/operations/route.ts'
import { changeAltText } from './edit/change-alt-text.ts'
import { changeChannels } from './edit/change-channels.ts'
import { createPost } from './create/create-post.ts'
import { lockForRows } from './command/lock-rows.ts'
import { deleteMedia } from './command/delete-media.ts'
import { cancelSome } from './command/cancel-post.ts'
import { checkPost, checkPosts } from './create/check-post.ts'
import { retryDestination } from './command/command-destination.ts'
import { editPost } from './edit/edit-post.ts'
import { labelPosts, refuseRepeatedLabels } from './command/label-posts.ts'
import { type PostKey, readPost, refuseRepeatedCommand, refuseRepeatedCreate } from './read-post.ts'
import { requestApproval } from './create/request-approval.ts'
import { rescheduleSome, scheduleSome } from './command/reschedule-post.ts'
import type { ViewOptions } from './views.ts'

const mediaDetails: Restricted<contract.Post> = {
  permission: 'media:read',
  without: (post) => ({ ...post, media: [] }),
}

/** The same where a command answers with the post, or with one destination, which shows no media. */
const mediaOfWhole: Restricted<contract.Post | contract.Destination> = {
  permission: 'media:read',
  without: (answer) => ('media' in answer ? { ...answer, media: [] } : answer),
}

/** What a command takes that gives one destination a time; a retry may carry content, too. */
type Timed = Input<typeof contract.retryDestination>['body']

export type PostRouteParts = ViewOptions & {
  /** What happened to a post, oldest first. */
  readonly readHistory: (sql: Sql, key: PostKey) => Promise<contract.HistoryEntry[]>
}

/** The routes on posts: checking and creating them, reading one, its commands, and what depends on which posts carry a file. */
export function postRoutes({ readHistory, ...options }: PostRouteParts): Route[] {
  function timed<A>(move: (tx: Tx, command: Timed & PostKey, actor: Actor, options: ViewOptions) => A) {
    return (
      { params, body }: { params: Pick<PostKey, 'postId'>; body: Timed },
      { caller, sql, audit }: { caller: Caller; sql: Tx; audit: (details: ActDetails) => void },
    ): A => {
      const command = { ...body, ...params, workspaceId: caller.workspaceId }
      return move(sql, command, actorOf(caller), { ...options, say: audit })
    }
  }

  const create = route(
    contract.createPost,
    ({ body }, { caller, sql }) => createPost(sql, caller, body, options),
    {
      pipelined: true,
      location: ({ postId }) => `/agent/v1/posts/${postId}`,
      restricted: mediaDetails,
      refuseRepeat: refuseRepeatedCreate,
    },
  )

  return [
    route(contract.checkPost, ({ body }, { caller, sql }) => checkPost(sql, caller, body, options.providers)),
    rowsRoute(
      contract.checkPosts,
      { operation: contract.checkPost, as: 'check', baseUrl: options.baseUrl },
      (rows, { caller, sql }) => checkPosts(sql, caller, rows, options.providers),
    ),
    create,
    batchRoute(contract.createPosts, {
      route: create,
      path: '/agent/v1/posts',
      baseUrl: options.baseUrl,
      lockTogether: lockForRows,
    }),
    route(
      contract.editPost,
      ({ params, body }, { caller, sql, audit }) =>
        editPost(sql, { ...params, workspaceId: caller.workspaceId }, body, actorOf(caller), {
          ...options,
          say: audit,
        }),
      { pipelined: true, restricted: mediaDetails, refuseRepeat: refuseRepeatedCommand },
    ),
    route(
      contract.changeChannels,
      ({ params, body }, { caller, sql, audit }) =>
        changeChannels(sql, { ...params, workspaceId: caller.workspaceId }, body, actorOf(caller), {
          ...options,
          say: audit,
        }),
      { restricted: mediaDetails, refuseRepeat: refuseRepeatedCommand },
    ),
    route(
      contract.scheduleDestination,
      ({ params, body }, { caller, sql, audit }) =>
        scheduleSome(sql, { ...params, workspaceId: caller.workspaceId }, body, actorOf(caller), {
          ...options,
          say: audit,
        }),
      { pipelined: true, restricted: mediaOfWhole, refuseRepeat: refuseRepeatedCommand },
    ),
    route(
      contract.rescheduleDestination,
      ({ params, body }, { caller, sql, audit }) =>
        rescheduleSome(sql, { ...params, workspaceId: caller.workspaceId }, body, actorOf(caller), {
          ...options,
          say: audit,
        }),
      { pipelined: true, restricted: mediaOfWhole, refuseRepeat: refuseRepeatedCommand },
    ),
    route(
      contract.cancelDestination,
      ({ params, body }, { caller, sql, audit }) =>
        cancelSome(sql, { ...params, workspaceId: caller.workspaceId }, body, actorOf(caller), {
          ...options,
          say: audit,
        }),
      { pipelined: true, restricted: mediaOfWhole, refuseRepeat: refuseRepeatedCommand },
    ),
    route(contract.retryDestination, timed(retryDestination), {
      pipelined: true,
      refuseRepeat: refuseRepeatedCommand,
    }),
    route(
      contract.requestApproval,
      ({ params, body }, { caller, sql, audit }) =>
        requestApproval(
          sql,
          { ...params, workspaceId: caller.workspaceId },
          body.editToken,
          actorOf(caller),
          {
            ...options,
            say: audit,
          },
        ),
      { restricted: mediaDetails, refuseRepeat: refuseRepeatedCommand },
    ),
    route(
      contract.labelPosts,
      ({ body }, { caller, sql, audit }) => labelPosts(sql, caller.workspaceId, body, actorOf(caller), audit),
      { refuseRepeat: refuseRepeatedLabels },
    ),
    route(contract.updateMedia, ({ params, body }, { caller, sql, audit }) =>
      changeAltText(sql, { ...params, workspaceId: caller.workspaceId }, body.altText, actorOf(caller), {
        ...options,
        say: audit,
      }),
    ),
    route(contract.deleteMedia, ({ params }, { caller, sql }) =>
      deleteMedia(sql, { ...params, workspaceId: caller.workspaceId }),
    ),
    route(
      contract.readPost,
      async ({ params, query }, { caller, sql }) => {
        const key = { ...params, workspaceId: caller.workspaceId }
        // Sent together.
        const [post, history] = await Promise.all([
          readPost(sql, key, actorOf(caller), options),
          query.include === undefined ? null : readHistory(sql, key),
        ])
        return isRefusal(post) || history === null ? post : { ...post, history }
      },
      { pipelined: true, isQuick: ({ include }) => include === undefined },
    ),
  ]
}
