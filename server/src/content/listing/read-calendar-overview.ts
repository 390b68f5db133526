import { app } from '@postrider/contract'
import { route, type Route } from '../../edge/operations/route.ts'
import { findWorkspace } from '../../people/members/workspace-store.ts'
import { localDays } from './local-days.ts'
import { refuseDay } from './refuse-day.ts'
import { findAuthors, findFirst } from './calendar-overview-store.ts'
import { namedChannels } from './named-channels.ts'
import { labelKeys } from '../../edge/operations/credential-limits.ts'
import { viewCalendarEntry } from './views.ts'

/** What a calendar shows at first: the first posts of each day or hour, and how many there are. */
export function calendarOverviewRoute(): Route {
  return route(app.readCalendarOverview, async ({ query }, { caller, sql }) => {
    const { workspaceId, credential } = caller
    const { from, days, by, most = null, status = 'all', author = null } = query
    const wrong = refuseDay(from)
    if (wrong !== null) return wrong
    const channels = await namedChannels(sql, workspaceId, query.channelId, credential.limits.channelIds)
    const labels = labelKeys(credential.limits, query.label)
    const timeZone = (await findWorkspace(sql, workspaceId))?.timeZone ?? 'UTC'
    const clock = localDays(timeZone, from, { before: 1, days })
    const range = { from, days, clock, includeDrafts: status === 'draft' }
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
