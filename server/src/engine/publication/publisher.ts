import { DUE_CHANNEL } from '../destinations/destination-store.ts'
import { sweepConnected } from '../destinations/resume-channel.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { type DueLoop, startDueLoop } from '../../platform/loops/due-loop.ts'
import { runPeriodically, settledWithin } from '../../platform/loops/run-periodically.ts'
import { nextDoubtInMs, nextDue, nextPollInMs } from '../queue/due-store.ts'
import type { Engine, EngineTask } from './engine-port.ts'
import type { Lease, Subject, Work } from '../queue/work.ts'
import { inSpan } from '../../platform/process/tracing.ts'
import { type RunningHeartbeat, startHeartbeat } from '../queue/heartbeat.ts'
import { discardLeftover } from './leftovers.ts'
import { publishWork } from './publish-destination.ts'
import { recoverNetworks } from '../queue/outage-store.ts'
import { resolveDoubt } from './resolve-doubt.ts'
import { deregisterWorker, type WorkerIdentity } from '../../platform/postgres/worker-store.ts'

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
/** How many an idle publisher claims first: their calls are made while the others are claimed. */
const FIRST_CLAIM = 32
/** How long a free place waits for others, in milliseconds: a claim takes about as long for many as for one. */
const GATHER_MS = 20
const ORPHANS_EVERY_MS = 500
const MAX_DOUBTS = 16
const MAX_POLLS = 64
const ORPHAN_BATCH_SIZE = 64
const BATCH_SIZE = 500
const MAX_LEFTOVERS = 8

/** What the loops of a publisher share. */
type Publishing = {
  readonly options: PublisherOptions
  readonly engine: Engine
  readonly publishing: Tasks<Lease>
  readonly polling: Tasks<Lease>
  readonly resolving: Tasks<void>
  /** Has a loop look for work now. */
  readonly wake: Readonly<Record<'claims' | 'polls' | 'doubts', () => void>>
}

/**
 * Publishes due destinations until it is stopped. Each kind of work has a loop of its own, so that none waits for
 * another: claims, polls of what providers are processing, lookups of doubts, orphans, holds, expiry; and the heartbeat.
 * It subscribes before it begins anything: where that is refused, nothing is left running.
 */
