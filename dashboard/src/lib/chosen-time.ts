import { readTime, type TimeReading, wordsOfLocal } from './read-time.ts'
import { showMoment } from './time.ts'
import { localOf } from './zone-clock.ts'
import { placeOf } from './zones.ts'
import { words } from './words.ts'

/** A time as somebody typed it: read as of then, so that "in 2 hours" and "tomorrow" stay what they were. */
export type ChosenTime = {
  readonly words: string
  /** The zone that was chosen for it; null for the workspace's. */
  readonly zone: string | null
  readonly typedAt: string
}

/** How many years ahead a post may be scheduled. */
const MAX_YEARS_AHEAD = 2

export function chooseTime(words = '', zone: string | null = null): ChosenTime {
  return { words, zone, typedAt: new Date().toISOString() }
}

/** An instant as the words for it in a zone. */
export function chosenInstant(at: string | Date, zone: string): ChosenTime {
  return chooseTime(wordsOfLocal(localOf(new Date(at), zone)))
}

export function readChosen({ words, zone, typedAt }: ChosenTime, usualZone: string): TimeReading {
  return readTime(words, zone ?? usualZone, new Date(typedAt))
}

/** Why what was read cannot be taken; null when it can, or when nothing was typed. */
export function timeFault(reading: TimeReading, now: Date, maxYearsAhead = MAX_YEARS_AHEAD): string | null {
  if (reading.is === 'none') return null
  if (reading.is === 'refused') return reading.why
  if (reading.at <= now) {
    return words.inThePast(showMoment(reading.at, reading.zone, now), placeOf(reading.zone))
  }
  const latest = new Date(now)
  latest.setUTCFullYear(latest.getUTCFullYear() + maxYearsAhead)
  return reading.at > latest ? words.tooFar(maxYearsAhead, showMoment(reading.at, reading.zone, now)) : null
}

/** The instant that was chosen, where it can be taken. */
export function instantOf(
  chosen: ChosenTime,
  usualZone: string,
  now = new Date(),
  maxYearsAhead?: number,
): Date | null {
  const reading = readChosen(chosen, usualZone)
  return reading.is === 'time' && timeFault(reading, now, maxYearsAhead) === null ? reading.at : null
}
