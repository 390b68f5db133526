import { app } from '@postrider/contract'
import { findMedia } from '../media/media-store.ts'
import { refuseMediaId } from '../media/refuse-media.ts'
import { route, type Route } from '../operations/route.ts'
import { firstCharacters } from '../providers/characters.ts'
import { actorOf } from '../operations/actor.ts'
import { postsWithMedia } from './media-use-store.ts'
import { revisePost } from './revise-post.ts'
import type { ViewOptions } from './views.ts'

const SHOWN = 20
const EXCERPT = 280

/** The routes on posts that only people have: changing all of one at once, and seeing where a media item is used. */
export function ownPostRoutes(options: ViewOptions): Route[] {
  return [
    route(app.revisePost, ({ params, body }, { caller, sql, audit }) =>
      revisePost(sql, { ...params, workspaceId: caller.workspaceId }, body, actorOf(caller), {
        ...options,
        say: audit,
      }),
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
