import { instantsOf, offsetOf } from './time.ts'
import { localOf } from './zone-clock.ts'
import { type NamedZone, placeOf, readZone, showOffset } from './zones.ts'
import { words as spoken } from './words.ts'

/*
 * A time as people write it: `tomorrow 9am`, `Fri 27 Nov 14:30`, `24.12. 18:00`, `in 2 hours`, each with a zone behind it where
 * it is not the usual one (`9am EST`, `9:00 Berlin`). What is written is understood as a whole or refused: there is no word that
 * is passed over, and nothing with two meanings has one chosen for it.
 */

export type TimeReading =
  | { readonly is: 'none' }
  | { readonly is: 'refused'; readonly why: string }
  /** `zone` is the one that the words name, else the one that they were read in. */
  | { readonly is: 'time'; readonly at: Date; readonly zone: string }

/** At this time of day goes out what names a day and no time. */
const USUAL_TIME = '09:00'

const EXAMPLES = spoken.examples

/** Something that cannot be understood, and why. */
class Unclear extends Error {}

function unclear(why: string): never {
  throw new Unclear(why)
}

export function readTime(words: string, zone: string, now: Date): TimeReading {
  const text = spoken.inEnglish(tidied(words))
  if (text === '') return { is: 'none' }
  try {
    const { at, named } = read(text, zone, now)
    return { is: 'time', at, zone: named !== null && 'zone' in named ? (named.zone ?? zone) : zone }
  } catch (error) {
    if (error instanceof Unclear) return { is: 'refused', why: error.message }
    throw error
  }
}

/** Lower case, single spaces, and a space where the parts of an RFC 3339 time stand without one. */
function tidied(words: string): string {
  return words
    .toLowerCase()
    .replaceAll('−', '-')
    .replace(/(\d{4}-\d{2}-\d{2})t(\d)/, '$1 $2')
    .replace(/(:\d{2})(z|[+-]\d{2}:?\d{2})$/, '$1 $2')
    .replaceAll(/[\s,;]+/g, ' ')
    .trim()
}

type Named = Exclude<NamedZone, { several: string }>

function read(text: string, zone: string, now: Date): { at: Date; named: Named | null } {
  const after = readDuration(text)
  if (after !== null) return { at: wholeMinute(now.getTime() + after), named: null }
  const { rest, named } = takeZone(text)
  const clock = named?.zone ?? (named === null ? zone : null)
  const today = localOf(
    clock === null ? new Date(now.getTime() + (named?.offset ?? 0) * MINUTE_MS) : now,
    clock ?? 'UTC',
  )
  const { date, time } = readLocal(rest, today)
  const instantAt = (local: string) => instantOf(local, clock, named)
  if (date !== null) return { at: instantAt(`${date}T${time ?? USUAL_TIME}`), named }
  const day = today.slice(0, 10)
  // Of a time alone, the next one is meant.
  const comes = `${day}T${time}` > today ? day : addDays(day, 1)
  return { at: instantAt(`${comes}T${time}`), named }
}

const MINUTE_MS = 60_000

function wholeMinute(ms: number): Date {
  return new Date(Math.ceil(ms / MINUTE_MS) * MINUTE_MS)
}

const numberWords = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')

function readNumber(word: string): number | null {
  if (/^\d{1,4}([.,]\d{1,2})?$/.test(word)) return Number(word.replace(',', '.'))
  if (word === 'a' || word === 'an') return 1
  const place = numberWords.indexOf(word)
  return place < 1 ? null : place
}

const NUMBER = String.raw`(\d{1,4}(?:[.,]\d{1,2})?|an?|${numberWords.slice(1).join('|')})`
const HOURS = new RegExp(String.raw`^${NUMBER}\s*(?:hours?|hrs?|h)(?: and(?= )|)(?:\s*|$)`)
const MINUTES = new RegExp(String.raw`^${NUMBER}\s*(?:minutes?|mins?|m)$`)

/** `in 2 hours`, `in half an hour`, `in 1h 30m`, in milliseconds; null for what is no such distance. */
function readDuration(text: string): number | null {
  const [, given] = /^in (.+)$/.exec(text) ?? []
  if (given === undefined) return null
  if (given === 'half an hour') return 30 * MINUTE_MS
  const [whole = '', hours] = HOURS.exec(given) ?? []
  const rest = given.slice(whole.length).trim()
  const [, minutes] = MINUTES.exec(rest) ?? []
  if (rest !== '' && minutes === undefined) return null
  if (hours === undefined && minutes === undefined) return null
  const total = (readNumber(hours ?? '') ?? 0) * 60 + (readNumber(minutes ?? '') ?? 0)
  return total * MINUTE_MS
}

