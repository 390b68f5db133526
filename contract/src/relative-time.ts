export type RelativeTime = { readonly value: number; readonly unit: 'day' | 'hour' | 'minute' | 'second' }

const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

/**
 * How far an instant is from now, as people say it: by the clock on the same day and for twelve hours, and by days of the
 * calendar from then on. `dateOf` tells the date of an instant (`2026-11-21`) in the reader's time zone.
 */
export function relativeTime(at: Date, now: Date, dateOf: (instant: Date) => string): RelativeTime {
  const ms = at.getTime() - now.getTime()
  const size = Math.abs(ms)
  const days = (Date.parse(dateOf(at)) - Date.parse(dateOf(now))) / DAY_MS
  if (days !== 0 && size >= HOUR_MS * 12) return { value: days, unit: 'day' }
  if (Math.round(size / MINUTE_MS) >= 60) return { value: Math.round(ms / HOUR_MS), unit: 'hour' }
  if (Math.round(size / SECOND_MS) >= 60) return { value: Math.round(ms / MINUTE_MS), unit: 'minute' }
  return { value: Math.round(ms / SECOND_MS), unit: 'second' }
}
