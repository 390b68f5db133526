import type { Occurrence, Series, SeriesSummary } from '@postrider/contract'
import { waitReason } from '../../engine/destinations/series-wait.ts'
import { viewChange } from '../../engine/destinations/views.ts'
import type { Sql } from '../../platform/postgres/db.ts'
import { firstCharacters } from '../../networks/providers/shared/characters.ts'
import { dateIn } from '../../platform/text/moments.ts'
import { changedContent, contentAt, type Day, daysOf, instantOf, type SeriesContent } from './definition.ts'
import type { LocalDay } from './rule.ts'
import {
  findOccurrences,
  findPostStates,
  findTimes,
  type OccurrenceRow,
  type SeriesRow,
  type PostState,
} from './series-store.ts'

const EXCERPT = 280
const MOST_SHOWN = 100
const BEFORE_MS = 7 * 86_400_000

/** What a day is missed for while its series makes nothing. */
export const WAS_PAUSED = 'The series was paused at its time.'

/** What is shown of the days of a series: those from a day on, or from seven days ago; or one alone, with its whole content. */
export async function viewSeries(
  sql: Sql,
  row: SeriesRow,
  {
    now,
    only,
    from = only,
  }: { readonly now: Date; readonly from?: LocalDay | undefined; readonly only?: LocalDay | undefined },
): Promise<Series> {
  const { startsAt, rule, except, content } = latestOf(row)
  const recent = dateIn(new Date(now.getTime() - BEFORE_MS), startsAt.timeZone)
  const first = from ?? recent
  const known = await findOccurrences(sql, row, first < recent ? first : recent)
  const days = await daysOf(row.definitions)
  const shown = daysFrom(only ?? first, days, known, row, now).filter(
    ({ known: { date } }) => only === undefined || date === only,
  )
  const postIds = shown.flatMap(({ known: { postId } }) => postId ?? [])
  const postStates = await findPostStates(sql, row.workspaceId, postIds)
  const occurrences = shown.map((one) => ({
    ...viewOccurrence(one, postStates),
    ...(only === undefined || one.known.status === 'made' ? {} : { content: plannedFor(one) }),
  }))
  return {
    ...heading(row, nextOf(row, days, known, now)),
    rule,
    startsAt,
    except: [...except],
    ...content,
    occurrences,
  }
}

/** Those that are shown from a day on. No more are read than that takes. */
function daysFrom(
  first: LocalDay,
  days: readonly Day[],
  known: readonly OccurrenceRow[],
  row: SeriesRow,
  now: Date,
): KnownDay[] {
  const dates = new Set(known.map(({ date }) => date))
  const open = days.filter((day) => day.date >= first && (dates.has(day.date) || !isBefore(day)))
  // Of those of the last days before a change some may be left out.
  const end = open[MOST_SHOWN + 5]?.date
  const isShown = ({ date }: { readonly date: LocalDay }) =>
    date >= first && (end === undefined || date < end)
  return mergeDays(open.filter(isShown), known.filter(isShown), row, now).slice(0, MOST_SHOWN)
}

/** A series in a list, by its rows alone. */
export async function viewSummary(sql: Sql, row: SeriesRow, now: Date): Promise<SeriesSummary> {
  const { startsAt, rule, except, content } = latestOf(row)
  const today = dateIn(new Date(now.getTime() - BEFORE_MS), startsAt.timeZone)
  const known = await findTimes(sql, row, today)
  const days = row.status === 'active' ? await daysOf(row.definitions) : []
  return {
    ...heading(row, nextOf(row, days, known, now)),
    rule,
    startsAt,
    except: [...except],
    text: excerptOf(contentAt(content, 0)),
    channelIds: [...(content.channelIds ?? content.targets?.map(({ channelId }) => channelId) ?? [])],
  }
}

