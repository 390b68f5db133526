import { EVENTS_CHANNEL } from '../outbox/outbox-store.ts'
import { activityNotes } from '../../platform/postgres/activity-store.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { startDueLoop } from '../../platform/loops/due-loop.ts'
import { runPeriodically, settledWithin } from '../../platform/loops/run-periodically.ts'
import { autoReplay } from './auto-replay.ts'
import type { Replayed } from './auto-replay-store.ts'
import { inSpan, noteOnSpan } from '../../platform/process/tracing.ts'
import { claimLanes } from './claim-lanes.ts'
import {
  abandonDisabled,
  requeueLost,
  type Claimed,
  type Completed,
  type Completion,
  type DisablePolicy,
} from './delivery-store.ts'
import { disableWithoutRight } from './lost-right-store.ts'
import { WEBHOOKS_CHANNEL } from './endpoint-store.ts'
import { type Delivery, rememberQuickEndpoints, trackDeliveries, type Lane } from './in-flight.ts'
import { sendDelivery, type Sending } from './send-delivery.ts'
import type { InFlight } from './slots.ts'
import { openCompletions } from './store-completion.ts'

/** What a dispatcher does, by the names that its faults are counted under. */
export const webhookTasks = ['claim', 'deliver', 'requeue', 'abandon', 'replay', 'open secrets'] as const
export type WebhookTask = (typeof webhookTasks)[number]

export type DispatcherOptions = {
  readonly db: Db
  readonly sending: Sending
  /** How many quick deliveries may be in flight at once. */
  readonly slots: number
  /** Longer than the longest call: a lease is not renewed. */
  readonly leaseMs: number
  /** How often it looks for what was lost, what is to be given up, and what is to be replayed. */
  readonly sweepEveryMs: number
  readonly disablePolicy: DisablePolicy
  readonly onAttempt: (claimed: Claimed, completion: Completion, stored: Completed['stored']) => void
  /** An endpoint was disabled because it kept failing: its owner has to be notified. */
  readonly onDisabled: (endpoint: { workspaceId: string; endpointId: string }) => void
  /** Failed deliveries are sent again, since the endpoint answers again. */
  readonly onAutoReplay: (replayed: Replayed) => void
  /** An error of ours: reported and counted; the work comes back when its lease is over. */
  readonly onFault: (fault: unknown, doing: WebhookTask) => void
}

export type Dispatcher = {
  /** Looks for due deliveries now instead of at the next wake-up. */
  wake(): void
  /** What is in flight, for the metrics. */
  readonly inFlight: () => InFlight
  /** Begins no new delivery and lets those in flight end; after `withinMs` it leaves them to their lease. */
  stop(withinMs: number): Promise<void>
}

/** The longest delay that a lost notification causes. */
const MAX_WAIT_MS = 5_000
const RETRY_AFTER_MS = 250
const SWEEP_BATCH_SIZE = 500

/**
 * Sends due deliveries until it is stopped. It waits until the next one is due or a writer notifies it, claims in turns
 * over the endpoints, and claims again whenever a place is free. Any number of dispatchers may run on one database.
 * It subscribes before it begins anything: where that is refused, nothing is left running.
 */
export async function startDispatcher(options: DispatcherOptions): Promise<Dispatcher> {
  const { db, slots, leaseMs, onFault } = options
  await using starting = new AsyncDisposableStack()
  // The first claim, which comes later, sees what is notified until then.
  let onNotify = (): void => undefined
  const wake = () => onNotify()
  for (const channel of [EVENTS_CHANNEL, WEBHOOKS_CHANNEL]) {
    const { unlisten } = await db.listen(channel, wake, wake)
    starting.defer(unlisten)
  }

  const stopping = new AbortController()
  const inFlight = trackDeliveries()
  const quickEndpoints = rememberQuickEndpoints()
  const store = openCompletions(db, { policy: options.disablePolicy, leaseMs })

  async function start(claimed: Claimed, lane: Lane): Promise<void> {
    const delivery = { endpointId: claimed.endpointId, lane }
    inFlight.begun(delivery)
    try {
      await inSpan('deliver', { attributes: attributesOf(claimed) }, () => deliver(claimed, delivery))
    } catch (fault) {
      onFault(fault, 'deliver')
    } finally {
      inFlight.ended(delivery)
      loop.wake()
    }
  }

  async function deliver(claimed: Claimed, delivery: Delivery): Promise<void> {
    const completion = await sendDelivery(options.sending, claimed)
    inFlight.answered(delivery)
    const { endpointId, decision, durationMs } = completion
    quickEndpoints.note(endpointId, { succeeded: decision.move === 'confirm', durationMs })
    noteOnSpan({ 'postrider.move': decision.move, 'postrider.error': decision.error ?? 'none' })
    const { stored, disabled } = await inSpan('settle', {}, () => store(completion))
    options.onAttempt(claimed, completion, stored)
    if (disabled) options.onDisabled(claimed)
  }

  async function inBatches(act: (db: Db, limit: number) => Promise<number>): Promise<number> {
    let total = 0
    let count = SWEEP_BATCH_SIZE
    while (!stopping.signal.aborted && count === SWEEP_BATCH_SIZE) {
      count = await act(db, SWEEP_BATCH_SIZE)
      total += count
    }
    return total
  }

  async function requeue(): Promise<void> {
    if ((await inBatches(requeueLost)) > 0) loop.wake()
  }

  async function abandon(): Promise<void> {
    await inBatches(disableWithoutRight)
    await inBatches(abandonDisabled)
  }

  async function replay(): Promise<void> {
    const all = await autoReplay(db)
    for (const replayed of all) options.onAutoReplay(replayed)
    if (all.length > 0) loop.wake()
  }

  /** Each in a loop of its own, so that one that fails, or has much to do, holds up no other. */
  function sweepWith(task: () => Promise<void>, doing: WebhookTask) {
    return runPeriodically(task, options.sweepEveryMs, (fault) => onFault(fault, doing))
  }

  const claimNext = claimLanes({
    db,
    slots,
    leaseMs,
    inFlight,
    quickEndpoints,
    start,
    stopping: stopping.signal,
  })
  const noteClaim = activityNotes(db, 'webhooks')
  const loop = startDueLoop({
    async claim() {
      const nextInMs = await claimNext()
      await noteClaim()
      return nextInMs
    },
    maxWaitMs: MAX_WAIT_MS,
    retryAfterMs: RETRY_AFTER_MS,
    onError: (fault) => onFault(fault, 'claim'),
  })
  const sweepers = [sweepWith(requeue, 'requeue'), sweepWith(abandon, 'abandon'), sweepWith(replay, 'replay')]
  onNotify = loop.wake
  const subscriptions = starting.move()

  return {
    wake: loop.wake,
    inFlight: inFlight.counts,
    async stop(withinMs) {
      stopping.abort()
      await settledWithin(withinMs, async () => {
        await subscriptions.disposeAsync()
        await loop.stop()
        await inFlight.settled()
        await Promise.all(sweepers.map((each) => each.stop()))
      })
    },
  }
}

function attributesOf({ workspaceId, endpointId, eventId, eventType, attempt }: Claimed) {
  return {
    'postrider.workspace_id': workspaceId,
    'postrider.endpoint_id': endpointId,
    'postrider.event_id': eventId,
    'postrider.event_type': eventType,
    'postrider.attempt': attempt,
  }
}