const ZONE_WORDS = 4

/** The zone at the end of the text, and what stands before it. */
function takeZone(text: string): { rest: string; named: Named | null } {
  const words = text.split(' ')
  for (let count = Math.min(ZONE_WORDS, words.length); count > 0; count--) {
    const last = words.slice(-count).join(' ')
    const found = readZone(last)
    if (found === null) continue
    if ('several' in found) {
      unclear(spoken.severalZones(last.toUpperCase(), found.several))
    }
    return { rest: words.slice(0, -count).join(' '), named: found }
  }
  return { rest: text, named: null }
}

/** The one instant at which the clock there shows this minute. */
function instantOf(local: string, zone: string | null, named: Named | null): Date {
  if (zone === null) return new Date(Date.parse(`${local}Z`) - (named?.offset ?? 0) * MINUTE_MS)
  const instants = instantsOf(local, zone)
  const [time, place] = [local.slice(11), placeOf(zone)]
  if (instants.length === 0) {
    unclear(spoken.noSuchTime(time, place))
  }
  const [first, second] = instants
  const offset = named?.offset ?? null
  const meant = offset === null ? first : instants.find((at) => offsetOf(at, zone) === offset)
  if (first === undefined || meant === undefined) {
    return unclear(spoken.otherOffset(named?.name, showOffset(offset ?? 0), place, time))
  }
  if (offset === null && second !== undefined) {
    const [one, other] = [first, second].map((at) => `“${time} ${showOffset(offsetOf(at, zone))}”`)
    unclear(spoken.twice(time, place, one, other))
  }
  return meant
}

type Local = { readonly date: string | null; readonly time: string | null }

/** The day and the time of day that a text names; `today` is the minute that the clock shows now. */
function readLocal(text: string, today: string): Local {
  const clock = takeClock(text.replaceAll(/@/g, ' at '))
  const rest = clock.rest
    .split(' ')
    .filter((word) => word !== '' && word !== 'at' && word !== 'on')
    .join(' ')
  if (rest === '') {
    if (clock.time === null) unclear(spoken.noTime(EXAMPLES))
    return { date: null, time: clock.time }
  }
  const date = readDay(rest, today, clock.time)
  if (clock.time === null && date === today.slice(0, 10)) unclear(spoken.whichTime)
  return { date, time: clock.time }
}

