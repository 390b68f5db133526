import type { app } from '@postrider/contract'
import { type CalendarSearch, placeAt } from './addresses.ts'
import { askAhead } from './api/ahead.ts'
import { weekStart } from './features/calendar/grid.ts'
import {
  filtersOf,
  firstDayOf,
  listFilters,
  overviewOf,
  rangeOf,
  startView,
} from './features/calendar/shown.ts'
import { dateOf } from './lib/zone-clock.ts'
import { screens } from './screens.ts'

/*
 * The page asks for this script first, and runs it as soon as it is there: it asks for what the screen of the address shows, and
 * for the screen's own script, while those that all screens have are still on their way. Nothing depends on it.
 */

const {
  address,
  params: { workspaceId = '' },
  search,
} = placeAt(location)

async function loadAhead(): Promise<void> {
  const me = askAhead('readPersonalMe', {})
  if (workspaceId === '') return
  const params = { workspaceId }
  void askAhead('listManagedChannels', { params })
  void askAhead('listApprovals', { params, query: {} })
  if (address !== null && address !== '/') void screens[address]().catch(() => undefined)

  const answer = await me
  if (!answer.ok || (address !== '/w/$workspaceId/today' && address !== '/w/$workspaceId/calendar')) return
  const { preferences, workspaces } = (await answer.clone().json()) as app.PersonalMe
  const workspace = workspaces.find((one) => one.workspaceId === workspaceId)
  if (workspace === undefined) return
  const today = dateOf(new Date(), workspace.timeZone)
  const firstDay = firstDayOf(preferences)
  if (address === '/w/$workspaceId/today')
    return void askAhead('readToday', { params, query: { from: weekStart(today, firstDay) } })
  const asked: CalendarSearch = search
  const { view = startView(), day = today } = asked
  const filters = filtersOf(asked)
  if (view === 'agenda') {
    const query = { ...rangeOf(view, day, firstDay), ...listFilters(filters) }
    return void askAhead('appReadCalendar', { params, query })
  }
  void askAhead('readCalendarOverview', { params, query: { ...overviewOf(view, day, firstDay), ...filters } })
}

void loadAhead().catch(() => undefined)
