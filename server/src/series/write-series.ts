import type {
  Answer,
  CredentialLimits,
  createSeries as create,
  editSeries as edit,
  Input,
  PostIssue,
  RefusalCode,
  Series,
  setSeriesStatus as setStatus,
  skipOccurrence as skip,
} from '@postrider/contract'
import { v7 as uuidv7 } from 'uuid'
import { newToken } from '../destinations/tokens.ts'
import { viewChange } from '../destinations/views.ts'
import type { ActDetails } from '../operations/act.ts'
import { actorOf } from '../operations/actor.ts'
import { refuseBeyond } from '../operations/credential-limits.ts'
import { isRefusal, refuse, type Refusal } from '../operations/refusal.ts'
import type { Caller } from '../operations/route.ts'
import type { Sql, Tx } from '../platform/db.ts'
import { readPublishAt } from '../posts/publish-time.ts'
import { refuseShape } from '../posts/refuse-plan.ts'
import type { Providers } from '../providers/port.ts'
import { type Checked, checkSeries, channelsOf, type Upcoming } from './check-series.ts'
import {
  changedContent,
  type ContentChange,
  contentAt,
  type Day,
  dayIn,
  daysOf,
  type Definition,
  mergeContent,
  type OwnChange,
  readTimes,
  refuseOver,
  type SeriesContent,
} from './definition.ts'
import { type Effect, withdrawMade } from './made-posts.ts'
import { AHEAD_MS } from './make-occurrences.ts'
import { isDay, type LocalDay } from './rule.ts'
import {
  findOccurrences,
  findPostsAhead,
  insertSeries,
  lockSeries,
  type Maker,
  type OccurrenceRow,
  planAgain,
  type SeriesKey,
  type SeriesRow,
  type SeriesState,
  storeOccurrence,
  updateSeries,
} from './series-store.ts'
import { latestOf, mergeDays, timeOf, viewSeries, WAS_PAUSED } from './views.ts'

export type WriteOptions = { readonly providers: Providers; readonly say: (details: ActDetails) => void }

/** So many changes of a series are told apart by the day from which on they count. */
const MOST_DEFINITIONS = 20

const contentFields = [
  'channelIds',
  'text',
  'mediaIds',
  'thread',
  'firstComment',
  'tagLinks',
  'targets',
  'labels',
  'contents',
] as const

/** Creates a series. Its posts are made by `makeOccurrences`, in the name of the caller and by the rules for what they create. */
export async function createSeries(
  tx: Tx,
  caller: Caller,
  { rule, startsAt, except = [], ...body }: Input<typeof create>['body'],
  { providers }: Pick<WriteOptions, 'providers'>,
): Promise<Answer<typeof create> | Refusal<RefusalCode<typeof create>>> {
  const now = await readNow(tx)
  const read = await readTimes({ rule, startsAt, except }, now)
  if (isRefusal(read)) return read
  const { times } = read
  const definition: Definition = {
    ...times,
    ...{ from: dayBegins(times.startsAt.local), madeFrom: now.toISOString(), content: contentOf(body) },
  }
  const upcoming = upcomingOf(await daysOf([definition]), [], now)
  if (upcoming === null) return refuseOver()
  const checked = await checkSeries(tx, caller, definition.content, upcoming, { providers, now })
  if (isRefusal(checked)) return checked
  const key = { workspaceId: caller.workspaceId, seriesId: uuidv7() }
  const state: SeriesState = {
    ...{ status: 'active', reason: null, definitions: [definition], editToken: newToken() },
    ...{ maker: makerOf(caller), lookAt: firstLook(upcoming, now) },
  }
  await insertSeries(tx, key, state, now)
  const row = { ...key, ...state, latestChange: null, createdAt: now, updatedAt: now }
  return { ...(await viewSeries(tx, row, { now })), issues: issuesOf(checked) }
}

/** Changes a series from a day on, or one occurrence of it. What was made before stays; what is to be made again is said. */
export async function editSeries(
  tx: Tx,
  caller: Caller,
  key: SeriesKey,
  body: Input<typeof edit>['body'],
  options: WriteOptions,
): Promise<Answer<typeof edit> | Refusal<RefusalCode<typeof edit>>> {
  const found = await lockToChange(tx, caller, key, body.editToken)
  if (isRefusal(found)) return found
  const { row, now } = found
  return body.only === undefined
    ? editFrom(tx, caller, row, body, { ...options, now })
    : editOne(tx, caller, row, { ...body, only: body.only }, { ...options, now })
}

