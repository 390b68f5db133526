import type { Answer, createSeries as create, Input, RefusalCode } from '@postrider/contract'
import { newToken } from '../../engine/destinations/tokens.ts'
import { isRefusal, type Refusal } from '../../edge/operations/refusal.ts'
import type { Caller } from '../../edge/operations/route.ts'
import type { Tx } from '../../platform/postgres/db.ts'
import { uuidv7 } from '../../platform/text/uuid.ts'
import { contentOf, issuesOf, postsByOf, readNow, upcomingOf, type WriteOptions } from './change-series.ts'
import { checkSeries, type Upcoming } from './check-series.ts'
import { dayOf, daysOf, type Definition, readTimes, refuseOver } from './definition.ts'
import { AHEAD_MS } from './make-occurrences.ts'
import { insertSeries, type SeriesState } from './series-store.ts'
import { viewSeries } from './views.ts'

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
    from: dayOf(times.startsAt.local),
    madeFrom: now.toISOString(),
    content: contentOf(body),
  }
  const upcoming = upcomingOf(await daysOf([definition]), [], now)
  if (upcoming === null) return refuseOver()
  const checked = await checkSeries(tx, caller, definition.content, upcoming, {
    providers,
    now,
    seriesId: null,
  })
  if (isRefusal(checked)) return checked
  const key = { workspaceId: caller.workspaceId, seriesId: uuidv7() }
  const state: SeriesState = {
    status: 'active',
    reason: null,
    definitions: [definition],
    editToken: newToken(),
    postsBy: postsByOf(caller),
    nextRunAt: firstRunAt(upcoming, now),
  }
  await insertSeries(tx, key, state, now)
  const row = { ...key, ...state, latestChange: null, createdAt: now, updatedAt: now }
  return { ...(await viewSeries(tx, row, { now })), issues: issuesOf(checked) }
}

/** When its first post is to be made. */
function firstRunAt({ first }: Upcoming, now: Date): Date {
  return new Date(Math.max(first.getTime() - AHEAD_MS, now.getTime()))
}
