import { call } from '../../api/client.ts'
import { explainProblem } from '../../api/problem.ts'
import { readAnew } from '../../api/queries.ts'
import { instantsOf } from '../../lib/time.ts'
import { localOf } from '../../lib/zone-clock.ts'
import { announce } from '../../ui/toast.tsx'
import { shiftLocal } from '../calendar/grid.ts'
import { words } from './words.ts'

/** The same clock time, so many minutes of the zone's clock later; null where its clocks skip it. */
export function shiftInstant(instant: string, minutes: number, zone: string): string | null {
  const at = new Date(instant)
  const [found] = instantsOf(shiftLocal(localOf(at, zone), minutes), zone)
  return found === undefined ? null : new Date(found.getTime() + (at.getTime() % 60_000)).toISOString()
}

/** A channel of a post that was moved, under the token that this has left. */
export type MovedChannel = {
  readonly postId: string
  readonly channelId: string
  readonly displayName: string
  readonly controlToken: string
  /** The time that it had. */
  readonly from: string
}

/** Takes back what was moved on one channel, and says so. */
export async function moveBack(workspaceId: string, moved: MovedChannel): Promise<void> {
  const { postId, channelId, controlToken, displayName, from: publishAt } = moved
  let said = words.movedBack(displayName)
  try {
    await call(
      'appRescheduleDestination',
      { params: { workspaceId, postId }, body: { confirmed: true, channelId, controlToken, publishAt } },
      { idempotencyKey: crypto.randomUUID() },
    )
  } catch (error) {
    said = words.notMovedBack(`${displayName}: ${explainProblem(error).detail}`)
  }
  await readAnew()
  announce(said)
}
