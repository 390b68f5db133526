import type { Fragment, Sql } from '../../platform/postgres/db.ts'
import { beginOf, clockChanges } from '../../platform/text/time-zone.ts'

/**
 * Some days by the clocks of a zone, for statements. The database is told how the clocks go, and not the name of the zone: it may not know
 * it, or have other rules for it than this process.
 */
export type LocalDays = {
  readonly begins: Date
  readonly ends: Date
  /** From each of these instants on, the clocks are so many seconds ahead of UTC. */
  readonly since: readonly Date[]
  readonly offsets: readonly number[]
}

const DAY_MS = 86_400_000
/** ISO 8601 writes later years in another form than PostgreSQL. */
const LATEST = Date.parse('9999-12-31T23:59:59Z')

/** So many days from one on, and so many before it. */
export function localDays(
  timeZone: string,
  from: string,
  { before = 0, days }: { readonly before?: number; readonly days: number },
): LocalDays {
  const dayAt = (distance: number) => {
    const day = untilLatest(Date.parse(`${from}T00:00:00Z`) + distance * DAY_MS)
    return untilLatest(beginOf(day.toISOString().slice(0, 10), timeZone).getTime())
  }
  const [begins, ends] = [dayAt(-before), dayAt(days)]
  const changes = clockChanges(begins, ends, timeZone)
  return {
    begins,
    ends,
    since: changes.map(({ since }) => since),
    offsets: changes.map(({ offset }) => offset),
  }
}

function untilLatest(ms: number): Date {
  return new Date(Math.min(ms, LATEST))
}

/** What the clocks show at an instant of these days, as a timestamp; null for one before them. */
export function shownBy(sql: Sql, { since, offsets }: LocalDays, at: Fragment): Fragment {
  return sql`
    (${at} at time zone 'UTC'
     + (${[...offsets]}::int[])[width_bucket(${at}, ${[...since]}::timestamptz[])] * interval '1 second')`
}
