import {
  type ContentName,
  contentNames,
  type createSeries,
  type editSeries,
  type Input,
  partNames,
  type PostFieldName,
  type PostPlan,
} from '@postrider/contract'
import { refuse, type Refusal } from '../../edge/operations/refusal.ts'
import { findTimeZone, meaningOf, shownAt } from '../../platform/text/time-zone.ts'
import { parseLocal } from '../../platform/text/instant.ts'
import type { FieldError } from '../posts/plan/publish-time.ts'
import { refuseShape } from '../posts/plan/refuse-plan.ts'
import { daysOfRule, isDay, type LocalDay } from './rule.ts'

type CreateBody = Input<typeof createSeries>['body']

/** What is posted: the content of a post, or several that occurrences take one after the other. */
export type SeriesContent = Pick<
  CreateBody,
  ContentName | PostFieldName | 'channelIds' | 'targets' | 'contents'
>

export type SeriesTimes = Pick<CreateBody, 'rule' | 'startsAt'> & { readonly except: readonly LocalDay[] }

/** What a series is from a day on, as it is stored. */
export type Definition = SeriesTimes & {
  readonly from: LocalDay
  /** Of what was to be published before this, nothing is made any more. */
  readonly madeFrom: string
  readonly content: SeriesContent
}

/** What an occurrence has of its own. */
export type OwnChange = { readonly publishAt?: string; readonly content?: ContentChange }

/** What changes of a content; null removes. */
export type ContentChange = Pick<Input<typeof editSeries>['body'], keyof SeriesContent>

/** One day of a series. */
export type Day = {
  readonly date: LocalDay
  /** How many days of its rule come before it: this chooses among its contents. */
  readonly index: number
  readonly definition: Definition
}

/** The days of a series in order, by what it is on each; what its definitions say has been checked when they were written. */
export async function daysOf(definitions: readonly Definition[]): Promise<Day[]> {
  const found = await Promise.all(
    definitions.map(async (definition, index): Promise<Day[]> => {
      const read = await daysOfRule(definition.rule, dayOf(definition.startsAt.local))
      if ('error' in read) throw new Error(`the rule of a series cannot be read: ${read.error.detail}`)
      const until = definitions[index + 1]?.from
      return read.days
        .map((date, index) => ({ date, index, definition }))
        .filter(
          ({ date }) =>
            date >= definition.from &&
            (until === undefined || date < until) &&
            !definition.except.includes(date),
        )
    }),
  )
  return found.flat()
}

/**
 * When the occurrence of a day is published. Clocks may change otherwise than was known when the series was written: of a time that
 * they show twice then it is the first, and one that they leave out is as much later as they are put forward.
 */
export function instantOf({ date, definition: { startsAt } }: Pick<Day, 'date' | 'definition'>): Date {
  return shownAt(localOf(date, startsAt.local), startsAt.timeZone)
}

/** The content of the occurrence with this index. */
export function contentAt(
  { contents, ...rest }: SeriesContent,
  index: number,
): Omit<SeriesContent, 'contents'> {
  const chosen = contents?.[index % contents.length]
  return chosen === undefined ? rest : { ...rest, ...chosen }
}

/** How many different contents a series has. */
export function contentCount({ contents }: SeriesContent): number {
  return contents?.length ?? 1
}

/** What is to be posted on a day, as a create is asked for it. */
export function planOf(day: Day, change: OwnChange | null, publishAt: Date): PostPlan {
  const content = contentAt(day.definition.content, day.index)
  return {
    ...changedContent(content, change?.content ?? {}),
    state: 'scheduled',
    publishAt: publishAt.toISOString(),
  }
}

const oneContent = ['targets', 'contents'] as const

/** A content has one of three forms: fields that are given remove those of the others. */
const replaces: Readonly<Partial<Record<string, readonly (keyof SeriesContent)[]>>> = {
  targets: ['channelIds', 'contents', ...contentNames],
  contents: ['targets', ...partNames],
  channelIds: ['targets'],
  ...Object.fromEntries(partNames.map((name) => [name, oneContent])),
}

/** A change that is followed by another one. */
export function mergeContent(before: ContentChange, change: ContentChange): ContentChange {
  const gone = new Set<string>(
    Object.entries(change).flatMap(([name, value]) => (value === null ? [] : (replaces[name] ?? []))),
  )
  const kept = Object.entries(before).filter(([name]) => !gone.has(name))
  return { ...Object.fromEntries(kept), ...change }
}

