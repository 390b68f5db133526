import * as contract from '@postrider/contract'
import type { Cursors } from '../../edge/operations/cursor.ts'
import { type IsQuick, route, type Route } from '../../edge/operations/route.ts'
import { DEFAULT_LIMIT, listPosts } from './list-posts.ts'
import { readLabelResults, readLabels } from './read-labels.ts'
import { readCalendar } from './read-calendar.ts'

/** The routes on which posts are found: the list, the calendar and labels. */
export function listingRoutes({ cursors }: { cursors: Cursors }): Route[] {
  return [
    route(
      contract.listPosts,
      ({ query }, { caller, sql }) =>
        listPosts(sql, caller.workspaceId, query, cursors, caller.credential.limits),
      { pipelined: true, isQuick: isQuickPage },
    ),
    route(
      contract.listLabels,
      (_, { caller, sql }) => readLabels(sql, caller.workspaceId, caller.credential.limits),
      { pipelined: true },
    ),
    route(
      contract.readLabelResults,
      ({ query }, { caller, sql }) =>
        readLabelResults(sql, caller.workspaceId, query, caller.credential.limits),
      { pipelined: true },
    ),
    route(
      contract.readCalendar,
      ({ query }, { caller, sql }) => readCalendar(sql, caller.workspaceId, query, caller.credential.limits),
      { pipelined: true },
    ),
  ]
}

/**
 * A page of all posts is read from where it begins; one of those that match may be looked for among many, and of long ones too much
 * would be in memory at once.
 */
const isQuickPage: IsQuick = ({ limit, cursor: _, ...filters }, { limits }) =>
  // Asked before the query is checked: of whatever type it is.
  (typeof limit === 'object' ? Infinity : Number(limit ?? DEFAULT_LIMIT)) <= DEFAULT_LIMIT &&
  limits.channelIds === null &&
  limits.label === null &&
  Object.keys(filters).length === 0