type EditBody = Input<typeof edit>['body']
type Now = { readonly now: Date }

async function editFrom(
  tx: Tx,
  caller: Caller,
  row: SeriesRow,
  body: EditBody,
  { providers, say, now }: WriteOptions & Now,
): Promise<Answer<typeof edit> | Refusal<RefusalCode<typeof edit>>> {
  if (body.publishAt !== undefined)
    return refuseField(
      '/publishAt',
      'not_allowed',
      '`publishAt` belongs to one occurrence: name it with `only`.',
    )
  const before = latestOf(row)
  const today = dayIn(now, before.startsAt.timeZone)
  const from = body.from ?? today
  const wrongDay =
    refuseDay('/from', from) ??
    (from < today
      ? refuseField(
          '/from',
          'out_of_range',
          `\`from\` is in the past: today is ${today}. Name a day from today on.`,
        )
      : null)
  if (wrongDay !== null) return wrongDay
  const isRetimed = body.rule !== undefined || body.startsAt !== undefined || body.except !== undefined
  const wished = {
    rule: body.rule ?? before.rule,
    startsAt: body.startsAt ?? before.startsAt,
    except: body.except ?? before.except,
  }
  const read = isRetimed ? await readTimes(wished, now, before.except) : { times: before }
  if (isRefusal(read)) return read
  const { rule, startsAt, except } = read.times
  const content = changedContent(before.content, contentOf(body))
  const definition: Definition = { rule, startsAt, except, content, from, madeFrom: now.toISOString() }
  const kept = row.definitions.filter((one) => one.from < from)
  const definitions = withoutOver([...kept, definition], today, MOST_DEFINITIONS)
  if (definitions.length > MOST_DEFINITIONS) {
    const detail = `The series already has ${MOST_DEFINITIONS - 1} future changes. Use the date of an existing change in \`from\`: it replaces that change and all later ones.`
    return refuseField('/from', 'too_many', detail)
  }
  const days = await daysOf(definitions)
  const known = await findOccurrences(tx, row)
  const upcoming = upcomingOf(days, known, now)
  if (upcoming === null) return refuseOver()
  const checked = await checkSeries(tx, caller, content, upcoming, { providers, now })
  if (isRefusal(checked)) return checked
  const later = known.filter(({ date }) => date >= from)
  const unfit = await findUnfit(tx, caller, days, later, { providers, now })
  const actor = actorOf(caller)
  const effects = await withdrawMade(tx, row, later, { author: actor, evenChanged: false })
  await planAgain(
    tx,
    row,
    later.flatMap(({ date, status }) => (status === 'waiting' && !isPast(date, days, now) ? [date] : [])),
  )
  const state: SeriesState = {
    ...{
      status: row.status === 'ended' ? 'active' : row.status,
      reason: row.status === 'paused' ? row.reason : null,
    },
    ...{
      definitions,
      editToken: newToken(),
      maker: makerOf(caller),
      lookAt: row.status === 'paused' ? null : now,
    },
  }
  const fields = changedFields(body)
  await updateSeries(tx, row, state, { author: actor, fields })
  say({
    before: { ...timesOf(before) },
    after: {
      ...timesOf(definition),
      from,
      fields,
      effects: effects.map(({ date, effect }) => ({ date, effect })),
    },
  })
  return {
    ...(await answerOf(tx, { ...row, ...state }, { author: actor, fields, now })),
    issues: [...issuesOf(checked), ...unfit],
    effects,
  }
}

/** So many occurrences with something of their own are checked again. */
const MOST_CHECKED = 50

