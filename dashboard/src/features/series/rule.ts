import { locale } from '../../lib/language.ts'
import { listNames } from '../../lib/list-names.ts'
import { showClock } from '../../lib/time.ts'
import { placeOf } from '../../lib/zones.ts'
import { words } from './words.ts'

export const weekdays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const
export type Weekday = (typeof weekdays)[number]

export const frequencies = ['DAILY', 'WEEKLY', 'MONTHLY'] as const
export type Frequency = (typeof frequencies)[number]

/** When a post is to be repeated, as a person chooses it. */
export type Repeat = {
  readonly every: Frequency
  readonly interval: number | null
  /** Of a week; null for the weekday of the first time. */
  readonly days: readonly Weekday[] | null
  readonly end: 'times' | 'until'
  readonly times: number | null
  /** The last day; empty for none. */
  readonly until: string
  /** Days that are left out. */
  readonly except: readonly string[]
}

export const usualRepeat: Repeat = {
  every: 'WEEKLY',
  interval: 1,
  days: null,
  end: 'times',
  times: 10,
  until: '',
  except: [],
}

/** Of another rule, the days that clocks had left out are others; what its series leaves out, a person chose. */
export function changedRepeat(repeat: Repeat, next: Partial<Repeat>, kept: readonly string[]): Repeat {
  return { ...repeat, except: repeat.except.filter((day) => kept.includes(day)), ...next }
}

/** What is other of the rule of a series, and of the days that it leaves out: of these, the server keeps those that another rule has. */
export function ruleChange(
  series: Times & { except: readonly string[] },
  repeat: Repeat,
): { rule?: string; except?: string[] } {
  const { local } = series.startsAt
  const [known, rule] = [repeatOf(series), ruleOf(repeat, local)]
  const isOther = rule !== null && (known === null || ruleOf(known, local) !== rule)
  const leavesOther = repeat.except.join(' ') !== series.except.join(' ')
  return { ...(isOther ? { rule } : {}), ...(leavesOther ? { except: [...repeat.except] } : {}) }
}

export function weekdayOf(local: string): Weekday {
  const day = new Date(`${local.slice(0, 10)}T00:00:00Z`).getUTCDay()
  return weekdays[(day + 6) % 7] ?? 'MO'
}

/** The rule as RFC 5545 writes it; null while something of it is missing. */
export function ruleOf(
  { every, interval, days, end, times, until }: Repeat,
  firstLocal: string,
): string | null {
  if (interval === null) return null
  const last = end === 'times' ? times : until.replaceAll('-', '')
  if (last === null || last === '') return null
  const chosen = days ?? [weekdayOf(firstLocal)]
  if (every === 'WEEKLY' && chosen.length === 0) return null
  const on = every === 'WEEKLY' ? [`BYDAY=${weekdays.filter((day) => chosen.includes(day)).join(',')}`] : []
  return [
    `FREQ=${every}`,
    `INTERVAL=${interval}`,
    ...on,
    end === 'times' ? `COUNT=${last}` : `UNTIL=${last}`,
  ].join(';')
}

/** A rule as a person would choose it; null where it says more than can be chosen. */
export function repeatOf({ rule, startsAt, except }: Times & { except: readonly string[] }): Repeat | null {
  const parts = partsOf(rule)
  const every = frequencies.find((one) => one === parts.get('FREQ'))
  const days = listOf(parts.get('BYDAY'))
  const monthDays = listOf(parts.get('BYMONTHDAY'))
  const isUsual =
    (parts.get('WKST') ?? 'MO') === 'MO' &&
    days.every((day) => every === 'WEEKLY' && weekdays.some((one) => one === day)) &&
    monthDays.every((day) => every === 'MONTHLY' && Number(day) === Number(startsAt.local.slice(8, 10)))
  if (every === undefined || !isUsual) return null
  const until = parts.get('UNTIL')
  return {
    every,
    interval: Number(parts.get('INTERVAL') ?? 1),
    days: days.length === 0 ? null : weekdays.filter((day) => days.includes(day)),
    end: until === undefined ? 'times' : 'until',
    times: until === undefined ? Number(parts.get('COUNT')) : usualRepeat.times,
    until: until === undefined ? '' : dayOf(until),
    except,
  }
}

/** `2027-12-31`, of `20271231`. */
function dayOf(until: string): string {
  return `${until.slice(0, 4)}-${until.slice(4, 6)}-${until.slice(6, 8)}`
}

function partsOf(rule: string): Map<string, string> {
  return new Map(
    rule
      .toUpperCase()
      .replace(/^RRULE:/, '')
      .split(';')
      .map((part) => part.split('=', 2) as [string, string]),
  )
}

const UTC = { timeZone: 'UTC' } as const

export function weekdayName(day: Weekday): string {
  // 1 January 2024 was a Monday.
  const date = new Date(Date.UTC(2024, 0, 1 + weekdays.indexOf(day)))
  return new Intl.DateTimeFormat(locale, { weekday: 'long', ...UTC }).format(date)
}

/** `4 Jan 2027`, of a day such as `2027-01-04`. */
export function showDate(day: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', ...UTC }).format(new Date(`${day}T00:00:00Z`))
}

type Times = { rule: string; startsAt: { local: string; timeZone: string } }

const ALL = 99

/** When a series repeats, in words. */
export function ruleWords({ rule, startsAt: { local, timeZone } }: Times): string {
  const parts = partsOf(rule)
  const every = parts.get('FREQ') as Frequency
  const days = [
    ...listOf(parts.get('BYDAY')).map(dayWords),
    ...listOf(parts.get('BYMONTHDAY')).map((day) => words.monthDay(Number(day))),
  ]
  if (days.length === 0 && every === 'WEEKLY') days.push(weekdayName(weekdayOf(local)))
  if (days.length === 0 && every === 'MONTHLY') days.push(words.monthDay(Number(local.slice(8, 10))))
  const until = parts.get('UNTIL')
  const clock = showClock(`2024-01-01T${local.slice(11, 16)}:00Z`, 'UTC')
  return words.rule({
    every: words.every[every](Number(parts.get('INTERVAL') ?? 1)),
    days: days.length === 0 ? null : listNames(days, ALL),
    at: words.at(clock, placeOf(timeZone)),
    end: until === undefined ? words.times(Number(parts.get('COUNT'))) : words.until(showDate(dayOf(until))),
  })
}

function listOf(value: string | undefined): string[] {
  return value === undefined ? [] : value.split(',')
}

function dayWords(given: string): string {
  const name = weekdayName(given.slice(-2) as Weekday)
  return given.length === 2 ? name : words.nth(Number(given.slice(0, -2)), name)
}
