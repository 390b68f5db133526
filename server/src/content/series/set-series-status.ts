import type { Answer, Input, RefusalCode, setSeriesStatus as setStatus } from '@postrider/contract'
import { actorOf } from '../../edge/operations/actor.ts'
import { isRefusal, type Refusal, refuse } from '../../edge/operations/refusal.ts'
import type { Caller } from '../../edge/operations/route.ts'
import type { Tx } from '../../platform/postgres/db.ts'
import {
  continued,
  finish,
  issuesOf,
  lockToChange,
  type Now,
  postsByOf,
  upcomingOf,
  type WriteOptions,
} from './change-series.ts'
import { checkSeries } from './check-series.ts'
import { daysOf } from './definition.ts'
import { withdrawMade } from './made-posts.ts'
import {
  findOccurrences,
  type SeriesKey,
  type SeriesRow,
  type SeriesState,
  storeOccurrence,
} from './series-store.ts'
import { latestOf, mergeDays, WAS_PAUSED } from './views.ts'

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
  const state = { ...continued(row, now), status, reason, nextRunAt: null }
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
  const checked = await checkSeries(tx, caller, latestOf(row).content, upcoming, {
    providers,
    now,
    seriesId: row.seriesId,
  })
  if (isRefusal(checked)) return refuseResume(checked)
  for (const { known: missed, at } of mergeDays(days, known, row, now)) {
    if (at > now || !['planned', 'waiting', 'missed'].includes(missed.status)) continue
    const reason = missed.reason ?? row.reason ?? WAS_PAUSED
    await storeOccurrence(tx, row, { ...missed, status: 'missed', reason })
  }
  const definitions = row.definitions.map((one) => ({ ...one, madeFrom: now.toISOString() }))
  const state: SeriesState = {
    ...continued(row, now),
    status: 'active',
    reason: null,
    definitions,
    postsBy: postsByOf(caller),
    nextRunAt: now,
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
