import type { Destination } from '@postrider/contract'
import { useCallback, useRef, useState } from 'react'
import { type AnswerOf, call } from '../../api/client.ts'
import { explainProblem } from '../../api/problem.ts'
import { readAnew } from '../../api/queries.ts'
import { listNames } from '../../lib/list-names.ts'
import { showMoment } from '../../lib/time.ts'
import { placeOf } from '../../lib/zones.ts'
import { useSession } from '../../session.tsx'
import { statusLooks } from '../../ui/status.tsx'
import { announce } from '../../ui/toast.tsx'
import { backwards, moveChannels, shiftInstant, type Step } from '../posts/move-channels.ts'
import type { Card } from './cards.ts'
import { words } from './words.ts'

/**
 * Moves all channels of a post by as much as its card was moved, at once and without a question: a message says what was done, and takes
 * it back. What somebody else moved since it was shown stays where it is. `fault` says what was not moved, and why.
 */
export function useMovePost() {
  const { workspaceId, timeZone: zone } = useSession().workspace
  const [fault, setFault] = useState<string | null>(null)
  /** The post whose card gets the focus again where it stands now. */
  const moved = useRef<string | null>(null)

  const move = useCallback(
    async (card: Card, minutes: number) => {
      const params = { workspaceId, postId: card.postId }
      setFault(null)
      moved.current = card.postId
      try {
        const post = await call('appReadPost', { params })
        const plan = planMove(post, card, minutes, zone)
        if (typeof plan === 'string') setFault(plan)
        else setFault(await carryOut(workspaceId, plan.steps, plan.left, zone, setFault))
      } catch (error) {
        setFault(words.nothingMoved(explainProblem(error).detail))
      }
      await readAnew()
    },
    [workspaceId, zone],
  )
  return { move, fault, moved, clear: () => setFault(null) }
}

type Plan = { readonly steps: readonly Step[]; readonly left: readonly string[] }

/** What is to be done; as a sentence why nothing can be. */
function planMove(post: AnswerOf<'appReadPost'>, card: Card, minutes: number, zone: string): Plan | string {
  const { destinations, postId } = post
  const shown = new Map(card.entries.map(({ channelId, publishAt }) => [channelId, publishAt]))
  const changed = destinations.find(
    ({ channelId, publishAt }) => shown.has(channelId) && shown.get(channelId) !== publishAt,
  )
  if (changed !== undefined) return movedMeanwhile(changed, zone)
  const movable = destinations.filter(({ allowedActions }) => allowedActions.reschedule.allowed)
  if (movable.length === 0) return words.noneScheduled
  const steps = movable.flatMap(({ channelId, displayName, controlToken, publishAt }) => {
    const to = publishAt === null ? null : shiftInstant(publishAt, minutes, zone)
    return publishAt === null || to === null
      ? []
      : [{ postId, channelId, displayName, controlToken, from: publishAt, to }]
  })
  if (steps.length < movable.length) return words.noSuchTime(placeOf(zone))
  if (steps.some(({ to }) => Date.parse(to) <= Date.now())) return words.inThePast
  const left = destinations.filter(
    ({ status, allowedActions }) => status !== 'cancelled' && !allowedActions.reschedule.allowed,
  )
  return {
    steps,
    left: left.map(({ displayName, status }) => `${displayName} (${statusLooks[status].label})`),
  }
}

function movedMeanwhile({ latestChange, publishAt }: Destination, zone: string): string {
  const who = latestChange?.by.name ?? words.someone
  const where = publishAt === null ? words.hasNoTime : words.isAt(showMoment(publishAt, zone))
  return words.movedMeanwhile(who, where)
}

/** Moves, says so with a way back, and tells what was not moved; null where all was. */
async function carryOut(
  workspaceId: string,
  steps: readonly Step[],
  left: readonly string[],
  zone: string,
  onFault: (fault: string | null) => void,
): Promise<string | null> {
  const { done, refused } = await moveChannels(workspaceId, steps)
  const [first] = done
  if (first !== undefined) {
    let isTaken = false
    const undo = () => {
      if (isTaken) return
      isTaken = true
      void takeBack(workspaceId, done, zone).then(onFault)
    }
    announce(words.moved(showMoment(first.to, zone), placeOf(zone), countOf(done)), {
      label: words.undo,
      run: undo,
    })
  }
  return notMoved([...left, ...refused])
}

async function takeBack(workspaceId: string, done: readonly Step[], zone: string): Promise<string | null> {
  const { done: undone, refused } = await moveChannels(workspaceId, backwards(done))
  await readAnew()
  const [first] = undone
  if (first !== undefined)
    announce(words.movedBack(showMoment(first.to, zone), placeOf(zone), countOf(undone)))
  return notMoved(refused)
}

function countOf(steps: readonly Step[]): string {
  return steps.length === 1 ? '' : words.onChannels(steps.length)
}

function notMoved(names: readonly string[]): string | null {
  return names.length === 0 ? null : words.notMoved(listNames(names))
}
