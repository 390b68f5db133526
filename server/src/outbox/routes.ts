import * as contract from '@postrider/contract'
import type { Cursors } from '../platform/cursor.ts'
import { refuse } from '../platform/refusal.ts'
import { route, type Route } from '../platform/route.ts'
import { feedBegin, readFeed, type FeedPosition } from './event-feed-store.ts'

/** The route of the feed of events. */
export function eventRoutes({ cursors }: { cursors: Cursors }): Route[] {
  return [
    route(contract.listEvents, async ({ query }, { caller, sql }) => {
      const scope = [caller.workspaceId, contract.listEvents.id]
      const position = query.cursor === undefined ? feedBegin : cursors.read(query.cursor, scope)
      if (!isPosition(position))
        return refuse(
          'invalid_cursor',
          'The cursor was changed, or belongs to another list. Send the `nextCursor` of the answer before, or none to begin anew.',
        )
      const page = await readFeed(sql, caller.workspaceId, position, query.limit ?? 20)
      return {
        items: page.bodies.map((body) => JSON.parse(body.toString('utf8')) as contract.Event),
        nextCursor: cursors.issue(scope, page.position),
        hasMore: page.hasMore,
      }
    }),
  ]
}

/** A cursor is authenticated, so what it holds is a position; this says so to the compiler. */
function isPosition(value: unknown): value is FeedPosition {
  return typeof value === 'object' && value !== null && 'from' in value && 'seq' in value
}
