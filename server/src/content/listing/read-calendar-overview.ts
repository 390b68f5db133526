import { app } from '@postrider/contract'
import { refuse } from '../../edge/operations/refusal.ts'
import { route, type Route } from '../../edge/operations/route.ts'
import { parseInstant } from '../../platform/text/instant.ts'
import { findAuthors, findFirst } from './calendar-overview-store.ts'
import { namedChannels } from './named-channels.ts'
import { labelKeys } from '../../edge/operations/credential-limits.ts'
import { viewCalendarEntry } from './views.ts'

/** What a calendar shows at first: the first posts of each day or hour, and how many there are. */
export function calendarOverviewRoute(): Route {
  return route(app.readCalendarOverview, async ({ query }, { caller, sql }) => {
    const { workspaceId, credential } = caller
    const { from, days, by, most = null, status = 'all', author = null } = query
    if (parseInstant(`${from}T00:00:00Z`) === null) return refuseDay()
    const channels = await namedChannels(sql, workspaceId, query.channelId, credential.limits.channelIds)
    const labels = labelKeys(credential.limits, query.label)
    const range = { from, days, includeDrafts: status === 'draft' }
    const rows = await findFirst(sql, workspaceId, {
      ...range,
      ...channels,
      labels,
      status,
      author,
      by,
      most,
    })
    const authors = await findAuthors(sql, workspaceId, range)
    const slots = [...Map.groupBy(rows, ({ at }) => at)].map(([at, entries]) => ({
      at,
      posts: entries[0]?.posts ?? 0,
      entries: entries.map(viewCalendarEntry),
    }))
    return { slots, authors }
  })
}

function refuseDay() {
  const detail = '`from` is not a day that exists.'
  return refuse('validation_failed', detail, { errors: [{ pointer: '?from', code: 'malformed', detail }] })
}
