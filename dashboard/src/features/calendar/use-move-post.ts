import type { Destination } from '@postrider/contract'
import { useCallback, useRef, useState } from 'react'
import { type AnswerOf, call } from '../../api/client.ts'
import { explainProblem } from '../../api/problem.ts'
import { readAnew } from '../../api/queries.ts'
import { untilOf } from '../../api/write-limit.ts'
import { listNames } from '../../lib/list-names.ts'
import { showMoment } from '../../lib/time.ts'
import { placeOf } from '../../lib/zones.ts'
import { useSession } from '../../session.tsx'
import { statusLooks } from '../../ui/status.tsx'
import { announce } from '../../ui/toast.tsx'
import { shiftInstant } from '../posts/move-channels.ts'
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
      const until = untilOf()
      try {
        const post = await call('appReadPost', { params })
        const plan = planMove(post, card, minutes, zone)
        if (typeof plan === 'string') setFault(plan)
        else
          setFault(
            await carryOut(
              { workspaceId, postId: post.postId, zone, onFault: setFault },
              { editToken: post.editToken, until },
              plan,
            ),
          )
      } catch (error) {
        setFault(words.nothingMoved(explainProblem(error).detail))
      }
      await readAnew()
    },
    [workspaceId, zone],
  )
  return { move, fault, moved, clear: () => setFault(null) }
}

type Times = readonly { readonly channelId: string; readonly publishAt: string }[]

type Plan = {
  /** The time that each channel gets, and the one that it has. */
  readonly to: Times
  readonly from: Times
  readonly left: readonly string[]
}

/** What is to be done; as a sentence why nothing can be. */
function planMove(post: AnswerOf<'appReadPost'>, card: Card, minutes: number, zone: string): Plan | string {
  const { destinations } = post
  const shown = new Map(card.entries.map(({ channelId, publishAt }) => [channelId, publishAt]))
  const changed = destinations.find(
    ({ channelId, publishAt }) => shown.has(channelId) && shown.get(channelId) !== publishAt,
  )
  if (changed !== undefined) return movedMeanwhile(changed, zone)
  const movable = destinations.filter(({ allowedActions }) => allowedActions.reschedule.allowed)
  if (movable.length === 0) return words.noneScheduled
  const from = movable.flatMap(({ channelId, publishAt }) =>
    publishAt === null ? [] : [{ channelId, publishAt }],
  )
  const to = from.flatMap(({ channelId, publishAt: had }) => {
    const publishAt = shiftInstant(had, minutes, zone)
    return publishAt === null ? [] : [{ channelId, publishAt }]
  })
  if (to.length < movable.length) return words.noSuchTime(placeOf(zone))
  if (to.some(({ publishAt }) => Date.parse(publishAt) <= Date.now())) return words.inThePast
  const left = destinations.filter(
    ({ status, allowedActions }) => status !== 'cancelled' && !allowedActions.reschedule.allowed,
  )
  return {
    to,
    from,
    left: left.map(({ displayName, status }) => `${displayName} (${statusLooks[status].label})`),
  }
}

function movedMeanwhile({ latestChange, publishAt }: Destination, zone: string): string {
  const who = latestChange?.by.name ?? words.someone
  const where = publishAt === null ? words.hasNoTime : words.isAt(showMoment(publishAt, zone))
  return words.movedMeanwhile(who, where)
}

type Moving = {
  readonly workspaceId: string
  readonly postId: string
  readonly zone: string
  readonly onFault: (fault: string | null) => void
}

/** The version of the post that is moved, and until when its click is good for that. */
type By = { readonly editToken: string; readonly until: number }

/** Moves all channels by one command or none, says so with a way back, and tells what was not to be moved; null for nothing. */
async function carryOut(moving: Moving, by: By, { to, from, left }: Plan): Promise<string | null> {
  const { zone, onFault } = moving
  const moved = await moveTo(moving, by, to)
  let isTaken = false
  const undo = () => {
    if (isTaken) return
    isTaken = true
    void takeBack(moving, { editToken: moved.editToken, until: untilOf() }, from).then(onFault)
  }
  announce(words.moved(timeOf(to, zone), placeOf(zone), countOf(to)), { label: words.undo, run: undo })
  return left.length === 0 ? null : words.notMoved(listNames(left))
}

function moveTo({ workspaceId, postId }: Moving, { editToken, until }: By, times: Times) {
  const body = { confirmed: true as const, editToken, times: [...times] }
  const options = { idempotencyKey: crypto.randomUUID(), until }
  return call('movePost', { params: { workspaceId, postId }, body }, options)
}

async function takeBack(moving: Moving, by: By, from: Times): Promise<string | null> {
  const { zone } = moving
  let fault: string | null = null
  try {
    await moveTo(moving, by, from)
    announce(words.movedBack(timeOf(from, zone), placeOf(zone), countOf(from)))
  } catch (error) {
    fault = words.nothingMoved(explainProblem(error).detail)
  }
  await readAnew()
  return fault
}

const timeOf = ([first]: Times, zone: string) =>
  first === undefined ? '' : showMoment(first.publishAt, zone)

const countOf = (times: Times) => (times.length === 1 ? '' : words.onChannels(times.length))
