import type { app, PostFilter } from '@postrider/contract'
import type { CalendarSearch } from '../../addresses.ts'
import { SHOWN } from './cards.ts'
import { addDays, type Day, daysOf, type View } from './grid.ts'

const firstDays = { monday: 1, saturday: 6, sunday: 7 } as const

type WithWeek = Intl.Locale & { getWeekInfo?: () => { firstDay: number }; weekInfo?: { firstDay: number } }

/** 1 for Monday to 7 for Sunday, as the person has it, else their language. Where that says nothing, it is Monday. */
export function firstDayOf({ weekStart }: app.PersonalMe['preferences']): number {
  if (weekStart !== null) return firstDays[weekStart]
  const browser: WithWeek = new Intl.Locale(navigator.language)
  return (browser.getWeekInfo?.() ?? browser.weekInfo)?.firstDay ?? 1
}

/** The view that a calendar begins with: seven days do not fit beside each other on a phone. */
export const startView = (): View => (matchMedia('(max-width: 48rem)').matches ? 'agenda' : 'month')

/** What is asked for of a calendar that shows only some posts. */
export function filtersOf({ channelId, status, label, author }: CalendarSearch) {
  return {
    ...(channelId === undefined ? {} : { channelId }),
    ...(status === undefined ? {} : { status: status as PostFilter }),
    ...(label === undefined ? {} : { label }),
    ...(author === undefined ? {} : { author }),
  }
}
export type Filters = ReturnType<typeof filtersOf>

/** Those that the calendar itself has: whose author is another is left out of its answer. */
export const listFilters = ({ author: _, ...filters }: Filters) => filters

/** What a month reads of each of its days, and a week of each of their hours: the first posts, and how many there are. */
export function overviewOf(view: View, day: Day, firstDay: number) {
  const days = daysOf(view, day, firstDay)
  return {
    from: days[0] ?? day,
    days: days.length,
    by: view === 'week' ? 'hour' : 'day',
    most: SHOWN,
  } as const
}

/** What is read for a view. A day more on both sides: the workspace's midnight is not the server's. */
export function rangeOf(view: View, day: Day, firstDay: number): { from: string; to: string } {
  const days = daysOf(view, day, firstDay)
  return {
    from: `${addDays(days[0] ?? day, -1)}T00:00:00.000Z`,
    to: `${addDays(days.at(-1) ?? day, 2)}T00:00:00.000Z`,
  }
}
