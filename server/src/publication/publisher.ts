import { DUE_CHANNEL } from '../destinations/destination-store.ts'
import { sweepConnected } from '../destinations/resume-channel.ts'
import type { Db } from '../platform/db.ts'
import { type DueLoop, startDueLoop } from '../platform/due-loop.ts'
import { runPeriodically, settledWithin } from '../platform/run-periodically.ts'
import { nextDoubtInMs, nextDue, nextPollInMs } from './due-store.ts'
import type { Engine, EngineTask, Lease, Work } from './engine-port.ts'
import { startHeartbeat } from './heartbeat.ts'
import { publishWork } from './publish-destination.ts'
import { recoverNetworks } from './outage-store.ts'
import { resolveDoubt } from './resolve-doubt.ts'
import { deregisterWorker, type WorkerIdentity } from './worker-store.ts'

export type PublisherOptions = {
  readonly db: Db
  /** A pool of one connection that is kept, for the heartbeat alone. */
  readonly heartbeatDb: Db
  readonly worker: WorkerIdentity
  readonly engine: Omit<Engine, 'stopping' | 'onFault'>
  readonly leaseMs: number
  readonly heartbeatEveryMs: number
  /** How many destinations are published at the same time. */
  readonly concurrency: number
  /** How long a change by others may go unnoticed when its notification is lost. */
  readonly maxWaitMs: number
  readonly onClaim: (work: Work) => void
  /** A fault of ours: logged and counted; the work comes back when its lease is over. */
  readonly onFault: (fault: unknown, doing: EngineTask) => void
}

export type Publisher = {
  /** Looks for due work now instead of at the next wake-up. */
  readonly wake: () => void
  /** How many destinations it is publishing now. */
  readonly inFlight: () => number
  /**
   * Begins no new call, lets calls under way end, hands the rest back. After `withinMs` it leaves what
   * is still under way to its lease.
   */
  readonly stop: (withinMs: number) => Promise<void>
}

const RETRY_AFTER_MS = 1_000
/** How long a free place waits for others, in milliseconds: a claim takes about as long for many as for one. */
const GATHER_MS = 20
const ORPHANS_EVERY_MS = 500
const MAX_DOUBTS = 16
const MAX_POLLS = 64
const ORPHAN_BATCH_SIZE = 64
const BATCH_SIZE = 500

/**
 * Publishes due destinations until it is stopped. Each kind of work has a loop of its own, so that none waits for
 * another: claims, polls of what providers are processing, lookups of doubts, orphans, holds, expiry; and the heartbeat.
 * It subscribes before it begins anything: where that is refused, nothing is left running.
 */
