import { app } from '@postrider/contract'
import { route, type Route } from '../../edge/operations/route.ts'
import { countWeek, findLast, findNext } from './today-store.ts'
import { viewCalendarEntry } from './views.ts'

/** What a person looks at first. */
export function todayRoute(): Route {
  return route(app.readToday, async ({ query }, { caller, sql }) => {
    const { workspaceId } = caller
    const next = await findNext(sql, workspaceId)
    const published = await findLast(sql, workspaceId)
    const week = await countWeek(sql, workspaceId, query.from)
    return { next: next.map(viewCalendarEntry), published: published.map(viewCalendarEntry), week: [...week] }
  })
}
