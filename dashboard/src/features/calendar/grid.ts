import type { CalendarEntry } from '@postrider/contract'
import { dateOf } from '../../lib/zone-clock.ts'

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

/** The day on which the week of `day` begins; `firstDay` is 1 for Monday to 7 for Sunday, as Intl.Locale tells it. */
export function weekStart(day: Day, firstDay: number): Day {
  const weekday = new Date(`${day}T00:00Z`).getUTCDay() || 7
  return addDays(day, -((weekday - firstDay + 7) % 7))
}

/** How many weeks a month shows: the last one, this one and those that come. */
const MONTH_WEEKS = 5

/** The days that a view shows: five weeks for a month, from the one before on; seven days for a week, four weeks as a list. */
export function daysOf(view: View, day: Day, firstDay: number): Day[] {
  const week = weekStart(day, firstDay)
  if (view === 'week') return run(week, 7)
  if (view === 'agenda') return run(day, 28)
  return run(addDays(week, -7), MONTH_WEEKS * 7)
}

function run(from: Day, count: number): Day[] {
  return Array.from({ length: count }, (_, at) => addDays(from, at))
}

/** Where `day` moves to when a person goes one view on (`1`) or back (`-1`). */
export function step(view: View, day: Day, by: 1 | -1): Day {
  return addDays(day, by * (view === 'week' ? 7 : 28))
}

/** A minute of a clock (`2026-11-21T09:00`), so many minutes later on a clock that is never changed. */
export function shiftLocal(local: string, minutes: number): string {
  return new Date(Date.parse(`${local}Z`) + minutes * 60_000).toISOString().slice(0, 16)
}

/** How many minutes of a clock lie between two of its minutes. */
export function minutesBetween(from: string, to: string): number {
  return (Date.parse(`${to}Z`) - Date.parse(`${from}Z`)) / 60_000
}

/** When an entry stands in the calendar: when it went out, else when it is to. */
export function timeOf(entry: Pick<CalendarEntry, 'publishedAt' | 'publishAt'>): string | null {
  return entry.publishedAt ?? entry.publishAt
}

/** Days begin on a quarter of an hour everywhere; asking the zone for each of 5,000 posts takes 30 ms. */
const QUARTER_MS = 900_000

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
  const known = new Map<number, Day>()
  for (const { entry, time } of timed.toSorted((a, b) => (a.time < b.time ? -1 : 1))) {
    const at = new Date(time)
    const quarter = Math.floor(at.getTime() / QUARTER_MS)
    const day = known.get(quarter) ?? dateOf(at, zone)
    known.set(quarter, day)
    const list = days.get(day)
    if (list === undefined) days.set(day, [entry])
    else list.push(entry)
  }
  return days
}
