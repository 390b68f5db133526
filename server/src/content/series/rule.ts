import type { FieldError } from '../posts/plan/publish-time.ts'
import { MOST_OCCURRENCES } from '@postrider/contract'
import { onFirstUse } from '../../platform/process/on-first-use.ts'

/*
 * The rules that a series may have: the part of RFC 5545 in which a day has one occurrence at most. They are about days; the time
 * of day and the clocks of its zone are added by `definition.ts`.
 */

/** A day by the clocks of a series, such as `2027-01-04`. */
export type LocalDay = string

const library = onFirstUse(() => import('rrule-temporal'))

const frequencies = ['DAILY', 'WEEKLY', 'MONTHLY']
const WEEKDAY = '(?:MO|TU|WE|TH|FR|SA|SU)'
const NTH_WEEKDAY = `(?:[+-]?[1-5])?${WEEKDAY}`
const MONTH_DAY = '-?(?:[1-9]|[12]\\d|3[01])'

/** What may stand for each part, and in words. */
const parts: Readonly<Record<string, { readonly form: RegExp; readonly takes: string }>> = {
  FREQ: { form: new RegExp(`^(?:${frequencies.join('|')})$`), takes: '`DAILY`, `WEEKLY` or `MONTHLY`' },
  INTERVAL: { form: /^[1-9]\d{0,2}$/, takes: 'a number from 1 to 999' },
  COUNT: { form: /^[1-9]\d{0,3}$/, takes: `a number from 1 to ${MOST_OCCURRENCES}` },
  UNTIL: { form: /^\d{8}(?:T\d{6}Z?)?$/, takes: 'a day such as `20271231`' },
  BYDAY: {
    form: new RegExp(`^${NTH_WEEKDAY}(?:,${NTH_WEEKDAY})*$`),
    takes: 'weekdays such as `MO,TH`, or with `MONTHLY` such as `1MO,-1FR`',
  },
  BYMONTHDAY: {
    form: new RegExp(`^${MONTH_DAY}(?:,${MONTH_DAY})*$`),
    takes: 'days of the month such as `1,15` or `-1` for the last',
  },
  WKST: { form: new RegExp(`^${WEEKDAY}$`), takes: 'a weekday such as `MO`' },
}

const pointer = '/rule'

type DaysOfRule = { readonly days: readonly LocalDay[] } | { readonly error: FieldError }

/** Of the rules that were read last, since a thousand days take long to find. A rule and its first day say all of it. */
const remembered = new Map<string, DaysOfRule>()
const MOST_REMEMBERED = 200

/** No occurrence is later: times are taken up to the end of the year after it. */
const LATEST_YEAR = 9998

/** The days of a rule from one on, in order; or what is wrong with it. `from` is a day that exists. */
export async function daysOfRule(rule: string, from: LocalDay): Promise<DaysOfRule> {
  const key = `${from} ${rule}`
  const before = remembered.get(key)
  const found = before ?? (await findDays(rule, from))
  remembered.delete(key)
  remembered.set(key, found)
  const [oldest] = remembered.size > MOST_REMEMBERED ? remembered.keys() : []
  if (oldest !== undefined) remembered.delete(oldest)
  return found
}

async function findDays(rule: string, from: LocalDay): Promise<DaysOfRule> {
  const read = readRule(rule)
  if ('error' in read) return read
  const { RRuleTemporal } = await library.get()
  const start = `DTSTART;TZID=UTC:${from.replaceAll('-', '')}T000000`
  const repeating = new RRuleTemporal({ rruleString: `${start}\nRRULE:${read.rule}` })
  let goesBeyond = false
  let found: readonly { toPlainDate: () => { toString: () => string } }[]
  try {
    found = repeating.all((at, place) => {
      goesBeyond ||= at.year > LATEST_YEAR
      return place <= MOST_OCCURRENCES && !goesBeyond
    })
  } catch (fault) {
    if (!(fault instanceof Error && fault.message.startsWith(LOOKED_LONG))) throw fault
    const detail = 'The rule has no occurrences, or hardly any. Change its days, or `INTERVAL`.'
    return { error: { pointer, code: 'no_occurrence', detail } }
  }
  if (goesBeyond || Number(from.slice(0, 4)) > LATEST_YEAR) {
    const detail = `The rule continues after the year ${LATEST_YEAR}. End it earlier.`
    return { error: { pointer, code: 'out_of_range', detail } }
  }
  const days = found.map((each) => each.toPlainDate().toString())
  if (days.length === 0) {
    const detail = `The rule has no occurrence from ${from} on. Change the rule, or \`startsAt\`.`
    return { error: { pointer, code: 'no_occurrence', detail } }
  }
  if (days.length > MOST_OCCURRENCES) {
    const detail = `The rule has more than ${MOST_OCCURRENCES} occurrences. End it earlier, and create the next series then.`
    return { error: { pointer, code: 'out_of_range', detail } }
  }
  return { days }
}

