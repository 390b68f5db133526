import { knownZone } from '../time-zone.ts'

type Clock = { readonly timeZone: string; readonly format: Intl.DateTimeFormat | null }

/** The clock that was read last: to make one takes longer than to read it, and a plan has thousands of times. */
let clock: Clock | null = null

/** The clock of a zone; null where there is no such zone. */
function clockOf(timeZone: string): Intl.DateTimeFormat | null {
  if (clock?.timeZone !== timeZone) {
    const known = knownZone(timeZone)
    const format = known === null ? null : new Intl.DateTimeFormat('en-US', { ...PARTS, timeZone: known })
    clock = { timeZone, format }
  }
  return clock.format
}

const PARTS = {
  hourCycle: 'h23',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
} as const

/** What a clock shows at an instant, as milliseconds of a clock in UTC. */
function shownAt(instant: number, timeZone: string): number {
  const parts = clockOf(timeZone)?.formatToParts(instant) ?? []
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value)
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
}

const HOUR_MS = 3_600_000

/** The instants at which the clocks of a zone show a time: one, none where they leave it out, two where they show it twice. */
export function instantsOf(local: string, timeZone: string): number[] {
  const shown = Date.parse(`${local}Z`)
  // No zone is further from UTC than 14 hours, and no clock is set by more than a day.
  const offsets = [-26, -1, 0, 1, 26].map((hours) => {
    const near = shown + hours * HOUR_MS
    return shownAt(near, timeZone) - near
  })
  return [...new Set(offsets.map((offset) => shown - offset))]
    .filter((instant) => shownAt(instant, timeZone) === shown)
    .toSorted((one, other) => one - other)
}

/** The instants beside a time that clocks leave out: just before, and just after. */
export function instantsBeside(local: string, timeZone: string): number[] {
  const shown = Date.parse(`${local}Z`)
  const offsets = [-26, 26].map(
    (hours) => shownAt(shown + hours * HOUR_MS, timeZone) - (shown + hours * HOUR_MS),
  )
  return [...new Set(offsets.map((offset) => shown - offset))].toSorted((one, other) => one - other)
}

export function isZone(timeZone: string): boolean {
  return clockOf(timeZone) !== null
}
