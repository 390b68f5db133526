import { app } from '@postrider/contract'
import { refuse } from '../../edge/operations/refusal.ts'
import { route, type Route } from '../../edge/operations/route.ts'
import { readHappened } from './timeline-store.ts'
import { timelineOf } from './timeline.ts'

/** The route on what happened to a post. */
export function timelineRoutes(): Route[] {
  return [
    route(app.readTimeline, async ({ params: { postId } }, { caller, sql }) => {
      const happened = await readHappened(
        sql,
        { workspaceId: caller.workspaceId, postId },
        { withDeliveries: true },
      )
      return happened === null
        ? refuse('not_found', 'Post not found in this workspace.')
        : timelineOf(happened)
    }),
  ]
}
