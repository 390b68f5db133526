import { setTimeout as delay } from 'node:timers/promises'
import { batched } from '../platform/batch.ts'
import type { Db } from '../platform/db.ts'
import { repeatedly, settledWithin } from '../platform/repeatedly.ts'
import {
  abandonDisabled,
  claim,
  complete,
  nextDueInMs,
  release,
  takeBackLost,
  type Claimed,
  type Completed,
  type Completion,
  type SwitchOff,
} from './delivery-store.ts'
import { webhooksChannel } from './endpoint-store.ts'
import { sendDelivery, type Sending } from './send-delivery.ts'
import { roomIn, type UnderWay } from './slots.ts'

export type DispatcherOptions = {
  readonly db: Db
  readonly sending: Sending
  /** How many quick deliveries may be under way at once. */
  readonly slots: number
  /** Longer than the longest call: a lease is not renewed. */
  readonly leaseMs: number
  /** How often lost deliveries are looked for. */
  readonly sweepEveryMs: number
  readonly switchOff: SwitchOff
  readonly onAttempt: (claimed: Claimed, completion: Completion, stored: Completed['stored']) => void
  /** An endpoint was switched off because it kept failing: its owner has to be told. */
  readonly onSwitchedOff: (endpoint: { workspaceId: string; endpointId: string }) => void
  /** A fault of ours: told and counted; the work comes back when its lease is over. */
  readonly onFault: (fault: unknown, doing: string) => void
}

export type Dispatcher = {
  /** Looks for due deliveries now instead of at the next wake-up. */
  wake(): void
  /** What is under way, for the measurements. */
  readonly underWay: () => UnderWay
  /** Begins no new delivery and lets those under way end; after `withinMs` it leaves them to their lease. */
  stop(withinMs: number): Promise<void>
}

type InHand = { readonly claimed: Claimed; readonly slow: boolean; readonly begunMs: number }

/** A wake-up that got lost costs at most this much delay. */
const sleepAtMostMs = 5_000
/** How often a dispatcher that waits for room, or for others, looks what has become of it. */
const lookAgainMs = 100
const overdueAfterMs = 1_000
const claimAtOnce = 256
const lostAtOnce = 500
const completeAtOnce = 200
/** How many deliveries may be under way to one endpoint, and to one that is known to be quick while there is room. */
const perEndpoint = 2
const perQuickEndpoint = 16
const knownAtMost = 1_000
/** While much is under way, ends gather for this long, so that a claim finds more than one free place. */
const gatherMs = 4
const gatherFrom = 32
const slowEveryMs = 50
const storeAgainAfterMs = 250

/**
 * Sends due deliveries until it is stopped. It sleeps until the next one is due or a writer wakes it, claims in turns
 * over the endpoints, and claims again whenever a place is free. Any number of dispatchers may run on one database.
 */