/** Warnings of occurrences that have something of their own which would be refused with what the series is now. */
async function findUnfit(
  tx: Tx,
  caller: Caller,
  days: readonly Day[],
  known: readonly OccurrenceRow[],
  { providers, now }: Pick<WriteOptions, 'providers'> & Now,
): Promise<PostIssue[]> {
  const byDate = new Map(days.map((day) => [day.date, day]))
  const issues: PostIssue[] = []
  const own = known.filter(
    ({ status, change }) => change?.content !== undefined && (status === 'planned' || status === 'waiting'),
  )
  for (const { date, change } of own.slice(0, MOST_CHECKED)) {
    const day = byDate.get(date)
    const at = day === undefined ? now : timeOf(day, { status: 'planned', publishAt: null, change })
    if (day === undefined || at <= now) continue
    const content = changedContent(contentAt(day.definition.content, day.place), change?.content ?? {})
    const upcoming = { count: 1, first: at, last: at }
    const checked = await checkSeries(tx, caller, content, upcoming, { providers, now })
    if (!isRefusal(checked)) continue
    issues.push({
      ...{ code: 'occurrence_unfit', severity: 'warning', pointer: '' },
      message: `The occurrence on ${date} has content of its own, and cannot be made with it: ${checked.detail}`,
      fix: 'Edit it with `only`, or skip it.',
    })
  }
  return issues
}

/** Without the oldest whose days are all over, where there are more than so many. */
function withoutOver(
  definitions: readonly Definition[],
  today: LocalDay,
  most: number,
): readonly Definition[] {
  const over = definitions.findLastIndex(({ from }) => from <= today)
  return definitions.slice(Math.min(Math.max(over, 0), Math.max(definitions.length - most, 0)))
}

/** An occurrence whose time is over keeps what is known of it: it is tried again with what it is now. */
function isPast(date: LocalDay, days: readonly Day[], now: Date): boolean {
  const day = days.find((one) => one.date === date)
  return day !== undefined && timeOf(day, null) <= now
}

async function editOne(
  tx: Tx,
  caller: Caller,
  row: SeriesRow,
  { only, ...body }: EditBody & { readonly only: LocalDay },
  { providers, say, now }: WriteOptions & Now,
): Promise<Answer<typeof edit> | Refusal<RefusalCode<typeof edit>>> {
  const beside = (['from', 'rule', 'startsAt', 'except', 'contents', 'labels'] as const).find(
    (name) => body[name] !== undefined,
  )
  if (beside !== undefined)
    return refuseField(
      `/${beside}`,
      'not_allowed',
      `\`${beside}\` is not allowed with \`only\`: one occurrence can have only its own content and time.`,
    )
  const standing = await findDay(tx, row, only, '/only')
  if (isRefusal(standing)) return standing
  const { day, known } = standing
  if (known?.status === 'made')
    return refuse('invalid_state', `The occurrence already has the post ${known.postId}. Edit that post.`, {
      currentStatus: 'made',
    })
  const at = body.publishAt == null ? null : readPublishAt(body.publishAt)
  if (at !== null && 'error' in at) return refuseShape([at.error])
  if (at !== null && !(at instanceof Date))
    return refuseField(
      '/publishAt',
      'not_allowed',
      'An occurrence cannot use the posting times of a queue. Give a time.',
    )
  const { publishAt: ownTime, ...ownContent } = known?.change ?? {}
  const was: OwnChange =
    ownTime === undefined || body.publishAt === null ? ownContent : { ...ownContent, publishAt: ownTime }
  const own = contentOf(body)
  const hasContent = Object.keys(own).length > 0
  const change: OwnChange = {
    ...was,
    ...(at === null ? {} : { publishAt: at.toISOString() }),
    ...(hasContent ? { content: mergeContent(was.content ?? {}, own) } : {}),
  }
  const publishAt = timeOf(day, { status: 'planned', publishAt: null, change })
  if (publishAt <= now)
    return refuse('publish_time_in_past', 'The time is not in the future. Choose a later one.')
  const content = changedContent(contentAt(day.definition.content, day.place), change.content ?? {})
  const upcoming = { count: 1, first: publishAt, last: publishAt }
  const checked = await checkSeries(tx, caller, content, upcoming, { providers, now })
  if (isRefusal(checked)) return checked
  await storeOccurrence(tx, row, {
    ...{
      date: only,
      status: 'planned',
      publishAt: null,
      postId: null,
      editToken: null,
      reason: null,
      change: Object.keys(change).length === 0 ? null : change,
    },
  })
  // Its rule had come to its end, and this occurrence is still to come.
  const isOver = row.status === 'ended'
  return finish(
    tx,
    row,
    { ...continued(isOver ? { ...row, status: 'active' } : row, now), maker: makerOf(caller) },
    { caller, now, say, fields: ['occurrences'], details: { date: only }, issues: issuesOf(checked) },
  )
}