function heading(row: SeriesRow, nextAt: Date | null) {
  return {
    seriesId: row.seriesId,
    status: row.status,
    reason: row.reason,
    postsBy: { type: row.postsBy.type, name: row.postsBy.name },
    nextAt: nextAt?.toISOString() ?? null,
    editToken: row.editToken,
    latestChange: viewChange(row.latestChange),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

/** The series as its last definition says. */
export function latestOf({ definitions }: Pick<SeriesRow, 'definitions'>) {
  const latest = definitions.at(-1)
  if (latest === undefined) throw new Error('a series has no definition')
  return latest
}

/** A day with what is known of it, and when it is published. */
export type KnownDay = { readonly day: Day | null; readonly known: OccurrenceRow; readonly at: Date }

/** The clocks of no two zones are further apart. */
const DAYS_APART_MS = 2 * 86_400_000

/**
 * Of the days of a series those that matter until a time: those until then, those of which something is
 * known, and the next one. When each of a thousand is takes long to say.
 */
export function daysUntil(days: readonly Day[], known: readonly OccurrenceRow[], until: Date): Day[] {
  const dates = new Set(known.map(({ date }) => date))
  const last = dateIn(new Date(until.getTime() + DAYS_APART_MS), 'UTC')
  const next = days.findIndex(({ date }) => date > last && !dates.has(date))
  return days.filter(({ date }, index) => next < 0 || index <= next || dates.has(date))
}

/** The days of a series as they stand: those of its rule, and posts that were made of days which it has no longer. */
export function mergeDays(
  days: readonly Day[],
  known: readonly OccurrenceRow[],
  { status, reason }: Pick<SeriesRow, 'status' | 'reason'>,
  now: Date,
): KnownDay[] {
  const byDate = new Map(known.map((row) => [row.date, row]))
  const planned = days.flatMap((day): KnownDay[] => {
    const row = byDate.get(day.date) ?? null
    byDate.delete(day.date)
    // What was over before the series was there, or was changed, never was an occurrence.
    if (row === null && isBefore(day)) return []
    const at = timeOf(day, row)
    if (row === null && at.getTime() < Date.parse(day.definition.madeFrom)) return []
    const occurrence: OccurrenceRow = row ?? {
      date: day.date,
      status: 'planned',
      publishAt: null,
      postId: null,
      editToken: null,
      reason: null,
      change: null,
    }
    const isMissed = occurrence.status === 'planned' && at <= now && status !== 'active'
    return [
      {
        day,
        at,
        known: isMissed ? { ...occurrence, status: 'missed', reason: reason ?? WAS_PAUSED } : occurrence,
      },
    ]
  })
  const left = [...byDate.values()].flatMap((row): KnownDay[] =>
    row.status === 'made' && row.publishAt !== null ? [{ day: null, known: row, at: row.publishAt }] : [],
  )
  return [...planned, ...left].toSorted((a, b) => (a.known.date < b.known.date ? -1 : 1))
}

/** Whether a day is certainly over before anything is made by its definition. */
function isBefore({ date, definition: { madeFrom } }: Day): boolean {
  return Date.parse(date) < Date.parse(madeFrom) - DAYS_APART_MS
}

/** When the occurrence of a day is published: as it was made for, or as it is to be. */
export function timeOf(day: Day, row: Pick<OccurrenceRow, 'status' | 'publishAt' | 'change'> | null): Date {
  if (row?.status === 'made' && row.publishAt !== null) return row.publishAt
  const own = row?.change?.publishAt
  return own === undefined ? instantOf(day) : new Date(own)
}

function nextOf(
  row: SeriesRow,
  days: readonly Day[],
  known: readonly OccurrenceRow[],
  now: Date,
): Date | null {
  if (row.status !== 'active') return null
  const ahead = mergeDays(daysUntil(days, known, now), known, row, now).filter(
    ({ known: { status }, at }) => at > now && status !== 'skipped' && status !== 'missed',
  )
  return ahead.map(({ at }) => at).toSorted((a, b) => a.getTime() - b.getTime())[0] ?? null
}

function viewOccurrence(
  { day, known, at }: KnownDay,
  postStates: ReadonlyMap<string, PostState>,
): Occurrence {
  const { date, status, reason, postId, change } = known
  const post = postId === null ? undefined : postStates.get(postId)
  const times = post?.destinations.flatMap(({ publishAt }) => publishAt?.getTime() ?? []) ?? []
  return {
    date,
    status,
    reason,
    postId,
    changed: change !== null,
    publishAt: (times.length === 0 ? at : new Date(Math.min(...times))).toISOString(),
    text: post === undefined ? excerptOf(plannedFor({ day, known })) : firstCharacters(post.text, EXCERPT),
    channels: (post?.destinations ?? []).map(({ channelId, status, waitsFor }) => ({
      channelId,
      status,
      waitReason: waitReason(waitsFor),
    })),
  }
}

/** What the post of a day is made of: the content of its index, with what the day has of its own. */
function plannedFor({ day, known: { change } }: Pick<KnownDay, 'day' | 'known'>): SeriesContent {
  const content = day === null ? {} : contentAt(day.definition.content, day.index)
  return changedContent(content, change?.content ?? {})
}

function excerptOf({ text, targets = [] }: SeriesContent): string {
  return firstCharacters(text ?? targets[0]?.text ?? '', EXCERPT)
}
