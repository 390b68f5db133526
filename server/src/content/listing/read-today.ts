import { app } from '@postrider/contract'
import { route, type Route } from '../../edge/operations/route.ts'
import { findWorkspace } from '../../people/members/workspace-store.ts'
import { localDays } from './local-days.ts'
import { refuseDay } from './refuse-day.ts'
import { countDays, findLast, findNext } from './today-store.ts'
import { viewCalendarEntry } from './views.ts'

const WEEK = 7

/** What a person looks at first. */
export function todayRoute(): Route {
  return route(app.readToday, async ({ query }, { caller, sql }) => {
    const { workspaceId } = caller
    const wrong = refuseDay(query.from)
    if (wrong !== null) return wrong
    const next = await findNext(sql, workspaceId)
    const published = await findLast(sql, workspaceId)
    const timeZone = (await findWorkspace(sql, workspaceId))?.timeZone ?? 'UTC'
    const week = await countDays(sql, workspaceId, localDays(timeZone, query.from, { days: WEEK }))
    return { next: next.map(viewCalendarEntry), published: published.map(viewCalendarEntry), week: [...week] }
  })
}
