import type { CalendarEntry } from '@postrider/contract'
import { dateOf } from '../../lib/time.ts'

export const views = ['month', 'week', 'agenda'] as const
export type View = (typeof views)[number]

/** A day as `2026-11-21`. Days are counted without a clock, so that no change of daylight saving time moves one. */
export type Day = string

const DAY_MS = 86_400_000

export function isDay(text: string): text is Day {
  const at = new Date(`${text}T00:00Z`)
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
}

export function addDays(day: Day, count: number): Day {
  return new Date(Date.parse(`${day}T00:00Z`) + count * DAY_MS).toISOString().slice(0, 10)
}

/** The same day of another month; its last day where it has fewer. */
export function addMonths(day: Day, count: number): Day {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  const last = new Date(Date.UTC(year, month + count, 0)).getUTCDate()
  return new Date(Date.UTC(year, month - 1 + count, Math.min(date, last))).toISOString().slice(0, 10)
}

/** The day on which the week of `day` begins; `firstDay` is 1 for Monday to 7 for Sunday, as Intl.Locale tells it. */
export function weekStart(day: Day, firstDay: number): Day {
  const weekday = new Date(`${day}T00:00Z`).getUTCDay() || 7
  return addDays(day, -((weekday - firstDay + 7) % 7))
}

/** The days that a view shows: whole weeks for a month, seven days for a week, four weeks from `day` on as a list. */
export function daysOf(view: View, day: Day, firstDay: number): Day[] {
  if (view === 'week') return run(weekStart(day, firstDay), 7)
  if (view === 'agenda') return run(day, 28)
  const first = weekStart(`${day.slice(0, 7)}-01`, firstDay)
  const last = addDays(`${addMonths(day, 1).slice(0, 7)}-01`, -1)
  const weeks = Math.ceil((Date.parse(last) - Date.parse(first) + DAY_MS) / (7 * DAY_MS))
  return run(first, weeks * 7)
}

function run(from: Day, count: number): Day[] {
  return Array.from({ length: count }, (_, at) => addDays(from, at))
}

/** Where `day` moves to when a person goes one view on (`1`) or back (`-1`). */
export function step(view: View, day: Day, by: 1 | -1): Day {
  if (view === 'month') return addMonths(day, by)
  return addDays(day, by * (view === 'week' ? 7 : 28))
}

/** When an entry stands in the calendar: when it went out, else when it is to. */
export function timeOf(entry: Pick<CalendarEntry, 'publishedAt' | 'publishAt'>): string | null {
  return entry.publishedAt ?? entry.publishAt
}

/** The entries of each day in the zone, in the order of their times. Entries without a time are left out. */
export function byDay<Entry extends Pick<CalendarEntry, 'publishedAt' | 'publishAt'>>(
  entries: readonly Entry[],
  zone: string,
): Map<Day, Entry[]> {
  const timed = entries.flatMap((entry) => {
    const time = timeOf(entry)
    return time === null ? [] : [{ entry, time }]
  })
  const days = new Map<Day, Entry[]>()
  for (const { entry, time } of timed.toSorted((a, b) => (a.time < b.time ? -1 : 1))) {
    const day = dateOf(new Date(time), zone)
    const list = days.get(day)
    if (list === undefined) days.set(day, [entry])
    else list.push(entry)
  }
  return days
}
