import type { Sql } from '../postgres/db.ts'

/** The instant so much later, by the clock of the database. */
export async function fromNow(sql: Sql, ms: number): Promise<Date> {
  const [row] = await sql<[{ at: Date }]>`select now() + ${ms} * interval '1 ms' as at`
  return row.at
}

/** Whether an instant is past, by the clock of the database. */
export async function isPast(sql: Sql, instant: Date): Promise<boolean> {
  const [row] = await sql<[{ past: boolean }]>`select ${instant}::timestamptz <= now() as past`
  return row.past
}

/** RFC 3339, section 5.6, with its `T` and `Z` in either case. */
const INSTANT =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:Z|([+-])(\d{2}):(\d{2}))$/i
const LOCAL = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?$/i
const EARLIEST = Date.UTC(1970, 0, 1)
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/**
 * Reads an RFC 3339 date-time within the years 1970 to 9999 in UTC; null for anything else. A leap second (`:60`) is the
 * second after it. Nothing finer than a millisecond is kept, so a time that is finer is refused and not cut.
 */
export function parseInstant(text: string): Date | null {
  const match = INSTANT.exec(text)
  if (match === null) return null
  const [, year, month, day, hour, minute, second, fraction, sign, offsetHours = '0', offsetMinutes = '0'] =
    match
  const local = utcOf([year, month, day, hour, minute, second], fraction)
  if (local === null || Number(offsetHours) > 23 || Number(offsetMinutes) > 59) return null
  const offsetMs = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000
  return within(local - (sign === '-' ? -offsetMs : offsetMs))
}

const DURATION = /^(-)?P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?)?$/

/** The milliseconds of an ISO 8601 duration of weeks, days, hours and minutes; a day has 24 hours. 0 for anything else. */
export function durationMs(text: string): number {
  const [, minus, weeks = 0, days = 0, hours = 0, minutes = 0] = DURATION.exec(text) ?? []
  const total = (((Number(weeks) * 7 + Number(days)) * 24 + Number(hours)) * 60 + Number(minutes)) * 60_000
  return minus === undefined ? total : -total
}

/**
 * Reads a local date-time without an offset (`2026-12-01T09:00`, seconds may follow) as if it were UTC, in milliseconds;
 * null for anything else.
 */
export function parseLocal(text: string): number | null {
  const match = LOCAL.exec(text)
  if (match === null) return null
  const [, year, month, day, hour, minute, second = '00', fraction] = match
  return utcOf([year, month, day, hour, minute, second], fraction)
}

function utcOf(digits: readonly (string | undefined)[], fraction = ''): number | null {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = digits.map(Number)
  // Date takes the years 0 to 99 for those of the twentieth century.
  if (year < 1000 || hour > 23 || minute > 59 || second > 60 || /[1-9]/.test(fraction.slice(3))) return null
  // Date rolls 30 February over into March.
  const date = new Date(Date.UTC(year, month - 1, day))
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null
  return Date.UTC(year, month - 1, day, hour, minute, second, Number(fraction.slice(0, 3).padEnd(3, '0')))
}

function within(time: number): Date | null {
  return time >= EARLIEST && time <= LATEST ? new Date(time) : null
}
