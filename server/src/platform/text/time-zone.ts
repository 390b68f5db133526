import { knownZone } from '@postrider/contract/names'

/** By name in lower case, so that there are never more than this system knows. */
const known = new Map<string, string>()

/**
 * The name by which the clocks of this system know a time zone, in whatever case it is written: to be read by alone. What is stored and
 * answered is the name as it was written. Null for one that is none.
 */
export function findTimeZone(name: string): string | null {
  const key = name.toLowerCase()
  const found = known.get(key) ?? knownZone(name)
  if (found !== null) known.set(key, found)
  return found
}

/** The same, of a zone that was found when it was stored. */
export function clockZone(name: string): string {
  return findTimeZone(name) ?? name
}

/** What a local time means: one instant, none where the clocks are put forward, two where they are put back. */
export type LocalMeaning =
  | { readonly is: 'instant'; readonly at: Date }
  /** The candidates are what it would be by the clock before the change, and by the clock after it. */
  | { readonly is: 'missing' | 'ambiguous'; readonly candidates: readonly Date[] }

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** The day of an instant by the clocks of a zone: from its first moment to that of the next. */
export function dayOf(at: Date, timeZone: string): { readonly begins: Date; readonly ends: Date } {
  const localMs = at.getTime() + offsetAt(at.getTime(), timeZone)
  const midnight = localMs - (((localMs % DAY) + DAY) % DAY)
  return { begins: firstAt(midnight, timeZone), ends: firstAt(midnight + DAY, timeZone) }
}

/** The first instant of a day that begins at this local midnight, which the clocks may leave out or show twice. */
function firstAt(localMs: number, timeZone: string): Date {
  const meaning = meaningOf(localMs, timeZone)
  if (meaning.is === 'instant') return meaning.at
  const [first, second] = meaning.candidates
  // By the clock before the change a midnight that is left out is the very moment of the change, or later.
  return (meaning.is === 'missing' ? (second ?? first) : first) ?? new Date(localMs)
}

/** The instants at which clocks of a zone show this local time, which is given as if it were UTC. */
export function meaningOf(localMs: number, timeZone: string): LocalMeaning {
  // No zone is more than 14 hours off, and none changes its clock twice within a day.
  const offsets = new Set([-24, -12, 0, 12, 24].map((hours) => offsetAt(localMs + hours * HOUR, timeZone)))
  const instants = [...offsets].map((offset) => localMs - offset).toSorted((a, b) => a - b)
  const shown = instants.filter((instant) => instant + offsetAt(instant, timeZone) === localMs)
  const [first] = shown
  if (shown.length === 1 && first !== undefined) return { is: 'instant', at: new Date(first) }
  const candidates = (shown.length === 0 ? instants : shown).map((instant) => new Date(instant))
  return { is: shown.length === 0 ? 'missing' : 'ambiguous', candidates }
}

/** The one instant that a local time is taken for: the first of two, and as much later as the clocks are put forward over it. */
export function shownAt(localMs: number, timeZone: string): Date {
  const meaning = meaningOf(localMs, timeZone)
  if (meaning.is === 'instant') return meaning.at
  const { candidates } = meaning
  return (meaning.is === 'missing' ? candidates.at(-1) : candidates[0]) ?? new Date(localMs)
}

/** By the name that clocks know, so that there are never more than there are zones. */
const clocks = new Map<string, Intl.DateTimeFormat>()

/** How far the clocks of the zone are ahead of UTC at an instant, in milliseconds. */
export function offsetAt(instant: number, timeZone: string): number {
  const zone = clockZone(timeZone)
  let clock = clocks.get(zone)
  if (clock === undefined) {
    const numeric = 'numeric'
    clock = new Intl.DateTimeFormat('en', {
      timeZone: zone,
      hourCycle: 'h23',
      year: numeric,
      month: numeric,
      day: numeric,
      hour: numeric,
      minute: numeric,
      second: numeric,
    })
    clocks.set(zone, clock)
  }
  const shown = Object.fromEntries(
    clock.formatToParts(instant).map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown
  const wholeSeconds = Math.floor(instant / 1_000) * 1_000
  return Date.UTC(year, month - 1, day, hour, minute, second) - wholeSeconds
}

/** The first moment of a day, such as `2026-11-21`, by the clocks of a zone. */
export function beginOf(day: string, timeZone: string): Date {
  return firstAt(Date.parse(`${day}T00:00:00Z`), timeZone)
}

/** From an instant on, the clocks of a zone are so far ahead of UTC, in seconds. */
export type ClockChange = { readonly since: Date; readonly offset: number }

const SECOND = 1_000

/** How the clocks of a zone go between two instants of whole seconds: from the first on, and then from each change on. */
export function clockChanges(from: Date, to: Date, timeZone: string): ClockChange[] {
  const offsetSince = (at: number) => Math.round(offsetAt(at, timeZone) / SECOND)
  const changes: ClockChange[] = [{ since: from, offset: offsetSince(from.getTime()) }]
  // No zone changes its clock twice within a day.
  for (let before = from.getTime(); before < to.getTime(); before += DAY) {
    const offset = offsetSince(before + DAY)
    if (offset === changes.at(-1)?.offset) continue
    let [low, high] = [before, before + DAY]
    while (high - low > SECOND) {
      const middle = Math.floor((low + high) / 2 / SECOND) * SECOND
      if (offsetSince(middle) === offset) high = middle
      else low = middle
    }
    changes.push({ since: new Date(high), offset })
  }
  return changes
}