const TWELVE = /(?:^| )(\d{1,2})(?:[:.](\d{2}))? ?([ap])\.?m\.?(?= |$)/
const TWENTY_FOUR = /(?:^| )(\d{1,2})(?::(\d{2})|h(\d{2})?)(?= |$)/
const BARE =
  /(?:^| )at (\d{1,2})(?: o'?clock)?(?= |$)|(?:^| )(\d{1,2}) o'?clock(?= |$)|^(\d{1,2})$|(?<=day|tomorrow) (\d{1,2})$/
const PART_OF_DAY = /(?:^| )(in the |this )?(morning|afternoon|evening|tonight|night)(?= |$)/

/** The first and the last hour of each part of the day. */
const partsOfDay: Readonly<Record<string, readonly [from: number, to: number]>> = {
  morning: [4, 11],
  afternoon: [12, 18],
  evening: [17, 23],
  night: [20, 23],
}

/** Takes the time of day out of a text. */
function takeClock(text: string): { rest: string; time: string | null } {
  const { rest, part } = takePartOfDay(text)
  const [noon] = /(?:^| )(?:noon|midday)(?= |$)/.exec(rest) ?? []
  if (noon !== undefined) return { rest: rest.replace(noon, ' '), time: '12:00' }
  if (/(?:^| )midnight(?= |$)/.test(rest)) {
    unclear(spoken.midnight)
  }
  const [whole, hour, minute] = findClock(rest, part)
  if (whole === null) {
    if (part !== null) unclear(spoken.exactly)
    return { rest, time: null }
  }
  if (hour > 23 || minute > 59) unclear(spoken.noClock(whole.trim()))
  const [from, to] = partsOfDay[part ?? ''] ?? [0, 23]
  if (hour < from || hour > to) unclear(spoken.contradicts(text.trim()))
  return { rest: rest.replace(whole, ' '), time: `${two(hour)}:${two(minute)}` }
}

/** The words that name a time of day, and its hour and minute. */
function findClock(text: string, part: string | null): [words: string | null, hour: number, minute: number] {
  const twelve = TWELVE.exec(text)
  if (twelve !== null) {
    const [words, hour, minute = 0, half] = twelve
    const isClock = Number(hour) >= 1 && Number(hour) <= 12
    return [words, isClock ? (Number(hour) % 12) + (half === 'p' ? 12 : 0) : NO_HOUR, Number(minute)]
  }
  const full = TWENTY_FOUR.exec(text)
  if (full !== null) return [full[0], Number(full[1]), Number(full[2] ?? full[3] ?? 0)]
  const bare = BARE.exec(text)
  if (bare === null) return [null, 0, 0]
  const [words, ...given] = bare
  return [words, hourOf(Number(given.find((one) => one !== undefined)), part), 0]
}

const NO_HOUR = 99

function takePartOfDay(text: string): { rest: string; part: string | null } {
  const [words, before, part] = PART_OF_DAY.exec(text) ?? []
  if (words === undefined || part === undefined) return { rest: text, part: null }
  const isToday = part === 'tonight' || before === 'this '
  return { rest: text.replace(words, isToday ? ' today' : ' '), part: part === 'tonight' ? 'night' : part }
}

/** The hour of the day of a number that stands alone. */
function hourOf(hour: number, part: string | null): number {
  if (hour > 12 || hour === 0) return hour
  if (part === null) unclear(spoken.morningOrEvening(hour))
  return part === 'morning' ? hour % 12 : (hour % 12) + 12
}

const two = (number: number) => String(number).padStart(2, '0')

const weekdays = 'monday tuesday wednesday thursday friday saturday sunday'.split(' ')
const months = 'january february march april may june july august september october november december'.split(
  ' ',
)

/** The place of a name that is written in full or as its first letters (three at least). */
function placeIn(list: readonly string[], word: string): number {
  const short = word.replace(/\.$/, '')
  if (short.length < 3) return -1
  if (short === 'sept') return list.indexOf('september')
  return list.findIndex((name) => name === short || (short.length <= 5 && name.startsWith(short)))
}

/** The day that words name, as `2026-11-24`. */
function readDay(words: string, today: string, time: string | null): string {
  const day = today.slice(0, 10)
  const relative = readRelativeDay(words, day)
  if (relative !== null) return relative
  const [first = '', ...others] = words.split(' ')
  const weekday = placeIn(weekdays, first)
  if (weekday >= 0 && others.length > 0) {
    const date = readDate(others.join(' '), day)
    if (weekdayOf(date) !== weekday) {
      unclear(spoken.otherWeekday(showDate(date), nameOfDay(weekdayOf(date)), nameOfDay(weekday)))
    }
    return date
  }
  if (weekday >= 0) return coming(weekday, today, time)
  const second = placeIn(weekdays, others[0] ?? '')
  if (others.length === 1 && second >= 0) {
    if (first === 'this' || first === 'coming') return coming(second, today, time)
    if (first === 'next') return nextWeekday(second, day)
  }
  return readDate(words, day)
}

function readRelativeDay(words: string, day: string): string | null {
  if (words === 'today') return day
  if (words === 'tomorrow') return addDays(day, 1)
  if (words === 'day after tomorrow' || words === 'the day after tomorrow') return addDays(day, 2)
  if (words === 'yesterday') return addDays(day, -1)
  if (/^(?:this|next) (?:week|weekend|month)$/.test(words)) unclear(spoken.whichDay)
  const [, count, unit] = /^in (\S+) (days?|weeks?)$/.exec(words) ?? []
  const number = readNumber(count ?? '')
  if (number === null || unit === undefined) return null
  if (!Number.isInteger(number)) unclear(spoken.howManyDays(EXAMPLES))
  return addDays(day, number * (unit.startsWith('week') ? 7 : 1))
}

/** The next such weekday: today, too, while its time is still to come. */
function coming(weekday: number, today: string, time: string | null): string {
  const day = today.slice(0, 10)
  const days = (weekday - weekdayOf(day) + 7) % 7
  const isPast = days === 0 && `${day}T${time ?? USUAL_TIME}` <= today
  return addDays(day, isPast ? 7 : days)
}

/** "Next Friday" is the coming one to some, and that of the next week to others. */
function nextWeekday(weekday: number, day: string): string {
  const soon = addDays(day, (weekday - weekdayOf(day) + 7) % 7 || 7)
  const later = addDays(day, 7 - weekdayOf(day) + weekday)
  if (soon === later) return soon
  return unclear(spoken.nextIsEither(nameOfDay(weekday), showDate(soon), showDate(later)))
}

/** A date: `2026-12-24`, `24 Dec 2026`, `December 24th`, `24.12.`, `24/12/2026`. Without a year, the next such day is meant. */
function readDate(words: string, today: string): string {
  const iso = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})$/.exec(words)
  if (iso !== null) return dateOf(iso[1], iso[2], iso[3], today)
  const dotted = /^(\d{1,2})\.(\d{1,2})\.?(?:\s?(\d{4}))?$/.exec(words)
  if (dotted !== null) return dateOf(dotted[3], dotted[2], dotted[1], today)
  const slashed = /^(\d{1,2})\/(\d{1,2})(?:\/(\d{4}))?$/.exec(words)
  if (slashed !== null) {
    const [, a, b, year] = slashed
    if (Number(a) <= 12 && Number(b) <= 12 && a !== b) {
      unclear(spoken.eitherDate(words, dayOf(a, b), dayOf(b, a)))
    }
    return Number(a) > 12 ? dateOf(year, b, a, today) : dateOf(year, a, b, today)
  }
  const named = /^(?:the )?(\d{1,2})(?:st|nd|rd|th|\.)?(?: of)? ([a-z]+\.?)(?: (\d{4}))?$/.exec(words)
  if (named !== null && placeIn(months, named[2] ?? '') >= 0)
    return dateOf(named[3], placeIn(months, named[2] ?? '') + 1, named[1], today)
  const american = /^([a-z]+\.?) (?:the )?(\d{1,2})(?:st|nd|rd|th)?(?: (\d{4}))?$/.exec(words)
  if (american !== null && placeIn(months, american[1] ?? '') >= 0)
    return dateOf(american[3], placeIn(months, american[1] ?? '') + 1, american[2], today)
  return unclear(spoken.notUnderstood(words, EXAMPLES))
}