export async function startDispatcher(options: DispatcherOptions): Promise<Dispatcher> {
  const { db, slots, leaseMs, onFault } = options
  const stopping = new AbortController()
  const inHand = new Map<Promise<void>, InHand>()
  /** Endpoints whose last answer was a quick success. */
  const knownQuick = new Set<string>()
  const turn = { quick: firstId, slow: firstId }
  const completeAll = (completions: Completion[]) => complete(db, completions, options.switchOff)
  const [storeEven, storeOdd] = [batched(completeAll, completeAtOnce), batched(completeAll, completeAtOnce)]
  let alarm: NodeJS.Timeout | undefined
  let claiming: Promise<void> | null = null
  let again = false
  let slowClaimedMs = -Infinity

  function wake(): void {
    again = true
    if (!stopping.signal.aborted) claiming ??= claimWhileDue().finally(rest)
  }

  /** A wake-up that came in while the next alarm was looked up counts, too. */
  function rest(): void {
    claiming = null
    if (again) wake()
  }

  async function claimWhileDue(): Promise<void> {
    try {
      let claimed = 0
      let looksAtSlow = false
      do {
        again = false
        looksAtSlow = slowClaimIsDue()
        const room = roomIn(slots, underWay(inHand))
        const [quick, slow] = await Promise.all([
          claimLane('quick', room.quick, room.atEase ? [...knownQuick] : []),
          looksAtSlow ? claimLane('slow', room.slow, []) : 0,
        ])
        claimed = quick + slow
        if (inHand.size > gatherFrom) await delay(gatherMs)
      } while ((again || claimed > 0) && !stopping.signal.aborted)
      if (!looksAtSlow) setAlarm(slowEveryMs)
      else setAlarm(inHand.size > 0 ? lookAgainMs : await sleepMs())
    } catch (fault) {
      onFault(fault, 'claim')
      again = false
      setAlarm(storeAgainAfterMs)
    }
  }

  /** What is due and was not claimed became due since then, or waits for what others have under way. */
  async function sleepMs(): Promise<number> {
    const dueInMs = (await nextDueInMs(db)) ?? sleepAtMostMs
    return dueInMs > 0 ? dueInMs : lookAgainMs
  }

  /** A claim looks at every endpoint with something pending, and for the slow lane it seldom finds anything. */
  function slowClaimIsDue(): boolean {
    const nowMs = performance.now()
    if (nowMs - slowClaimedMs < slowEveryMs) return false
    slowClaimedMs = nowMs
    return true
  }

  async function claimLane(
    lane: 'quick' | 'slow',
    room: number,
    quickIds: readonly string[],
  ): Promise<number> {
    const limit = Math.min(room, claimAtOnce)
    if (limit === 0) return 0
    const except = lane === 'quick' ? overdueEndpoints(inHand) : []
    const claims = await claim(db, {
      limit,
      perEndpoint: lane === 'slow' ? 1 : perEndpoint,
      favoured: { endpointIds: quickIds, perEndpoint: perQuickEndpoint },
      failing: lane === 'slow',
      after: turn[lane],
      except,
      leaseMs,
    })
    if (stopping.signal.aborted) {
      await release(db, claims)
      return 0
    }
    for (const claimed of claims) take(claimed, lane === 'slow')
    turn[lane] = claims.at(-1)?.endpointId ?? turn[lane]
    return claims.length
  }

  function take(claimed: Claimed, slow: boolean): void {
    const task = deliver(claimed)
      .catch((fault: unknown) => onFault(fault, 'deliver'))
      .finally(() => {
        inHand.delete(task)
        wake()
      })
    inHand.set(task, { claimed, slow, begunMs: performance.now() })
  }

  async function deliver(claimed: Claimed): Promise<void> {
    const completion = await sendDelivery(options.sending, claimed)
    note(completion)
    const { stored, switchedOff } = await untilStored(completion)
    options.onAttempt(claimed, completion, stored)
    if (switchedOff) options.onSwitchedOff(claimed)
  }

  function note({ endpointId, decision, durationMs }: Completion): void {
    if (decision.move !== 'confirm' || durationMs > overdueAfterMs) knownQuick.delete(endpointId)
    else if (knownQuick.size < knownAtMost) knownQuick.add(endpointId)
  }

  /** Ends at one endpoint are written one batch after the other, so that they do not wait for each other over its row. */
  function store(completion: Completion): Promise<Completed> {
    return (Number.parseInt(completion.endpointId.slice(-2), 16) % 2 === 0 ? storeEven : storeOdd)(completion)
  }

  /** Tries for as long as the lease holds: after that somebody else owns the delivery, and sends it again. */
  async function untilStored(completion: Completion): Promise<Completed> {
    const until = performance.now() + leaseMs
    for (;;) {
      try {
        return await store(completion)
      } catch (fault) {
        if (performance.now() > until) throw fault
        await delay(storeAgainAfterMs)
      }
    }
  }

  function setAlarm(ms: number): void {
    clearTimeout(alarm)
    if (!stopping.signal.aborted) alarm = setTimeout(wake, Math.min(Math.ceil(ms), sleepAtMostMs))
  }

  async function sweep(): Promise<void> {
    while ((await takeBackLost(db, lostAtOnce)) === lostAtOnce);
    await abandonDisabled(db)
    wake()
  }

  const sweeper = repeatedly(sweep, options.sweepEveryMs, (fault) => onFault(fault, 'sweep'))
  const { unlisten } = await db.listen(webhooksChannel, wake, wake)
  wake()

  return {
    wake,
    underWay: () => underWay(inHand),
    async stop(withinMs) {
      stopping.abort()
      clearTimeout(alarm)
      await settledWithin(withinMs, async () => {
        await unlisten()
        await claiming
        await Promise.all(inHand.keys())
        await sweeper.stop()
      })
    },
  }
}

const firstId = '00000000-0000-0000-0000-000000000000'

function isOverdue({ slow, begunMs }: InHand): boolean {
  return !slow && performance.now() - begunMs > overdueAfterMs
}

function underWay(inHand: ReadonlyMap<unknown, InHand>): UnderWay {
  const all = [...inHand.values()]
  const slow = all.filter((each) => each.slow).length
  const overdue = all.filter(isOverdue).length
  return { quick: all.length - slow - overdue, overdue, slow }
}

function overdueEndpoints(inHand: ReadonlyMap<unknown, InHand>): string[] {
  return [...new Set([...inHand.values()].filter(isOverdue).map(({ claimed }) => claimed.endpointId))]
}