/** Leaves an occurrence out, with its post where it is made; or takes it up again. */
export async function skipOccurrence(
  tx: Tx,
  caller: Caller,
  key: SeriesKey,
  { editToken, date, skip: leaves = true }: Input<typeof skip>['body'],
  { say }: Pick<WriteOptions, 'say'>,
): Promise<Answer<typeof skip> | Refusal<RefusalCode<typeof skip>>> {
  const found = await lockToChange(tx, caller, key, editToken)
  if (isRefusal(found)) return found
  const { row, now } = found
  const standing = await findDay(tx, row, date, '/date')
  if (isRefusal(standing)) return standing
  const { day, known } = standing
  const isSkipped = known?.status === 'skipped'
  if (!leaves && isSkipped && timeOf(day, known) <= now)
    return refuse('invalid_state', 'The time of this occurrence has passed, so it stays skipped.', {
      currentStatus: 'skipped',
    })
  let effects: Effect[] = []
  if (!leaves && isSkipped) await planAgain(tx, row, [date])
  if (leaves && !isSkipped) {
    if (known?.status === 'made') {
      effects = await withdrawMade(tx, row, [known], { author: actorOf(caller), evenChanged: true })
      if (!effects.some(({ effect, reason }) => effect === 'cancelled' && reason === null))
        return refuse('invalid_state', `Its post ${known.postId} is being published or is finished.`, {
          currentStatus: 'made',
        })
    }
    await storeOccurrence(tx, row, {
      ...{ date, status: 'skipped', publishAt: null, postId: null, editToken: null, reason: null },
      change: known?.change ?? null,
    })
  }
  return finish(tx, row, continued(row, now), {
    caller,
    now,
    say,
    fields: ['occurrences'],
    details: { date, skip: leaves },
    effects,
  })
}

/** Pauses, resumes or ends a series. */
export async function setSeriesStatus(
  tx: Tx,
  caller: Caller,
  key: SeriesKey,
  { editToken, status }: Input<typeof setStatus>['body'],
  { providers, say }: WriteOptions,
): Promise<Answer<typeof setStatus> | Refusal<RefusalCode<typeof setStatus>>> {
  const found = await lockToChange(tx, caller, key, editToken)
  if (isRefusal(found)) return found
  const { row, now } = found
  if (status === row.status)
    return finish(tx, row, continued(row, now), { caller, now, say, fields: ['status'], details: { status } })
  const actor = actorOf(caller)
  if (status === 'active') return resume(tx, caller, row, { providers, say, now })
  const known = await findOccurrences(tx, row)
  const effects = await withdrawMade(tx, row, known, { author: actor, evenChanged: true })
  const reason = status === 'paused' ? `Paused by ${actor.name}.` : `Ended by ${actor.name}.`
  const state = { ...continued(row, now), status, reason, lookAt: null }
  return finish(tx, row, state, { caller, now, say, fields: ['status'], details: { status }, effects })
}

/** What was to be published while it was paused is over: it is recorded, and not made up for. */
async function resume(
  tx: Tx,
  caller: Caller,
  row: SeriesRow,
  { providers, say, now }: WriteOptions & Now,
): Promise<Answer<typeof setStatus> | Refusal<RefusalCode<typeof setStatus>>> {
  const days = await daysOf(row.definitions)
  const known = await findOccurrences(tx, row)
  const upcoming = upcomingOf(days, known, now)
  if (upcoming === null)
    return refuse('invalid_state', 'No occurrence of its rule is left. Edit the rule.', {
      currentStatus: row.status,
    })
  const checked = await checkSeries(tx, caller, latestOf(row).content, upcoming, { providers, now })
  if (isRefusal(checked)) return refuseResume(checked)
  for (const { known: missed, at } of mergeDays(days, known, row, now)) {
    if (at > now || !['planned', 'waiting', 'missed'].includes(missed.status)) continue
    const reason = missed.reason ?? row.reason ?? WAS_PAUSED
    await storeOccurrence(tx, row, { ...missed, status: 'missed', reason })
  }
  const definitions = row.definitions.map((one) => ({ ...one, madeFrom: now.toISOString() }))
  const state: SeriesState = {
    ...{ ...continued(row, now), status: 'active', reason: null, definitions },
    ...{ maker: makerOf(caller), lookAt: now },
  }
  return finish(tx, row, state, {
    caller,
    now,
    say,
    fields: ['status'],
    details: { status: 'active' },
    issues: issuesOf(checked),
  })
}

