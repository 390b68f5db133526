import { call } from '../../api/client.ts'
import { explainProblem } from '../../api/problem.ts'
import { readAnew } from '../../api/queries.ts'
import { instantsOf } from '../../lib/time.ts'
import { localOf } from '../../lib/zone-clock.ts'
import { announce } from '../../ui/toast.tsx'
import { shiftLocal } from '../calendar/grid.ts'
import { words } from './words.ts'

/** A channel of a post that gets another time. */
export type Step = {
  readonly postId: string
  readonly channelId: string
  readonly displayName: string
  readonly controlToken: string
  readonly from: string
  readonly to: string
}

export type Moved = { readonly done: readonly Step[]; readonly refused: readonly string[] }

/** The same clock time, so many minutes of the zone's clock later; null where its clocks skip it. */
export function shiftInstant(instant: string, minutes: number, zone: string): string | null {
  const at = new Date(instant)
  const [found] = instantsOf(shiftLocal(localOf(at, zone), minutes), zone)
  return found === undefined ? null : new Date(found.getTime() + (at.getTime() % 60_000)).toISOString()
}

/** One channel after the other, each under the token that it was read with; what is refused is told, and the others go on. */
export async function moveChannels(workspaceId: string, steps: readonly Step[]): Promise<Moved> {
  const done: Step[] = []
  const refused: string[] = []
  for (const step of steps) {
    const { postId, channelId, controlToken, displayName, to: publishAt } = step
    try {
      const answer = await call(
        'appRescheduleDestination',
        { params: { workspaceId, postId }, body: { confirmed: true, channelId, controlToken, publishAt } },
        { idempotencyKey: crypto.randomUUID() },
      )
      // A destination was asked for, and no post.
      done.push({ ...step, ...('controlToken' in answer ? { controlToken: answer.controlToken } : {}) })
    } catch (error) {
      refused.push(`${displayName}: ${explainProblem(error).detail}`)
    }
  }
  return { done, refused }
}

/** The way back of what was moved. */
export function backwards(steps: readonly Step[]): Step[] {
  return steps.map((step) => ({ ...step, from: step.to, to: step.from }))
}

/** Takes back what was moved, and says so. */
export async function moveBack(workspaceId: string, moved: readonly Step[]): Promise<void> {
  const { done, refused } = await moveChannels(workspaceId, backwards(moved))
  await readAnew()
  const rest = refused.length === 0 ? '' : ` ${words.notMovedBack(refused.join('; '))}`
  announce(words.movedBack(countOf(done), rest))
}

/** On how many channels of how many posts. */
export function countOf(steps: readonly Pick<Step, 'postId'>[]): string {
  return words.counted(new Set(steps.map(({ postId }) => postId)).size, steps.length)
}
