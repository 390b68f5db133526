import type { Answer, editSeries as edit, Input, PostIssue, RefusalCode } from '@postrider/contract'
import { newToken } from '../../engine/destinations/tokens.ts'
import { actorOf } from '../../edge/operations/actor.ts'
import { dateIn } from '../../platform/text/moments.ts'
import { isRefusal, type Refusal } from '../../edge/operations/refusal.ts'
import type { Caller } from '../../edge/operations/route.ts'
import type { Tx } from '../../platform/postgres/db.ts'
import {
  answerOf,
  contentFields,
  contentOf,
  type EditBody,
  issuesOf,
  lockToChange,
  type Now,
  postsByOf,
  refuseDay,
  refuseField,
  upcomingOf,
  withoutOver,
  type WriteOptions,
} from './change-series.ts'
import { checkSeries } from './check-series.ts'
import {
  changedContent,
  contentAt,
  type Day,
  daysOf,
  type Definition,
  readTimes,
  refuseOver,
} from './definition.ts'
import { editOccurrence } from './edit-occurrence.ts'
import { withdrawMade } from './made-posts.ts'
import type { LocalDay } from './rule.ts'
import {
  findOccurrences,
  type OccurrenceRow,
  planAgain,
  type SeriesKey,
  type SeriesRow,
  type SeriesState,
  updateSeries,
} from './series-store.ts'
import { latestOf, timeOf } from './views.ts'

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
    : editOccurrence(tx, caller, row, { ...body, only: body.only }, { ...options, now })
}

/** So many changes of a series are told apart by the day from which on they count. */
const MOST_DEFINITIONS = 20

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
  const today = dateIn(now, before.startsAt.timeZone)
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
  const { seriesId } = row
  const upcoming = upcomingOf(days, known, now, from)
  if (upcoming === null) return refuseOver()
  const checked = await checkSeries(tx, caller, content, upcoming, {
    providers,
    now,
    seriesId,
  })
  if (isRefusal(checked)) return checked
  const later = known.filter(({ date }) => date >= from)
  const unfit = await findUnfit(tx, caller, days, later, { providers, now, seriesId })
  const actor = actorOf(caller)
  const late = later.flatMap(({ date }) => (isPast(date, days, now) ? [date] : []))
  const effects = await withdrawMade(tx, row, later, { author: actor, evenChanged: false, late })
  await planAgain(
    tx,
    row,
    later.flatMap(({ date, status }) => (status === 'waiting' && !late.includes(date) ? [date] : [])),
  )
  const state: SeriesState = {
    status: row.status === 'ended' ? 'active' : row.status,
    reason: row.status === 'paused' ? row.reason : null,
    definitions,
    editToken: newToken(),
    postsBy: postsByOf(caller),
    nextRunAt: row.status === 'paused' ? null : now,
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
  options: Parameters<typeof checkSeries>[4],
): Promise<PostIssue[]> {
  const { now } = options
  const byDate = new Map(days.map((day) => [day.date, day]))
  const issues: PostIssue[] = []
  const own = known.filter(
    ({ status, change }) => change?.content !== undefined && (status === 'planned' || status === 'waiting'),
  )
  for (const { date, change } of own.slice(0, MOST_CHECKED)) {
    const day = byDate.get(date)
    const at = day === undefined ? now : timeOf(day, { status: 'planned', publishAt: null, change })
    if (day === undefined || at <= now) continue
    const content = changedContent(contentAt(day.definition.content, day.index), change?.content ?? {})
    const upcoming = { first: at, last: at, times: [] }
    const checked = await checkSeries(tx, caller, content, upcoming, options)
    if (!isRefusal(checked)) continue
    issues.push({
      code: 'occurrence_unfit',
      severity: 'warning',
      pointer: '',
      message: `The occurrence on ${date} has content of its own, and cannot be made with it: ${checked.detail}`,
      fix: 'Edit it with `only`, or skip it.',
    })
  }
  return issues
}

/** An occurrence whose time is over keeps what is known of it: it is tried again with what it is now. */
function isPast(date: LocalDay, days: readonly Day[], now: Date): boolean {
  const day = days.find((one) => one.date === date)
  return day !== undefined && timeOf(day, null) <= now
}

function changedFields(body: EditBody): string[] {
  return (['rule', 'startsAt', 'except', ...contentFields] as const).filter(
    (name) => body[name] !== undefined,
  )
}

function timesOf({ rule, startsAt, except }: Definition) {
  return { rule, startsAt, except: [...except] }
}