/** A content as it is after a change. */
export function changedContent(before: SeriesContent, change: ContentChange): SeriesContent {
  const left = Object.entries(mergeContent(before, change)).filter(([, value]) => value !== null)
  return Object.fromEntries(left)
}

/** What the schema cannot say of a content: it is given once. */
export function refuseContent(content: SeriesContent): Refusal<'validation_failed'> | null {
  const { contents } = content
  const beside = ['targets', ...partNames].filter((name) => contents !== undefined && name in content)
  const errors = beside.map((name): FieldError => ({
    pointer: `/${name}`,
    code: 'not_allowed',
    detail: `\`${name}\` is not allowed with \`contents\`: each of them has its own.`,
  }))
  return errors.length === 0 ? null : refuseShape(errors)
}

/**
 * The times of a series as they are stored; or what is wrong with them, for what is still to be published. Of the days that it leaves out
 * `already`, those stay that are given and that its rule has: another rule need not have all of them.
 */
export async function readTimes(
  { rule, startsAt, except: given }: SeriesTimes,
  now: Date,
  already: readonly LocalDay[] = [],
): Promise<{ readonly times: SeriesTimes } | Refusal<'validation_failed'>> {
  const wrong = (pointer: string, code: string, detail: string) => refuseShape([{ pointer, code, detail }])
  const { timeZone } = startsAt
  if (findTimeZone(timeZone) === null) {
    const detail = `\`timeZone\` must be the IANA name of a time zone, such as \`Europe/Berlin\`; \`${timeZone}\` is none.`
    return wrong('/startsAt/timeZone', 'unknown_time_zone', detail)
  }
  if (parseLocal(startsAt.local) === null) {
    const detail =
      '`local` is not a date-time that exists, to the millisecond at most, such as `2026-12-01T09:00`.'
    return wrong('/startsAt/local', 'malformed', detail)
  }
  const strange = given.findIndex((day) => !isDay(day))
  if (strange >= 0)
    return wrong(`/except/${strange}`, 'malformed', `\`${given[strange]}\` is not a day that exists.`)
  const read = await daysOfRule(rule, dayOf(startsAt.local))
  if ('error' in read) return refuseShape([read.error])
  const unknown = given.findIndex((day) => !read.days.includes(day) && !already.includes(day))
  if (unknown >= 0) {
    const detail = `The rule has no occurrence on ${given[unknown]}. Leave the day out of \`except\`.`
    return wrong(`/except/${unknown}`, 'no_occurrence', detail)
  }
  const except = [...new Set(given)].filter((day) => read.days.includes(day)).toSorted()
  const local = startsAt.local.toUpperCase()
  const left = read.days.filter((day) => !except.includes(day))
  const clocks = left.flatMap((day) => clockErrors(day, { local, timeZone }, now)).slice(0, MOST_ERRORS)
  if (clocks.length > 0) return refuseShape(clocks)
  return { times: { rule: rule.trim(), startsAt: { local, timeZone }, except } }
}

const MOST_ERRORS = 20

/** Why a day has no such time, or has it twice. */
function clockErrors(day: LocalDay, { local, timeZone }: SeriesTimes['startsAt'], now: Date): FieldError[] {
  const meaning = meaningOf(localOf(day, local), timeZone)
  if (meaning.is === 'instant' || meaning.candidates.every((at) => at <= now)) return []
  const candidates = meaning.candidates.map((at) => at.toISOString())
  const why =
    meaning.is === 'missing'
      ? 'does not exist: the clocks are put forward'
      : 'exists twice: the clocks are put back'
  const detail = `On ${day}, ${local.slice(11)} in ${timeZone} ${why}. Choose another time of day, or put the day into \`except\`.`
  return [{ pointer: '/startsAt/local', code: `${meaning.is}_local_time`, detail, candidates }]
}

/** No occurrence is left to be made. */
export function refuseOver(): Refusal<'publish_time_in_past'> {
  return refuse(
    'publish_time_in_past',
    'All occurrences of the rule are in the past. Change the rule, or `startsAt`.',
  )
}

export function dayOf(local: string): LocalDay {
  return local.slice(0, 10)
}

/** The time of day of `local` on another day, in milliseconds as if that were UTC. */
function localOf(day: LocalDay, local: string): number {
  const at = parseLocal(`${day}${local.slice(10)}`)
  if (at === null) throw new Error(`a series has a time that cannot be read: ${local}`)
  return at
}
