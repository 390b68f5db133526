import type { Destination } from '@postrider/contract'
import { useCallback, useRef, useState } from 'react'
import { type AnswerOf, call } from '../../api/client.ts'
import { explainProblem } from '../../api/problem.ts'
import { queryClient } from '../../api/queries.ts'
import { listNames } from '../../lib/list-names.ts'
import { instantsOf, localOf, showMoment } from '../../lib/time.ts'
import { placeOf } from '../../lib/zones.ts'
import { useSession } from '../../session.tsx'
import { statusLooks } from '../../ui/status.tsx'
import { announce } from '../../ui/toast.tsx'
import type { Card } from './cards.ts'
import { shiftLocal } from './grid.ts'

/** A channel of a post that gets another time. */
type Step = {
  readonly channelId: string
  readonly displayName: string
  readonly controlToken: string
  readonly from: string
  readonly to: string
}
type Moved = { readonly done: readonly Step[]; readonly refused: readonly string[] }
type PostParams = { readonly workspaceId: string; readonly postId: string }

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
        else setFault(await carryOut(params, plan.steps, plan.left, zone, setFault))
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
  const { destinations } = post
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
      : [{ channelId, displayName, controlToken, from: publishAt, to }]
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

/** The same clock time, so many minutes of the zone's clock later; null where its clocks skip it. */
function shiftInstant(instant: string, minutes: number, zone: string): string | null {
  const at = new Date(instant)
  const [found] = instantsOf(shiftLocal(localOf(at, zone), minutes), zone)
  return found === undefined ? null : new Date(found.getTime() + (at.getTime() % 60_000)).toISOString()
}

/** Moves, says so with a way back, and tells what was not moved; null where all was. */
async function carryOut(
  params: PostParams,
  steps: readonly Step[],
  left: readonly string[],
  zone: string,
  onFault: (fault: string | null) => void,
): Promise<string | null> {
  const { done, refused } = await reschedule(params, steps)
  const [first] = done
  if (first !== undefined) {
    let isTaken = false
    const undo = () => {
      if (isTaken) return
      isTaken = true
      void takeBack(params, done, zone).then(onFault)
    }
    announce(`Moved to ${showMoment(first.to, zone)} in ${placeOf(zone)}${countOf(done)}.`, {
      label: 'Undo',
      run: undo,
    })
  }
  return notMoved([...left, ...refused])
}

async function takeBack(params: PostParams, done: readonly Step[], zone: string): Promise<string | null> {
  const back = done.map((step) => ({ ...step, from: step.to, to: step.from }))
  const { done: undone, refused } = await reschedule(params, back)
  await queryClient.invalidateQueries()
  const [first] = undone
  if (first !== undefined)
    announce(`Moved back to ${showMoment(first.to, zone)} in ${placeOf(zone)}${countOf(undone)}.`)
  return notMoved(refused)
}

/** One channel after the other, each under the token that it was read with; what is refused is told, and the others go on. */
async function reschedule(params: PostParams, steps: readonly Step[]): Promise<Moved> {
  const done: Step[] = []
  const refused: string[] = []
  for (const step of steps) {
    const { channelId, controlToken, displayName, to: publishAt } = step
    try {
      const answer = await call(
        'appRescheduleDestination',
        { params, body: { confirmed: true, channelId, controlToken, publishAt } },
        { idempotencyKey: crypto.randomUUID() },
      )
      done.push({ ...step, controlToken: answer.controlToken })
    } catch (error) {
      refused.push(`${displayName}: ${explainProblem(error).detail}`)
    }
  }
  return { done, refused }
}

function countOf(steps: readonly Step[]): string {
  return steps.length === 1 ? '' : `, on ${steps.length} channels`
}

function notMoved(names: readonly string[]): string | null {
  return names.length === 0 ? null : `Not moved: ${listNames(names)}.`
}