export async function startPublisher(options: PublisherOptions): Promise<Publisher> {
  const { db, heartbeatDb, worker, leaseMs, heartbeatEveryMs, onFault } = options
  const stopping = new AbortController()
  const wake = {
    claims: () => claims.wake(),
    polls: () => polls.wake(),
    doubts: () => doubts.wake(),
  }
  const [publishing, polling, resolving] = [tasks<Lease>(), tasks<Lease>(), tasks()]
  const engine = engineOf(options, stopping.signal, wake)
  const shared: Publishing = { options, engine, publishing, polling, resolving, wake }

  await using starting = new AsyncDisposableStack()
  // The first claim, which comes later, sees what is notified until then.
  let onNotify = (): void => undefined
  const notified = () => onNotify()
  const { unlisten } = await db.listen(DUE_CHANNEL, notified, notified)
  starting.defer(unlisten)

  const heartbeat = await startHeartbeat({
    session: heartbeatDb,
    worker,
    leaseMs,
    heartbeatEveryMs,
    onError: (fault) => onFault(fault, 'heartbeat'),
    leases: () => [...publishing.items(), ...polling.items()],
  })
  const slots = publishSlots(shared)
  const claims = startClaims(shared, slots)
  const polls = startPolls(shared)
  const doubts = startDoubts(shared)
  const periodic = startPeriodic(shared, slots, heartbeat)
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

/** The engine, which wakes the loop of what it has left to be polled or looked up. */
function engineOf(
  { engine, onFault }: PublisherOptions,
  stopping: AbortSignal,
  wake: Publishing['wake'],
): Engine {
  return {
    ...engine,
    stopping,
    onFault,
    store: {
      ...engine.store,
      async awaitProcessing(intent, wait) {
        const waits = await engine.store.awaitProcessing(intent, wait)
        wake.polls()
        return waits
      },
      async awaitUpload(lease, upload, pollInMs) {
        const waits = await engine.store.awaitUpload(lease, upload, pollInMs)
        wake.polls()
        return waits
      },
    },
    observe(report) {
      engine.observe(report)
      if (report.outcome.move === 'lose') wake.doubts()
    },
  }
}

function startLoop(
  { options: { maxWaitMs, onFault } }: Publishing,
  doing: EngineTask,
  claim: () => Promise<number | null>,
): DueLoop {
  const onError = (fault: unknown) => onFault(fault, doing)
  return startDueLoop({ claim, maxWaitMs, retryAfterMs: RETRY_AFTER_MS, onError })
}

/** How a loop finds work of its kind, and begins it. */
type DueWork<Item> = {
  readonly nextInMs: () => Promise<number | null>
  readonly room: () => number
  readonly claim: (limit: number) => Promise<Item[]>
  /** `sinceMs`: when the claim began, in ms since 1970. */
  readonly take: (item: Item, sinceMs: number) => void
}

/**
 * Claims batches as long as there are free places. The next due time is read first, so that nothing can become due
 * unseen between the two.
 */
async function takeDue<Item>(
  { clock, stopping }: Engine,
  { nextInMs, room, claim, take }: DueWork<Item>,
): Promise<number | null> {
  const askedAt = clock()
  const dueInMs = await nextInMs()
  while (room() > 0 && !stopping.aborted) {
    const sinceMs = Date.now()
    const claimed = await claim(room())
    if (claimed.length === 0) break
    for (const item of claimed) take(item, sinceMs)
  }
  return dueInMs === null ? null : dueInMs - (clock() - askedAt)
}

/** The places for publications. */
type Slots = {
  readonly free: () => number
  readonly freed: ReturnType<typeof gathered>
  readonly publish: (work: Work, sinceMs?: number | null) => void
}

/** Work on a destination is a part of the trace of its post; it begins with the claim, where that is known. */
function traced<T>(
  name: string,
  work: Subject,
  claimSinceMs: number | null,
  run: () => Promise<T>,
): Promise<T> {
  const { workspaceId, postId, destinationId, channelId, provider } = work
  const attributes = {
    'postrider.workspace_id': workspaceId,
    'postrider.post_id': postId,
    'postrider.destination_id': destinationId,
    'postrider.channel_id': channelId,
    'postrider.provider': provider,
  }
  const first = claimSinceMs === null ? {} : { first: { step: 'claim', sinceMs: claimSinceMs } }
  return inSpan(name, { attributes, postId, ...first }, run)
}

function publishSlots({ options, engine, publishing, wake }: Publishing): Slots {
  const { concurrency, onFault } = options
  const free = () => concurrency - publishing.size()
  const freed = gathered({ afterMs: GATHER_MS, enough: () => free() * 2 >= concurrency, go: wake.claims })
  return {
    free,
    freed,
    publish(work, sinceMs = null) {
      const task = traced('publish', work, sinceMs, () => publishWork(engine, work)).catch((fault: unknown) =>
        onFault(fault, 'publish'),
      )
      publishing.add(work, task, freed.note)
    },
  }
}

/** What is held is not claimed, except as a probe. */
function startClaims(shared: Publishing, { free, freed, publish }: Slots): DueLoop {
  const { options, engine, publishing } = shared
  const { store, stopping } = engine
  const take = (work: Work, sinceMs: number | null = null) => {
    options.onClaim(work)
    publish(work, sinceMs)
  }
  return startLoop(shared, 'claim', async () => {
    let due = { now: false, probe: false }
    const dueInMs = await takeDue(engine, {
      take,
      room: () => (freed.gathering() ? 0 : free()),
      async nextInMs() {
        const next = await nextDue(options.db)
        due = next
        return next.inMs
      },
      async claim(room) {
        if (!due.now) return []
        const limit = publishing.size() === 0 ? Math.min(room, FIRST_CLAIM) : room
        const works = await store.claim(limit)
        // Nothing more is due, as far as could be seen past the locks of others: the calls come before another look.
        if (works.length > 0 && works.length < limit) freed.goLater()
        return works
      },
    })
    if (due.probe && free() > 0 && !stopping.aborted) {
      for (const work of await store.claimProbes(free())) take(work)
    }
    return dueInMs
  })
}

function startPolls(shared: Publishing): DueLoop {
  const { options, engine, polling, wake } = shared
  const ended = () => {
    wake.polls()
    wake.claims()
  }
  return startLoop(shared, 'poll', () =>
    takeDue(engine, {
      nextInMs: () => nextPollInMs(options.db),
      room: () => MAX_POLLS - polling.size(),
      claim: engine.store.claimProcessing,
      take(work, sinceMs) {
        const task = traced('poll', work, sinceMs, () => publishWork(engine, work)).catch((fault: unknown) =>
          options.onFault(fault, 'poll'),
        )
        polling.add(work, task, ended)
      },
    }),
  )
}

function startDoubts(shared: Publishing): DueLoop {
  const { options, engine, resolving, wake } = shared
  const onFault = (fault: unknown) => options.onFault(fault, 'resolve')
  const ended = () => {
    wake.doubts()
    wake.claims()
  }
  return startLoop(shared, 'doubts', () => {
    const askedAt = engine.clock()
    return takeDue(engine, {
      nextInMs: () => nextDoubtInMs(options.db),
      room: () => MAX_DOUBTS - resolving.size(),
      claim: engine.store.claimDoubts,
      take(doubt, sinceMs) {
        const task = traced('resolve', doubt, sinceMs, () => resolveDoubt(engine, doubt, askedAt)).catch(
          onFault,
        )
        resolving.add(undefined, task, ended)
      },
    })
  })
}

/** What has no due time of its own, and is looked for again and again. */
function startPeriodic(
  { options, engine }: Publishing,
  { free, publish }: Slots,
  { mayBeOrphans }: RunningHeartbeat,
) {
  const { db, maxWaitMs, onFault } = options
  const { store, stopping } = engine
  const resumeConnected = sweepConnected(db)

  async function takeOrphans(): Promise<void> {
    if (stopping.aborted || !mayBeOrphans()) return
    for (const orphan of await store.claimOrphans(ORPHAN_BATCH_SIZE)) publish(orphan)
  }

  async function expire(): Promise<void> {
    while (!stopping.aborted && (await store.expire(BATCH_SIZE)) === BATCH_SIZE);
  }

  async function discardLeftovers(): Promise<void> {
    if (stopping.aborted) return
    const leftovers = await store.claimLeftovers(MAX_LEFTOVERS)
    await Promise.all(leftovers.map((leftover) => discardLeftover(engine, leftover)))
  }

  async function announceHolds(): Promise<void> {
    // Claims find out what is held, and none is made while no place is free; orphans are taken beyond them.
    if (free() <= 0) await store.claim(0)
    while (!stopping.aborted && (await store.announceHolds(BATCH_SIZE)) === BATCH_SIZE);
  }

  const every = (ms: number, doing: EngineTask, run: () => Promise<void>) =>
    runPeriodically(run, ms, (fault) => onFault(fault, doing))
  return [
    every(Math.min(ORPHANS_EVERY_MS, maxWaitMs), 'orphans', takeOrphans),
    every(maxWaitMs, 'holds', announceHolds),
    every(maxWaitMs, 'expiry', expire),
    every(maxWaitMs, 'leftovers', discardLeftovers),
    every(maxWaitMs, 'resume', async () => void (await resumeConnected())),
    every(maxWaitMs, 'recovery', () => recoverNetworks(db, stopping)),
  ]
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

type Tasks<Item> = ReturnType<typeof tasks<Item>>

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
