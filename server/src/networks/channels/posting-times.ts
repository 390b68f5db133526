import type { PostingTimes } from '@postrider/contract'
import { weekdays } from '@postrider/contract/names'
import { clockZone, offsetAt, shownAt } from '../../platform/text/time-zone.ts'

/** When posts go out every week: minutes since Monday 00:00 by the clocks of the workspace, in order, each once. */
export type WeekMinutes = readonly number[]

const MINUTE = 60_000
const DAY_MINUTES = 24 * 60
const DAY = DAY_MINUTES * MINUTE
const FIRST_CHUNK_DAYS = 7
const MOST_CHUNK_DAYS = 112
/** Monday, 5 January 1970. */
const A_MONDAY = 4 * DAY

/** The posting times as they are stored: in order. */
export function toMinutes(times: PostingTimes): number[] {
  return times
    .map(({ weekday, time }) => {
      const [hours = 0, minutes = 0] = time.split(':').map(Number)
      return weekdays.indexOf(weekday) * DAY_MINUTES + hours * 60 + minutes
    })
    .toSorted((a, b) => a - b)
}

/** The same as the API shows them. */
export function fromMinutes(minutes: WeekMinutes): PostingTimes {
  const two = (number: number) => String(number).padStart(2, '0')
  return minutes.map((minute) => ({
    weekday: weekdays[Math.floor(minute / DAY_MINUTES)] ?? 'monday',
    time: `${two(Math.floor((minute % DAY_MINUTES) / 60))}:${two(minute % 60)}`,
  }))
}

/**
 * The instants of posting times in a zone: those after one instant and before another, in order, each once. Of a time
 * that the clocks show twice, it is the first; one that they leave out is as much later as they are put forward.
 */
export function* slotsBetween(
  minutes: WeekMinutes,
  timeZone: string,
  { after, before }: { readonly after: Date; readonly before: Date },
): Generator<Date> {
  if (minutes.length === 0) return
  let previous = after.getTime()
  // No clock is more than 14 hours off, and none is put forward by more than a day: it begins two days early.
  let day = Math.floor(previous / DAY) * DAY - 2 * DAY
  const clock = clockOf(timeZone)
  const ofWeekday = weekdays.map((_, weekday) => minutesOf(minutes, weekday))
  // Few are wanted mostly, and then many.
  for (let days = FIRST_CHUNK_DAYS; previous < before.getTime(); days = Math.min(2 * days, MOST_CHUNK_DAYS)) {
    const end = day + days * DAY
    // What comes after this may belong to a day behind the chunk.
    const complete = end - 2 * DAY
    const found: number[] = []
    for (let date = day; date < end; date += DAY) found.push(...slotsOfDay(ofWeekday, timeZone, date, clock))
    for (const at of found.toSorted((a, b) => a - b)) {
      if (at <= previous || at > complete) continue
      if (at >= before.getTime()) return
      previous = at
      yield new Date(at)
    }
    previous = Math.max(previous, complete)
    day = end - 5 * DAY
  }
}

/** Up to so many of what comes next; the rest can be taken afterwards, which `Iterator.take` would end. */
export function nextOf(slots: Generator<Date>, count: number): Date[] {
  const found: Date[] = []
  while (found.length < count) {
    const { value, done } = slots.next()
    if (done === true) break
    found.push(value)
  }
  return found
}

/** The minutes of one day of the week, since its midnight. */
function minutesOf(minutes: WeekMinutes, weekday: number): number[] {
  return minutes
    .map((minute) => minute - weekday * DAY_MINUTES)
    .filter((minute) => minute >= 0 && minute < DAY_MINUTES)
}

/** What clocks of a zone have shown: reading one takes longer than all else here. */
type Clock = {
  /** The offset at a midnight of UTC. */
  readonly offsets: Map<number, number>
  /** The instant of a local time near a change of the clocks. */
  readonly shown: Map<number, number>
}

const MOST_ZONES = 32
const MOST_KNOWN = 4_000
const clocks = new Map<string, Clock>()

function clockOf(timeZone: string): Clock {
  const zone = clockZone(timeZone)
  const known = clocks.get(zone)
  if (known !== undefined && known.offsets.size + known.shown.size < MOST_KNOWN) return known
  if (clocks.size >= MOST_ZONES) clocks.clear()
  const clock = { offsets: new Map<number, number>(), shown: new Map<number, number>() }
  clocks.set(zone, clock)
  return clock
}

function remembered(known: Map<number, number>, key: number, find: () => number): number {
  const value = known.get(key) ?? find()
  if (!known.has(key)) known.set(key, value)
  return value
}

/** The instants of the posting times of one day, which is given by its midnight as if that were UTC. */
function slotsOfDay(
  ofWeekday: readonly (readonly number[])[],
  timeZone: string,
  date: number,
  { offsets, shown }: Clock,
): number[] {
  const weekday = Math.floor((date - A_MONDAY) / DAY) % 7
  const times = ofWeekday[(weekday + 7) % 7] ?? []
  if (times.length === 0) return []
  const around = [-1, 0, 1, 2].map((days) => {
    const at = date + days * DAY
    return remembered(offsets, at, () => offsetAt(at, timeZone))
  })
  const [usual = 0] = around
  const isUsual = around.every((offset) => offset === usual)
  return times.map((minute) => {
    const local = date + minute * MINUTE
    return isUsual ? local - usual : remembered(shown, local, () => shownAt(local, timeZone).getTime())
  })
}

/** Whether an instant is one of posting times. */
export function isSlot(minutes: WeekMinutes, timeZone: string, at: Date): boolean {
  const [found] = slotsBetween(minutes, timeZone, {
    after: new Date(at.getTime() - 1),
    before: new Date(at.getTime() + 1),
  })
  return found !== undefined
}
