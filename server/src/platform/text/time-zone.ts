/** By name in lower case, so that there are never more than this system knows. */
const canonical = new Map<string, string>()

/** The canonical name of an IANA time zone, in whatever case it is written; null for one that this system does not know. */
export function findTimeZone(name: string): string | null {
  // Offsets such as +01:00 are no names of zones.
  if (!/^[a-z]/i.test(name)) return null
  const key = name.toLowerCase()
  const known = canonical.get(key)
  if (known !== undefined) return known
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions()
    canonical.set(key, timeZone)
    return timeZone
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** What a local time means: one instant, none where the clocks are put forward, two where they are put back. */
export type LocalMeaning =
  | { readonly is: 'instant'; readonly at: Date }
  /** The candidates are what it would be by the clock before the change, and by the clock after it. */
  | { readonly is: 'missing' | 'ambiguous'; readonly candidates: readonly Date[] }

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** The day of an instant by the clocks of a zone, named canonically: from its first moment to that of the next. */
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

/**
 * The instants at which clocks of a zone, named canonically, show this local time, which is given as if it were UTC.
 */
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

/** By canonical name, so that there are never more than there are zones. */
const clocks = new Map<string, Intl.DateTimeFormat>()

/** How far the clocks of the zone are ahead of UTC at an instant, in milliseconds. */
export function offsetAt(instant: number, timeZone: string): number {
  let clock = clocks.get(timeZone)
  if (clock === undefined) {
    const numeric = 'numeric'
    clock = new Intl.DateTimeFormat('en', {
      timeZone,
      hourCycle: 'h23',
      year: numeric,
      month: numeric,
      day: numeric,
      hour: numeric,
      minute: numeric,
      second: numeric,
    })
    clocks.set(timeZone, clock)
  }
  const shown = Object.fromEntries(
    clock.formatToParts(instant).map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown
  const wholeSeconds = Math.floor(instant / 1_000) * 1_000
  return Date.UTC(year, month - 1, day, hour, minute, second) - wholeSeconds
}
