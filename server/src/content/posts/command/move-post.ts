import type { Answer, app, Input, RefusalCode } from '@postrider/contract'
import type { Actor } from '../../../edge/operations/actor.ts'
import type { Refusal } from '../../../edge/operations/refusal.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { parseInstant } from '../../../platform/text/instant.ts'
import { offsetAt, shownAt } from '../../../platform/text/time-zone.ts'
import type { PostKey } from '../read-post.ts'
import { refuseShape } from '../plan/refuse-plan.ts'
import { movePlanned, type NewTimes } from './reschedule-post.ts'
import type { ViewOptions } from '../views.ts'

type Operation = typeof app.movePost

/** Gives channels of a post other times, each its own: all of them, or none. */
export async function movePost(
  tx: Tx,
  key: PostKey,
  { editToken, times }: Omit<Input<Operation>['body'], 'confirmed'>,
  actor: Actor,
  options: ViewOptions,
): Promise<Answer<Operation> | Refusal<RefusalCode<Operation>>> {
  const timeOf = new Map<string, Date>()
  for (const [place, { channelId, publishAt }] of times.entries()) {
    const pointer = `/times/${place}`
    const at = parseInstant(publishAt)
    if (at === null)
      return refuseShape([{ pointer: `${pointer}/publishAt`, code: 'malformed', detail: NO_TIME }])
    if (timeOf.has(channelId))
      return refuseShape([{ pointer: `${pointer}/channelId`, code: 'duplicate', detail: TWICE }])
    timeOf.set(channelId, at)
  }
  return moveTo(tx, key, { editToken, timeOf }, actor, options)
}

const NO_TIME = '`publishAt` is not a date-time that exists.'
const TWICE = 'The channel is listed twice.'

/** The same with the times by channel. */
export function moveTo(
  tx: Tx,
  key: PostKey,
  { editToken, timeOf }: { editToken: string; timeOf: ReadonlyMap<string, Date> },
  actor: Actor,
  options: ViewOptions,
) {
  const newTimes: NewTimes = async (_tx, _workspaceId, destinations) =>
    destinations.map(({ channelId }) => {
      const at = timeOf.get(channelId)
      if (at === undefined) throw new Error('a destination was to be moved that no time was given for')
      return { at, queued: false }
    })
  return movePlanned(
    tx,
    key,
    { verb: 'reschedule', editToken, newTimes, channelIds: [...timeOf.keys()] },
    actor,
    options,
  )
}

/** Moves all that is scheduled of a post by minutes of the clock of a zone, named canonically. */
export function movePostByClock(
  tx: Tx,
  key: PostKey,
  { editToken, minutes, timeZone }: { editToken: string; minutes: number; timeZone: string },
  actor: Actor,
  options: ViewOptions,
) {
  const newTimes: NewTimes = async (_tx, _workspaceId, destinations) =>
    destinations.map(({ publishAt }) => {
      if (publishAt === null) throw new Error('a destination without a time was to be moved by some')
      const at = Date.parse(publishAt)
      return { at: shownAt(at + offsetAt(at, timeZone) + minutes * 60_000, timeZone), queued: false }
    })
  return movePlanned(tx, key, { verb: 'reschedule', editToken, newTimes }, actor, options)
}
