import * as contract from '@postrider/contract'
import type { Cursors } from '../operations/cursor.ts'
import { seesChannels } from '../operations/credential-limits.ts'
import { latestFirst } from '../operations/latest-first.ts'
import { isRefusal, refuse } from '../operations/refusal.ts'
import { route, type Route } from '../operations/route.ts'
import { latestEvents, readFeed, type FeedPosition } from './event-feed-store.ts'

/** The route of the feed of events. */
export function eventRoutes({ cursors }: { cursors: Cursors }): Route[] {
  return [
    route(contract.listEvents, async ({ query }, { caller, sql }) => {
      const scope = [caller.workspaceId, contract.listEvents.id]
      const position = query.cursor === undefined ? null : cursors.read(query.cursor, scope)
      if (query.cursor !== undefined && !isPosition(position))
        return refuse(
          'invalid_cursor',
          'The cursor was changed, or belongs to another list. Send the last `nextCursor` unchanged, or none to begin with the oldest event.',
        )
      const page = await readFeed(
        sql,
        caller.workspaceId,
        isPosition(position) ? position : null,
        query.limit ?? 20,
      )
      if ('expired' in page)
        return refuse(
          'cursor_expired',
          'Events after this cursor are gone: they were older than the retention, or the database was restored from a backup. Continue with `oldestCursor`, and skip the events whose `id` you know.',
          { oldestCursor: cursors.issue(scope, page.oldest) },
        )
      return {
        // The cursor passes over what the credential does not see, so that a page may be short.
        items: page.bodies
          .map(readEnvelope)
          .filter(({ data }) => seesChannels(caller.credential.limits, [data.destination.channelId])),
        nextCursor: cursors.issue(scope, page.position),
        hasMore: page.hasMore,
      }
    }),
  ]
}

/** The route by which people look through events. */
export function eventLogRoutes({ cursors }: { cursors: Cursors }): Route[] {
  const { listEventLog } = contract.app
  return [
    route(listEventLog, async ({ query: { cursor, limit = 20 } }, { caller, sql }) => {
      const { workspaceId } = caller
      const list = latestFirst(cursors, [listEventLog.id, workspaceId], cursor)
      if (isRefusal(list)) return list
      const rows = await latestEvents(sql, workspaceId, { before: list.before, limit: limit + 1 })
      const { items, nextCursor } = list.page(rows, limit)
      return { items: items.map(({ body }) => readEnvelope(body)), nextCursor }
    }),
  ]
}

function readEnvelope(body: Buffer): contract.Event {
  return JSON.parse(body.toString('utf8')) as contract.Event
}

/** A cursor is authenticated, so what it holds is a position; this says so to the compiler. */
function isPosition(value: unknown): value is FeedPosition {
  return typeof value === 'object' && value !== null && 'seq' in value && 'eventId' in value
}
