import { app } from '@postrider/contract'
import { findMedia } from '../../media/media-store.ts'
import { refuseMediaId } from '../../media/refuse-media.ts'
import { route, type Route } from '../../edge/operations/route.ts'
import { firstCharacters } from '../../networks/providers/shared/characters.ts'
import { actorOf } from '../../edge/operations/actor.ts'
import type { Cursors } from '../../edge/operations/cursor.ts'
import { browseMedia } from './browse-media.ts'
import { previewPostingTimes, setPostingTimes } from './slots/change-posting-times.ts'
import { listFreePostingTimes } from './slots/free-posting-times.ts'
import { movePost } from './command/move-post.ts'
import { postsWithMedia } from './media-use-store.ts'
import { revisePost } from './edit/revise-post.ts'
import type { ViewOptions } from './views.ts'

const SHOWN = 20
const EXCERPT = 280

/**
 * The routes on posts and their media that only people have: changing all of a post at once, the posting times of channels with their queue,
 * and what media are used for.
 */
export function ownPostRoutes(options: ViewOptions & { cursors: Cursors }): Route[] {
  return [
    route(app.findMedia, ({ query }, { caller, sql }) =>
      browseMedia(sql, caller.workspaceId, query, options.cursors),
    ),
    route(app.revisePost, ({ params, body }, { caller, sql, audit }) =>
      revisePost(sql, { ...params, workspaceId: caller.workspaceId }, body, actorOf(caller), {
        ...options,
        say: audit,
      }),
    ),
    route(app.movePost, ({ params, body }, { caller, sql, audit }) =>
      movePost(sql, { ...params, workspaceId: caller.workspaceId }, body, actorOf(caller), {
        ...options,
        say: audit,
      }),
    ),
    route(app.previewPostingTimes, ({ params: { channelId }, body }, { caller, sql }) =>
      previewPostingTimes(sql, { workspaceId: caller.workspaceId, channelId }, body.postingTimes),
    ),
    route(app.setPostingTimes, ({ params: { channelId }, body }, { caller, sql, audit }) =>
      setPostingTimes(sql, { workspaceId: caller.workspaceId, channelId }, body, actorOf(caller), {
        ...options,
        say: audit,
      }),
    ),
    route(app.listFreePostingTimes, ({ query }, { caller, sql }) =>
      listFreePostingTimes(sql, caller.workspaceId, query),
    ),
    route(app.listPostsWithMedia, async ({ params: { mediaId } }, { caller, sql }) => {
      const { workspaceId } = caller
      const known = await findMedia(sql, workspaceId, [mediaId])
      if (!known.has(mediaId)) return refuseMediaId()
      const posts = await postsWithMedia(sql, { workspaceId, mediaId }, SHOWN)
      return posts.map(({ postId, text }) => ({ postId, text: firstCharacters(text, EXCERPT) }))
    }),
  ]
}
