import type { Answer, Input, RefusalCode, skipOccurrence as skip } from '@postrider/contract'
import { actorOf } from '../../edge/operations/actor.ts'
import { isRefusal, type Refusal, refuse } from '../../edge/operations/refusal.ts'
import type { Caller } from '../../edge/operations/route.ts'
import type { Tx } from '../../platform/postgres/db.ts'
import { continued, findDay, finish, lockToChange, type WriteOptions } from './change-series.ts'
import { type Effect, withdrawMade } from './made-posts.ts'
import { planAgain, type SeriesKey, storeOccurrence } from './series-store.ts'
import { timeOf } from './views.ts'

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
  const occurrence = await findDay(tx, row, date, '/date')
  if (isRefusal(occurrence)) return occurrence
  const { day, known } = occurrence
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
      date,
      status: 'skipped',
      publishAt: null,
      postId: null,
      editToken: null,
      reason: null,
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
