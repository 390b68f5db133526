import { DUE_CHANNEL } from '../destinations/destination-store.ts'
import { resumeConnected } from '../destinations/resume-channel.ts'
import type { Db } from '../platform/db.ts'
import { startDueLoop } from '../platform/due-loop.ts'
import { runPeriodically, settledWithin } from '../platform/run-periodically.ts'
import type { Lease, Work } from './engine-port.ts'
import type { Engine } from './engine.ts'
import { publishWork } from './publish-destination.ts'
import { resolveDoubt } from './resolve-doubt.ts'
import { beat, nextDueInMs, signOff, type WorkerIdentity } from './worker-store.ts'

export type PublisherOptions = {
  readonly db: Db
  readonly worker: WorkerIdentity
  readonly engine: Omit<Engine, 'stopping'>
  readonly leaseMs: number
  /** How many destinations are published at the same time. */
  readonly concurrency: number
  /** How often leases are renewed, and lost, expired and doubtful work is looked for. */
  readonly sweepEveryMs: number
  readonly onClaim: (work: Work) => void
  /** A fault of ours: told and counted; the work comes back when its lease is over. */
  readonly onFault: (fault: unknown, doing: string) => void
}

export type Publisher = {
  /** Looks for due work now instead of at the next wake-up. */
  readonly wake: () => void
  /** How many destinations it is publishing now. */
  readonly inHand: () => number
  /**
   * Begins no new call, lets calls under way end, hands the rest back. After `withinMs` it leaves what
   * is still under way to its lease.
   */
  readonly stop: (withinMs: number) => Promise<void>
}

/** What a notification that got lost costs at most. */
const longestWaitMs = 15_000
const retryAfterMs = 1_000
const doubtsAtOnce = 16
const orphansAtOnce = 64
const expiredAtOnce = 500

/**
 * Publishes due destinations until it is stopped. It waits until the next one is due or a writer notifies it,
 * claims no more than it can hold, and claims again whenever a place is free.
 */
export async function startPublisher(options: PublisherOptions): Promise<Publisher> {
  const { db, worker, leaseMs, concurrency, onFault } = options
  const stopping = new AbortController()
  const engine: Engine = { ...options.engine, stopping: stopping.signal }
  const inHand = new Map<Promise<void>, Lease>()

  /** When something is due next is asked before claiming, so that nothing can become due unseen between the two. */
  async function claimDue(): Promise<number | null> {
    const askedAt = engine.clock()
    const dueInMs = await nextDueInMs(db)
    while (inHand.size < concurrency && !stopping.signal.aborted) {
      const claimed = await engine.store.claim(concurrency - inHand.size)
      if (claimed.length === 0) break
      for (const work of claimed) take(work)
    }
    return dueInMs === null ? null : dueInMs - (engine.clock() - askedAt)
  }

  function take(work: Work): void {
    options.onClaim(work)
    const task = publishWork(engine, work)
      .catch((fault: unknown) => onFault(fault, 'publish'))
      .finally(() => {
        inHand.delete(task)
        loop.wake()
      })
    inHand.set(task, work)
  }

  async function sweep(): Promise<void> {
    await beat(db, worker, [...inHand.values()], leaseMs)
    if (stopping.signal.aborted) return
    for (const orphan of await engine.store.claimOrphans(orphansAtOnce)) take(orphan)
    while ((await engine.store.expire(expiredAtOnce)) === expiredAtOnce);
    const askedAt = engine.clock()
    await resumeConnected(db)
    const doubts = await engine.store.claimDoubts(doubtsAtOnce)
    await Promise.all(
      doubts.map((doubt) =>
        resolveDoubt(engine, doubt, askedAt).catch((fault: unknown) => onFault(fault, 'resolve')),
      ),
    )
    loop.wake()
  }

  const sweeper = runPeriodically(sweep, options.sweepEveryMs, (fault) => onFault(fault, 'sweep'))
  await beat(db, worker, [], leaseMs)
  const loop = startDueLoop({
    claim: claimDue,
    maxWaitMs: longestWaitMs,
    retryAfterMs,
    onError: (fault) => onFault(fault, 'claim'),
  })
  const { unlisten } = await db.listen(DUE_CHANNEL, loop.wake, loop.wake)

  return {
    wake: loop.wake,
    inHand: () => inHand.size,
    async stop(withinMs) {
      stopping.abort()
      await settledWithin(withinMs, async () => {
        await unlisten()
        await loop.stop()
        await Promise.all(inHand.keys())
        await sweeper.stop()
        await signOff(db, worker.id)
      })
    },
  }
}