function refuseResume(checked: Refusal): Refusal<'credential_limit' | 'invalid_state'> {
  return checked.refused === 'credential_limit'
    ? refuse('credential_limit', checked.detail, checked.facts)
    : refuse('invalid_state', `${checked.detail} Edit the series first.`, checked.facts)
}

/* ------------------------------------------------------------------------------------------------ what writes share */

/** The series, locked for a caller who may change it and has seen it as it is. State is judged before the token. */
async function lockToChange(
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
  const today = dayIn(now, latest.startsAt.timeZone)
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

function refuseStaleSeries({
  status,
  maker,
  createdAt,
  latestChange,
}: SeriesRow): Refusal<'stale_edit_token'> {
  const { at, by, fields } = viewChange(latestChange) ?? {
    at: createdAt.toISOString(),
    by: maker,
    fields: [],
  }
  const detail =
    'The series has changed since this token was read. Read it again, then retry with its new token.'
  return refuse('stale_edit_token', detail, {
    currentStatus: status,
    ...{ changedAt: at, changedBy: { type: by.type, name: by.name }, changed: fields },
  })
}

export function refuseSeriesId(): Refusal<'not_found'> {
  return refuse('not_found', 'Series not found in this workspace.')
}

/** A day of the series with what is known of it. */
async function findDay(
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
function continued({ status, reason, definitions, maker }: SeriesRow, now: Date): SeriesState {
  return {
    status,
    reason,
    definitions,
    maker,
    editToken: newToken(),
    lookAt: status === 'active' ? now : null,
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

async function finish(
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
async function answerOf(
  tx: Tx,
  row: SeriesRow,
  { author, fields, now }: { author: Pick<Maker, 'type' | 'name'>; fields: readonly string[]; now: Date },
): Promise<Series> {
  const by = { type: author.type, name: author.name }
  const latestChange = { at: now.toISOString(), by, fields: [...fields] }
  return viewSeries(tx, { ...row, latestChange, updatedAt: now }, { now })
}

/** What is still to be published: how often, when next and when last; null for nothing. */
function upcomingOf(days: readonly Day[], known: readonly OccurrenceRow[], now: Date): Upcoming | null {
  const byDate = new Map(known.map((row) => [row.date, row]))
  const times = days
    .map((day) => ({ at: timeOf(day, byDate.get(day.date) ?? null), status: byDate.get(day.date)?.status }))
    .filter(({ at, status }) => at > now && status !== 'skipped')
    .map(({ at }) => at.getTime())
  if (times.length === 0) return null
  return { count: times.length, first: new Date(Math.min(...times)), last: new Date(Math.max(...times)) }
}

function contentOf(body: SeriesContent): SeriesContent
function contentOf(body: ContentChange): ContentChange
function contentOf(body: ContentChange): ContentChange {
  return Object.fromEntries(
    contentFields.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])),
  )
}

function changedFields(body: EditBody): string[] {
  return (['rule', 'startsAt', 'except', ...contentFields] as const).filter(
    (name) => body[name] !== undefined,
  )
}

function timesOf({ rule, startsAt, except }: Definition) {
  return { rule, startsAt, except: [...except] }
}

function issuesOf({ warnings }: Checked): PostIssue[] {
  return [...warnings]
}

/** When its first post is to be made. */
function firstLook({ first }: Upcoming, now: Date): Date {
  return new Date(Math.max(first.getTime() - AHEAD_MS, now.getTime()))
}

/** Whose posts they are. A person is named as a member: their session is soon gone. */
function makerOf({ credential, member }: Caller): Maker {
  const { type, name } = credential
  return { type, name, id: type === 'person' ? member.id : credential.id }
}

function dayBegins(local: string): LocalDay {
  return local.slice(0, 10)
}

function refuseDay(pointer: string, day: LocalDay): Refusal<'validation_failed'> | null {
  return isDay(day) ? null : refuseField(pointer, 'malformed', `\`${day}\` is not a day that exists.`)
}

function refuseField(pointer: string, code: string, detail: string): Refusal<'validation_failed'> {
  return refuseShape([{ pointer, code, detail }])
}

export async function readNow(sql: Sql): Promise<Date> {
  const [{ now }] = await sql<[{ now: Date }]>`select clock_timestamp() as now`
  return now
}
