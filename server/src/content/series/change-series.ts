import {
  contentNames,
  type CredentialLimits,
  type editSeries as edit,
  type Input,
  type PostIssue,
  postFieldNames,
  type Series,
} from '@postrider/contract'
import { newToken } from '../../engine/destinations/tokens.ts'
import { viewChange } from '../../engine/destinations/views.ts'
import type { ActDetails } from '../../edge/operations/act.ts'
import { dateIn } from '../../platform/text/moments.ts'
import { actorOf } from '../../edge/operations/actor.ts'
import { refuseBeyond } from '../../edge/operations/credential-limits.ts'
import { type Refusal, refuse } from '../../edge/operations/refusal.ts'
import type { Caller } from '../../edge/operations/route.ts'
import type { Sql, Tx } from '../../platform/postgres/db.ts'
import { refuseShape } from '../posts/plan/refuse-plan.ts'
import type { Providers } from '../../networks/providers/port/port.ts'
import { channelsOf, type Checked, type Upcoming } from './check-series.ts'
import {
  changedContent,
  type ContentChange,
  type Day,
  daysOf,
  type Definition,
  type SeriesContent,
} from './definition.ts'
import type { Effect } from './made-posts.ts'
import { isDay, type LocalDay } from './rule.ts'
import {
  findOccurrences,
  findPostsAhead,
  lockSeries,
  type OccurrenceRow,
  type PostsBy,
  type SeriesKey,
  type SeriesRow,
  type SeriesState,
  updateSeries,
} from './series-store.ts'
import { latestOf, timeOf, viewSeries } from './views.ts'

export type WriteOptions = { readonly providers: Providers; readonly say: (details: ActDetails) => void }

/** When a write began, by the clock of the database. */
export type Now = { readonly now: Date }

export type EditBody = Input<typeof edit>['body']

export const contentFields = [
  'channelIds',
  ...contentNames,
  'targets',
  ...postFieldNames,
  'contents',
] as const

/** The series, locked for a caller who may change it and has seen it as it is. State is judged before the token. */
export async function lockToChange(
  tx: Tx,
  caller: Caller,
  key: SeriesKey,
  editToken: string,
): Promise<
  | { row: SeriesRow; now: Date }
  | Refusal<'not_found' | 'credential_limit' | 'invalid_state' | 'stale_edit_token'>
> {
  const { limits } = caller.credential
  const row = await lockSeries(tx, key, limits)
  if (row === null) return refuseSeriesId()
  const now = await readNow(tx)
  for (const { channelIds, labels } of await aheadOf(tx, row, limits, now)) {
    const beyond = refuseBeyond(limits, { channelIds, labels, publishes: true }, now)
    if (beyond !== null) return beyond
  }
  if (row.status === 'ended' && row.reason !== null)
    return refuse('invalid_state', `${row.reason} Create another series.`, { currentStatus: row.status })
  if (row.editToken !== editToken) return refuseStaleSeries(row)
  return { row, now }
}

/**
 * The channels and labels of what a change of a series may reach: what it is from today on, what occurrences have of their own, and its
 * posts that are not over. Credentials that are not limited to some of them may reach all.
 */
async function aheadOf(
  tx: Tx,
  row: SeriesRow,
  limits: CredentialLimits,
  now: Date,
): Promise<{ channelIds: readonly string[]; labels: readonly string[] }[]> {
  const named = async ({ labels = [], ...content }: SeriesContent) => ({
    channelIds: await channelsOf(tx, row.workspaceId, content),
    labels,
  })
  const latest = latestOf(row)
  if (limits.channelIds === null && limits.label === null) return [await named(latest.content)]
  const today = dateIn(now, latest.startsAt.timeZone)
  const definitions = withoutOver(row.definitions, today, 1)
  const occurrences = await findOccurrences(tx, row, today)
  const changes = occurrences.flatMap(({ status, change }) =>
    status !== 'made' && change?.content !== undefined
      ? [{ ...changedContent({}, change.content), labels: latest.content.labels ?? [] }]
      : [],
  )
  const contents = [...definitions.map(({ content }) => content), ...changes]
  return [...(await Promise.all(contents.map(named))), ...(await findPostsAhead(tx, row))]
}

/** Without the oldest whose days are all over, where there are more than so many. */
export function withoutOver(
  definitions: readonly Definition[],
  today: LocalDay,
  most: number,
): readonly Definition[] {
  const over = definitions.findLastIndex(({ from }) => from <= today)
  return definitions.slice(Math.min(Math.max(over, 0), Math.max(definitions.length - most, 0)))
}

