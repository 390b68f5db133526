import type { CredentialLimits, Input } from '@postrider/contract'
import * as contract from '@postrider/contract'
import type { Cursors } from '../../edge/operations/cursor.ts'
import { labelKeys, seesChannels } from '../../edge/operations/credential-limits.ts'
import { latestFirst } from '../../edge/operations/latest-first.ts'
import { isRefusal, refuse } from '../../edge/operations/refusal.ts'
import { route, type Route } from '../../edge/operations/route.ts'
import { nameKey } from '../../platform/text/name-key.ts'
import { parseInstant } from '../../platform/text/instant.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { feedBefore, type FeedFilter, latestEvents, readFeed, type FeedPosition } from './event-feed-store.ts'

/** The route of the feed of events. */
export function eventRoutes({ cursors }: { cursors: Cursors }): Route[] {
  return [
    route(contract.listEvents, async ({ query }, { caller, sql }) => {
      const { limits } = caller.credential
      const filter = filterOf(query, limits)
      const scope = [caller.workspaceId, contract.listEvents.id, ...scopeOf(query)]
      const position = query.cursor === undefined ? null : cursors.read(query.cursor, scope)
      if (query.cursor !== undefined && !isPosition(position))
        return refuse(
          'invalid_cursor',
          'The cursor was changed, or belongs to another list. Send the last `nextCursor` unchanged, or none to begin with the oldest event.',
        )
      const after = isPosition(position) ? position : await firstPosition(sql, caller.workspaceId, filter)
      const page = await readFeed(sql, caller.workspaceId, after, query.limit ?? 20, filter)
      if ('expired' in page)
        return refuse(
          'cursor_expired',
          'Events after this cursor are gone: they were older than the retention, or the database was restored from a backup. Continue with `oldestCursor`, and skip the events whose `id` you know.',
          { oldestCursor: cursors.issue(scope, page.oldest) },
        )
      return {
        // The cursor passes over what the credential does not see, so that a page may be short.
        items: page.bodies.map(readEnvelope).filter((event) => seesChannels(limits, channelsOf(event))),
        nextCursor: cursors.issue(scope, page.position),
        hasMore: page.hasMore,
      }
    }),
  ]
}

type FeedQuery = Input<typeof contract.listEvents>['query']

/** What of the feed is asked for, as far as the credential sees it; undefined for all of it. */
function filterOf(query: FeedQuery, limits: CredentialLimits): FeedFilter | undefined {
  const labels = labelKeys(limits, query.label)
  if (labels === null && scopeOf(query).length === 0) return undefined
  const { since, type, postId } = query
  return {
    since: since === undefined ? null : parseInstant(since),
    type: type ?? null,
    postId: postId ?? null,
    labels,
  }
}

/** A cursor belongs to what was asked for. */
function scopeOf({ since, type, postId, label }: FeedQuery): string[] {
  if ([since, type, postId, label].every((asked) => asked === undefined)) return []
  return [
    JSON.stringify({
      since: since === undefined ? null : parseInstant(since),
      type: type ?? null,
      postId: postId ?? null,
    }),
    ...(label === undefined ? [] : [nameKey(label.trim())]),
  ]
}

async function firstPosition(
  sql: Db,
  workspaceId: string,
  filter: FeedFilter | undefined,
): Promise<FeedPosition | null> {
  const since = filter?.since ?? null
  return since === null ? null : feedBefore(sql, workspaceId, since)
}

/** The route by which people look through events. */
export function eventLogRoutes({ cursors }: { cursors: Cursors }): Route[] {
  const { listEventLog } = contract.app
  return [
    route(listEventLog, async ({ query }, { caller, sql }) => {
      const { workspaceId } = caller
      const { type = null, channelId = null, cursor, limit = 20 } = query
      const about = [listEventLog.id, workspaceId, type ?? '', channelId ?? '']
      const list = latestFirst(cursors, about, cursor)
      if (isRefusal(list)) return list
      const rows = await latestEvents(sql, workspaceId, {
        type,
        channelId,
        before: list.before,
        limit: limit + 1,
      })
      const { items, nextCursor } = list.page(rows, limit)
      return { items: items.map(({ body }) => readEnvelope(body)), nextCursor }
    }),
  ]
}

function readEnvelope(body: Buffer): contract.AnyEvent {
  return JSON.parse(body.toString('utf8')) as contract.AnyEvent
}

function channelsOf({ data }: contract.AnyEvent): string[] {
  return 'destination' in data ? [data.destination.channelId] : data.channelIds
}

/** A cursor is authenticated, so what it holds is a position; this says so to the compiler. */
function isPosition(value: unknown): value is FeedPosition {
  return typeof value === 'object' && value !== null && 'seq' in value && 'eventId' in value
}