export async function startPublisher(options: PublisherOptions): Promise<Publisher> {
  const { db, heartbeatDb, worker, leaseMs, heartbeatEveryMs, concurrency, maxWaitMs, onFault } = options
  const stopping = new AbortController()
  const onErrorOf = (doing: EngineTask) => (fault: unknown) => onFault(fault, doing)
  const engine: Engine = {
    ...options.engine,
    stopping: stopping.signal,
    onFault,
    store: {
      ...options.engine.store,
      async awaitProcessing(intent, wait) {
        const waits = await options.engine.store.awaitProcessing(intent, wait)
        polls.wake()
        return waits
      },
      async awaitUpload(lease, upload, pollInMs) {
        const waits = await options.engine.store.awaitUpload(lease, upload, pollInMs)
        polls.wake()
        return waits
      },
    },
    observe(report) {
      options.engine.observe(report)
      if (report.outcome.move === 'lose') doubts.wake()
    },
  }
  const { store } = engine
  const publishing = tasks<Lease>()
  const polling = tasks<Lease>()
  const resolving = tasks()

  await using starting = new AsyncDisposableStack()
  // The first claim, which comes later, sees what is notified until then.
  let onNotify = (): void => undefined
  const wake = () => onNotify()
  const { unlisten } = await db.listen(DUE_CHANNEL, wake, wake)
  starting.defer(unlisten)

  const heartbeat = await startHeartbeat({
    ...{ session: heartbeatDb, worker, leaseMs, heartbeatEveryMs, onError: onErrorOf('heartbeat') },
    leases: () => [...publishing.items(), ...polling.items()],
  })

  function loop(doing: EngineTask, claim: () => Promise<number | null>): DueLoop {
    return startDueLoop({ claim, maxWaitMs, retryAfterMs: RETRY_AFTER_MS, onError: onErrorOf(doing) })
  }

  /**
   * Claims batches as long as there are free places. The next due time is read first, so that nothing can become due
   * unseen between the two.
   */
  async function takeDue<Item>(
    nextInMs: (db: Db) => Promise<number | null>,
    room: () => number,
    claim: (limit: number) => Promise<Item[]>,
    take: (item: Item) => void,
  ): Promise<number | null> {
    const askedAt = engine.clock()
    const dueInMs = await nextInMs(db)
    while (room() > 0 && !stopping.signal.aborted) {
      const claimed = await claim(room())
      if (claimed.length === 0) break
      for (const item of claimed) take(item)
    }
    return dueInMs === null ? null : dueInMs - (engine.clock() - askedAt)
  }

  function publish(work: Work): void {
    const task = publishWork(engine, work).catch(onErrorOf('publish'))
    publishing.add(work, task, freed.note)
  }

  /** What is held is not claimed, except as a probe. */
  async function claimDue(): Promise<number | null> {
    let probeDue = false
    const take = (work: Work) => {
      options.onClaim(work)
      publish(work)
    }
    const room = () => (freed.gathering() ? 0 : free())
    const nextInMs = async () => {
      const { inMs, probe } = await nextDue(db)
      probeDue = probe
      return inMs
    }
    const claim = async (limit: number) => {
      const works = await store.claim(limit)
      // Nothing more is due, as far as could be seen past the locks of others: the calls come before another look.
      if (works.length > 0 && works.length < limit) freed.goLater()
      return works
    }
    const dueInMs = await takeDue(nextInMs, room, claim, take)
    if (probeDue && free() > 0 && !stopping.signal.aborted) {
      for (const work of await store.claimProbes(free())) take(work)
    }
    return dueInMs
  }
  const claims = loop('claim', claimDue)
  const free = () => concurrency - publishing.size()
  const freed = gathered({ afterMs: GATHER_MS, enough: () => free() * 2 >= concurrency, go: claims.wake })

  const polls = loop('poll', () =>
    takeDue(
      nextPollInMs,
      () => MAX_POLLS - polling.size(),
      store.claimProcessing,
      (work) =>
        polling.add(work, publishWork(engine, work).catch(onErrorOf('poll')), () => {
          polls.wake()
          claims.wake()
        }),
    ),
  )

  const doubts = loop('doubts', () => {
    const askedAt = engine.clock()
    return takeDue(
      nextDoubtInMs,
      () => MAX_DOUBTS - resolving.size(),
      store.claimDoubts,
      (doubt) =>
        resolving.add(undefined, resolveDoubt(engine, doubt, askedAt).catch(onErrorOf('resolve')), () => {
          doubts.wake()
          claims.wake()
        }),
    )
  })

  async function takeOrphans(): Promise<void> {
    if (stopping.signal.aborted) return
    for (const orphan of await store.claimOrphans(ORPHAN_BATCH_SIZE)) publish(orphan)
  }

  async function expire(): Promise<void> {
    while (!stopping.signal.aborted && (await store.expire(BATCH_SIZE)) === BATCH_SIZE);
  }

  async function announceHolds(): Promise<void> {
    // Claims find out what is held, and none is made while no place is free; orphans are taken beyond them.
    if (free() <= 0) await store.claim(0)
    while (!stopping.signal.aborted && (await store.announceHolds(BATCH_SIZE)) === BATCH_SIZE);
  }

  const resumeConnected = sweepConnected(db)

  const periodic = [
    runPeriodically(takeOrphans, Math.min(ORPHANS_EVERY_MS, maxWaitMs), onErrorOf('orphans')),
    runPeriodically(announceHolds, maxWaitMs, onErrorOf('holds')),
    runPeriodically(expire, maxWaitMs, onErrorOf('expiry')),
    runPeriodically(async () => void (await resumeConnected()), maxWaitMs, onErrorOf('resume')),
    runPeriodically(() => recoverNetworks(db, stopping.signal), maxWaitMs, onErrorOf('recovery')),
  ]
  onNotify = claims.wake
  const subscription = starting.move()

  return {
    wake() {
      for (const each of [claims, polls, doubts]) each.wake()
    },
    inFlight: () => publishing.size() + polling.size(),
    async stop(withinMs) {
      stopping.abort()
      await settledWithin(withinMs, async () => {
        await subscription.disposeAsync()
        await Promise.all([claims, polls, doubts, ...periodic].map((each) => each.stop()))
        await Promise.all([publishing, polling, resolving].map((each) => each.settled()))
        await heartbeat.stop()
        await deregisterWorker(db, worker.id)
      })
    },
  }
}

/** Goes as soon as it is noted and enough, and `afterMs` after the first note at the latest. */
function gathered({ afterMs, enough, go }: { afterMs: number; enough: () => boolean; go: () => void }) {
  let timer: NodeJS.Timeout | undefined
  function goNow(): void {
    clearTimeout(timer)
    timer = undefined
    go()
  }
  function goLater(): void {
    timer ??= setTimeout(goNow, afterMs)
  }
  return {
    gathering: () => timer !== undefined,
    goLater,
    note(): void {
      if (enough()) goNow()
      else goLater()
    },
  }
}

/** What is under way, each with what it is about. */
function tasks<Item = void>() {
  const running = new Map<Promise<void>, Item>()
  return {
    size: () => running.size,
    items: () => running.values(),
    settled: async () => void (await Promise.all(running.keys())),
    add(item: Item, task: Promise<void>, ended: () => void): void {
      const entry = task.finally(() => {
        running.delete(entry)
        ended()
      })
      running.set(entry, item)
    },
  }
}