function refuseStaleSeries({
  status,
  postsBy,
  createdAt,
  latestChange,
}: SeriesRow): Refusal<'stale_edit_token'> {
  const { at, by, fields } = viewChange(latestChange) ?? {
    at: createdAt.toISOString(),
    by: postsBy,
    fields: [],
  }
  const detail =
    'The series has changed since this token was read. Read it again, then retry with its new token.'
  return refuse('stale_edit_token', detail, {
    currentStatus: status,
    changedAt: at,
    changedBy: { type: by.type, name: by.name },
    changed: fields,
  })
}

export function refuseSeriesId(): Refusal<'not_found'> {
  return refuse('not_found', 'Series not found in this workspace.')
}

/** A day of the series with what is known of it. */
export async function findDay(
  tx: Tx,
  row: SeriesRow,
  date: LocalDay,
  pointer: string,
): Promise<{ day: Day; known: OccurrenceRow | null } | Refusal<'validation_failed'>> {
  const wrong = refuseDay(pointer, date)
  if (wrong !== null) return wrong
  const day = (await daysOf(row.definitions)).find((one) => one.date === date)
  if (day === undefined)
    return refuseField(
      pointer,
      'no_occurrence',
      `The series has no occurrence on ${date}. Its \`occurrences\` name the days.`,
    )
  const [known = null] = (await findOccurrences(tx, row, date)).filter((one) => one.date === date)
  return { day, known }
}

/** The state that a series keeps when something else of it changes. */
export function continued({ status, reason, definitions, postsBy }: SeriesRow, now: Date): SeriesState {
  return {
    status,
    reason,
    definitions,
    postsBy,
    editToken: newToken(),
    nextRunAt: status === 'active' ? now : null,
  }
}

type Finish = Now & {
  readonly caller: Caller
  readonly say: WriteOptions['say']
  readonly fields: readonly string[]
  readonly details: Readonly<Record<string, string | boolean>>
  readonly issues?: PostIssue[]
  readonly effects?: Effect[]
}

export async function finish(
  tx: Tx,
  row: SeriesRow,
  state: SeriesState,
  { caller, say, fields, details, issues, effects = [], now }: Finish,
): Promise<Series> {
  const author = actorOf(caller)
  await updateSeries(tx, row, state, { author, fields })
  say({
    before: { status: row.status },
    after: {
      status: state.status,
      ...details,
      effects: effects.map(({ date, effect }) => ({ date, effect })),
    },
  })
  const answer = await answerOf(tx, { ...row, ...state }, { author, fields, now })
  return { ...answer, effects, ...(issues === undefined ? {} : { issues }) }
}

/** The series as it stands at the end of the transaction. */
export async function answerOf(
  tx: Tx,
  row: SeriesRow,
  { author, fields, now }: { author: Pick<PostsBy, 'type' | 'name'>; fields: readonly string[]; now: Date },
): Promise<Series> {
  const by = { type: author.type, name: author.name }
  const latestChange = { at: now.toISOString(), by, fields: [...fields] }
  return viewSeries(tx, { ...row, latestChange, updatedAt: now }, { now })
}

/** What is still to be published, and of that the times from a day on; null for nothing. */
export function upcomingOf(
  days: readonly Day[],
  known: readonly OccurrenceRow[],
  now: Date,
  from: LocalDay = '',
): Upcoming | null {
  const byDate = new Map(known.map((row) => [row.date, row]))
  const open = days
    .map((day) => ({ ...day, at: timeOf(day, byDate.get(day.date) ?? null) }))
    .filter(({ at, date }) => at > now && byDate.get(date)?.status !== 'skipped')
    .toSorted((a, b) => a.at.getTime() - b.at.getTime())
  const [first, last] = [open[0], open.at(-1)]
  if (first === undefined || last === undefined) return null
  return { first: first.at, last: last.at, times: open.filter(({ date }) => date >= from) }
}

export function contentOf(body: SeriesContent): SeriesContent
export function contentOf(body: ContentChange): ContentChange
export function contentOf(body: ContentChange): ContentChange {
  return Object.fromEntries(
    contentFields.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])),
  )
}

export function issuesOf({ warnings }: Checked): PostIssue[] {
  return [...warnings]
}

/** Whose posts they are. A person is named as a member: their session is soon gone. */
export function postsByOf({ credential, member }: Caller): PostsBy {
  const { type, name } = credential
  return { type, name, id: type === 'person' ? member.id : credential.id }
}

export function refuseDay(pointer: string, day: LocalDay): Refusal<'validation_failed'> | null {
  return isDay(day) ? null : refuseField(pointer, 'malformed', `\`${day}\` is not a day that exists.`)
}

export function refuseField(pointer: string, code: string, detail: string): Refusal<'validation_failed'> {
  return refuseShape([{ pointer, code, detail }])
}

export async function readNow(sql: Sql): Promise<Date> {
  const [{ now }] = await sql<[{ now: Date }]>`select clock_timestamp() as now`
  return now
}