/** The rule as the library is given it: without what says nothing, its end as the last moment of a day. */
function readRule(text: string): { readonly rule: string } | { readonly error: FieldError } {
  const wrong = (code: string, detail: string) => ({ error: { pointer, code, detail } })
  const given = new Map<string, string>()
  for (const part of text
    .trim()
    .toUpperCase()
    .replace(/^RRULE:/, '')
    .replace(/;$/, '')
    .split(';')) {
    const [name = '', value = ''] = part.split('=', 2)
    const known = parts[name]
    if (known === undefined) {
      const names = Object.keys(parts).join('`, `')
      return wrong('not_allowed', `\`${name}\` is not supported in a rule. Use \`${names}\`.`)
    }
    if (!known.form.test(value))
      return wrong('malformed', `\`${name}\` takes ${known.takes}, not \`${value}\`.`)
    if (given.has(name)) return wrong('not_allowed', `\`${name}\` appears twice. Give it once.`)
    given.set(name, value)
  }
  const refusal = refuseTogether(given)
  if (refusal !== null) return wrong(...refusal)
  const until = given.get('UNTIL')?.slice(0, 8)
  if (until !== undefined) given.set('UNTIL', `${until}T235959Z`)
  return { rule: [...given].map(([name, value]) => `${name}=${value}`).join(';') }
}

/** What is wrong with parts that are right alone. */
function refuseTogether(given: ReadonlyMap<string, string>): [code: string, detail: string] | null {
  const frequency = given.get('FREQ')
  if (frequency === undefined)
    return ['required', 'The rule lacks `FREQ`: add `FREQ=DAILY`, `WEEKLY` or `MONTHLY`.']
  const [count, until] = [given.get('COUNT'), given.get('UNTIL')]
  if (count === undefined && until === undefined) {
    return [
      'rule_without_end',
      'The rule never ends. Add `COUNT=…`, how many there are, or `UNTIL=…`, the last day.',
    ]
  }
  if (count !== undefined && until !== undefined)
    return ['not_allowed', 'A rule ends by `COUNT` or by `UNTIL`. Leave one of them out.']
  if (Number(count) > MOST_OCCURRENCES)
    return ['out_of_range', `\`COUNT\` takes ${parts['COUNT']?.takes}, not \`${count}\`.`]
  if (until !== undefined && !isDay(`${until.slice(0, 4)}-${until.slice(4, 6)}-${until.slice(6, 8)}`))
    return ['malformed', `\`UNTIL\` takes ${parts['UNTIL']?.takes}, and \`${until}\` does not exist.`]
  if (frequency !== 'MONTHLY' && /\d/.test(given.get('BYDAY') ?? ''))
    return [
      'not_allowed',
      'Only `MONTHLY` takes the first or last of a weekday, such as `1MO`. Leave the number out.',
    ]
  if (frequency !== 'MONTHLY' && given.has('BYMONTHDAY'))
    return ['not_allowed', '`BYMONTHDAY` belongs to `FREQ=MONTHLY`. Leave it out, or change `FREQ`.']
  return null
}

/** What the library says of a rule of which it finds nothing for 10,000 repetitions. */
const LOOKED_LONG = 'Maximum iterations'

/** Whether a text of the form of a day is one that exists. There is no year 0. */
export function isDay(text: string): boolean {
  if (text.startsWith('0000')) return false
  const at = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
}
