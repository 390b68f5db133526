import type { Destination } from '@postrider/contract'
import { useCallback, useRef, useState } from 'react'
import { type AnswerOf, call } from '../../api/client.ts'
import { explainProblem } from '../../api/problem.ts'
import { queryClient } from '../../api/queries.ts'
import { listNames } from '../../lib/list-names.ts'
import { showMoment } from '../../lib/time.ts'
import { placeOf } from '../../lib/zones.ts'
import { useSession } from '../../session.tsx'
import { statusLooks } from '../../ui/status.tsx'
import { announce } from '../../ui/toast.tsx'
import { backwards, moveChannels, shiftInstant, type Step } from '../posts/move-channels.ts'
import type { Card } from './cards.ts'

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
        setFault(`Nothing was moved. ${explainProblem(error).detail}`)
      }
      await queryClient.invalidateQueries()
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
  if (movable.length === 0) return 'Nothing was moved: none of the channels of this post is still scheduled.'
  const steps = movable.flatMap(({ channelId, displayName, controlToken, publishAt }) => {
    const to = publishAt === null ? null : shiftInstant(publishAt, minutes, zone)
    return publishAt === null || to === null
      ? []
      : [{ postId, channelId, displayName, controlToken, from: publishAt, to }]
  })
  if (steps.length < movable.length)
    return `Nothing was moved: clocks in ${placeOf(zone)} are put forward then, so that this time does not exist.`
  if (steps.some(({ to }) => Date.parse(to) <= Date.now()))
    return 'Nothing was moved: that time is in the past.'
  const left = destinations.filter(
    ({ status, allowedActions }) => status !== 'cancelled' && !allowedActions.reschedule.allowed,
  )
  return {
    steps,
    left: left.map(({ displayName, status }) => `${displayName} (${statusLooks[status].label})`),
  }
}

function movedMeanwhile({ latestChange, publishAt }: Destination, zone: string): string {
  const who = latestChange?.by.name ?? 'Someone else'
  const where = publishAt === null ? 'has no time' : `is at ${showMoment(publishAt, zone)}`
  return `${who} moved this post meanwhile: it ${where} now. Nothing was moved by you.`
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
    announce(`Moved to ${showMoment(first.to, zone)} in ${placeOf(zone)}${countOf(done)}.`, {
      label: 'Undo',
      run: undo,
    })
  }
  return notMoved([...left, ...refused])
}

async function takeBack(workspaceId: string, done: readonly Step[], zone: string): Promise<string | null> {
  const { done: undone, refused } = await moveChannels(workspaceId, backwards(done))
  await queryClient.invalidateQueries()
  const [first] = undone
  if (first !== undefined)
    announce(`Moved back to ${showMoment(first.to, zone)} in ${placeOf(zone)}${countOf(undone)}.`)
  return notMoved(refused)
}

function countOf(steps: readonly Step[]): string {
  return steps.length === 1 ? '' : `, on ${steps.length} channels`
}

function notMoved(names: readonly string[]): string | null {
  return names.length === 0 ? null : `Not moved: ${listNames(names)}.`
}