type Numeral = string | number | undefined

function dateOf(year: Numeral, month: Numeral, day: Numeral, today: string): string {
  const given = year === undefined ? null : Number(year)
  const thisYear = Number(today.slice(0, 4))
  const inYear = (one: number) => `${String(one).padStart(4, '0')}-${two(Number(month))}-${two(Number(day))}`
  const date = inYear(given ?? thisYear)
  const comes = given === null && date < today ? inYear(thisYear + 1) : date
  if (!isDate(comes)) unclear(spoken.noSuchDay(String(day), String(month), String(given ?? '')))
  return comes
}

function isDate(date: string): boolean {
  const at = new Date(`${date}T00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(date)
}

const DAY_MS = 86_400_000

function addDays(date: string, count: number): string {
  return new Date(Date.parse(`${date}T00:00Z`) + count * DAY_MS).toISOString().slice(0, 10)
}

/** 0 for Monday to 6 for Sunday. */
function weekdayOf(date: string): number {
  return (new Date(`${date}T00:00Z`).getUTCDay() + 6) % 7
}

function nameOfDay(weekday: number): string {
  return spoken.weekdays[weekday] ?? ''
}

/** `24 November`, of numbers as they are written. */
function dayOf(day: string | undefined, month: string | undefined): string {
  return spoken.day(Number(day), spoken.months[Number(month) - 1] ?? '')
}

/** `24 November`. */
function showDate(date: string): string {
  return dayOf(date.slice(8), date.slice(5, 7))
}

/** A minute of a clock (`2026-11-24T09:00`) as words that mean just that: `Tue 24 Nov 2026 09:00`. */
export function wordsOfLocal(local: string): string {
  const [date = '', time = ''] = local.split('T')
  const weekday = nameOfDay(weekdayOf(date)).slice(0, spoken.weekdayLetters)
  const month = (spoken.months[Number(date.slice(5, 7)) - 1] ?? '').slice(0, 3)
  return `${weekday} ${spoken.day(Number(date.slice(8)), month)} ${date.slice(0, 4)} ${time}`
}
