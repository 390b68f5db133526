/*
 * Times are instants on the wire and are shown in the workspace's time zone. A reader whose own zone shows another time
 * sees that, too. Local times that do not exist or exist twice (changes of daylight saving time) are told as such.
 */

import { relativeTime } from '@postrider/contract/names'
import { locale } from './language.ts'
import { words } from './words.ts'
import { clockZone, dateOf, localOf } from './zone-clock.ts'

const formats = new Map<string, Intl.DateTimeFormat>()

/** How the person has times of day shown; null as their browser has it. */
let clock: '12h' | '24h' | null = null

export function preferClock(preferred: typeof clock): void {
  clock = preferred
}

const clockOptions = { '12h': { hour12: true }, '24h': { hourCycle: 'h23' } } as const

function format(zone: string, given: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const showsClock = given.timeStyle !== undefined || given.hour !== undefined
  const options = { ...given, ...(showsClock && clock !== null ? clockOptions[clock] : {}) }
  const key = `${zone} ${JSON.stringify(options)}`
  const known = formats.get(key)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat(locale, { timeZone: clockZone(zone), ...options })
  formats.set(key, made)
  return made
}

export const viewerZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** `21 Nov 2026, 09:00` in the zone, as the reader's language writes it. */
export function showTime(
  instant: string | Date,
  zone: string,
  to: 'minutes' | 'seconds' = 'minutes',
): string {
  return format(zone, { dateStyle: 'medium', timeStyle: to === 'seconds' ? 'medium' : 'short' }).format(
    new Date(instant),
  )
}

/** `09:00` in the zone. */
export function showClock(instant: string | Date, zone: string): string {
  return format(zone, { timeStyle: 'short' }).format(new Date(instant))
}

/** `Saturday, 21 November` in the zone. */
export function showDay(instant: string | Date, zone: string): string {
  return format(zone, { weekday: 'long', day: 'numeric', month: 'long' }).format(new Date(instant))
}

/** `Mon 23 Nov, 09:00`, with the year where it is another than now. */
export function showMoment(instant: string | Date, zone: string, now = new Date()): string {
  const at = new Date(instant)
  const sameYear = dateOf(at, zone).slice(0, 4) === dateOf(now, zone).slice(0, 4)
  return format(zone, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    ...(sameYear ? {} : { year: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
  }).format(at)
}

/** How many other times the channels of a post have besides its first. */
export function moreTimesOf(
  destinations: readonly { publishAt: string | null; status: string | null }[],
): number {
  const active = destinations.filter(({ status }) => status !== 'cancelled')
  return Math.max(0, new Set(active.flatMap(({ publishAt }) => publishAt ?? [])).size - 1)
}

/** `09:00 and 2 more times`: the time alone would be true of some channels only. */
export function withMoreTimes(time: string, count: number): string {
  return count === 0 ? time : words.andMoreTimes(time, count)
}

/** A sentence of the server, with the instants in it as people read times. */
export function withTimes(sentence: string, zone: string): string {
  return sentence.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (instant) =>
    showMoment(instant, zone),
  )
}

/** Whether the two zones show another clock at this instant. */
export function differs(instant: string | Date, zone: string, other: string): boolean {
  return localOf(new Date(instant), zone) !== localOf(new Date(instant), other)
}

const MINUTE_MS = 60_000
const DAY_MINUTES = 24 * 60

/**
 * The instants at which the zone's clock shows this local minute (`2026-11-21T09:00`): one as a rule, none in the gap
 * when clocks are put forward, two in the hour that comes twice. Earliest first.
 */
export function instantsOf(local: string, zone: string): Date[] {
  const asUtc = Date.parse(`${local}Z`)
  if (Number.isNaN(asUtc)) return []
  const offsets = new Set(
    [-DAY_MINUTES, 0, DAY_MINUTES].map((around) => offsetMinutes(asUtc + around * MINUTE_MS, zone)),
  )
  return [...offsets]
    .map((offset) => new Date(asUtc - offset * MINUTE_MS))
    .filter((instant) => localOf(instant, zone) === local.slice(0, 16))
    .toSorted((a, b) => a.getTime() - b.getTime())
}

/** How far the zone is ahead of UTC at an instant, in minutes. */
export function offsetOf(instant: Date, zone: string): number {
  return offsetMinutes(instant.getTime(), zone)
}

function offsetMinutes(epochMs: number, zone: string): number {
  return Math.round(
    (Date.parse(`${localOf(new Date(epochMs), zone)}Z`) - Math.floor(epochMs / MINUTE_MS) * MINUTE_MS) /
      MINUTE_MS,
  )
}

/** `in 3 hours`, `tomorrow`, `2 days ago`, as the reader's language says it; days are those of the zone's calendar. */
export function showRelative(instant: string | Date, zone: string, now = new Date()): string {
  const { value, unit } = relativeTime(new Date(instant), now, (at) => dateOf(at, zone))
  return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(value, unit)
}
