import type { DestinationStatus } from '@postrider/contract'
import type { Providers } from '../../src/providers/port.ts'
import { publishWork, type Engine } from '../../src/publication/publish-destination.ts'
import { resolveDoubt } from '../../src/publication/resolve-doubt.ts'
import type { Call, CallAnswer, EngineStore, Lease, Work } from '../../src/publication/engine-port.ts'
import { command, type CommandFlaw, type CommandName, reconnect } from './commands.ts'
import {
  canBeProven,
  contentViolation,
  isStale,
  isUnsafe,
  noteIntent,
  violationOf,
  type Watch,
  watchChanges,
} from './invariants.ts'
import {
  arm,
  type ChannelRow,
  claim,
  claimDoubts,
  claimOrphans,
  type DestinationRow,
  expire,
  hold,
  isBusy,
  isClaimable,
  type MemoryDb,
  type MemoryWorker,
  openMemoryDb,
  release,
  renew,
  settle,
  type StoreFlaw,
} from './memory-store.ts'
import {
  acceptNext,
  callTimeoutMs,
  create,
  type CreateBody,
  type Exchanged,
  type Fate,
  fates,
  keyWindowMs,
  lookAt,
  lookFates,
  type Network,
  networkAdapter,
  networkNames,
  openNetwork,
  pollAt,
  settlingMs,
} from './provider-network.ts'

/*
 * Runs the engine itself on a store in memory, under a virtual clock. Every await of the engine is a call to the
 * store, to a network or to the clock; the history decides which of them goes on next, what becomes of it, and who
 * dies in between. There are no timers: the same history always tells the same story.
 */

/** What the engine can be given wrongly, to prove that the model notices. */
export type EngineFlaw =
  | 'arm window not looked at'
  | 'absent counted at once'
  | 'absent counted before the answer can show'
  | 'unknown taken for not sent'
  | 'unknown taken for refused'
  | 'network forgets keys within its window'
  | 'repeated where keys are not remembered'
  | 'keys trusted beyond their window'
  | 'silence taken for not sent'
  | 'sleep before a repeat not looked at'
  | 'garbage taken for refused'

export type Flaw = StoreFlaw | CommandFlaw | EngineFlaw

export type Scenario = {
  /** Each picks a network. */
  readonly channels: readonly number[]
  readonly destinations: readonly {
    readonly channel: number
    readonly parts: number
    /** Says the very same as the destination before it on its channel. */
    readonly twin: boolean
    readonly draft: boolean
    readonly dueInMs: number
  }[]
  /** What becomes of publish calls, one after the other; then all are accepted. */
  readonly fates: readonly number[]
  /** What happens next, one number each. 0 is: the first thing under way goes on as it should. */
  readonly steps: readonly number[]
}

export type Verdict = { readonly violation: string | null; readonly trace: readonly string[] }

const workerCount = 3
const leaseMs = 60_000
const armWindowMs = 5_000
const allowedMs = 30 * 60_000
const jumpsMs = [
  100, 1_000, 2_000, 4_900, 5_100, 16_000, 29_000, 31_000, 50_000, 61_000, 96_000, 150_000, 301_000, 560_000,
  910_000, 1_801_000,
] as const

/** One promise that the engine waits for. `execute` is its effect, which may come about before, after or without its answer. */
type Operation = {
  readonly task: Task
  readonly label: string
  readonly execute: () => unknown
  readonly kind: 'store' | 'call' | 'wait'
  readyAt: number
  executed: boolean
  result: unknown
  readonly resolve: (result: unknown) => void
  readonly reject: (cause: Error) => void
}

/** One line of work of a worker. It is either waiting for one operation, or `running` until it waits again. */
type Task = {
  readonly worker: Worker
  readonly name: string
  running: boolean
  over: boolean
  lease: Lease | null
}

type Worker = {
  readonly identity: MemoryWorker
  readonly number: number
  life: number
  suspended: boolean
  stopping: AbortController
  tasks: Task[]
}

export type Simulation = {
  readonly db: MemoryDb
  readonly network: Network
  readonly channels: ChannelRow[]
  readonly workers: Worker[]
  operations: Operation[]
  /** Statements of dead workers that may still reach the database. */
  ghosts: { readonly label: string; readonly execute: () => unknown }[]
  readonly flaws: ReadonlySet<Flaw>
  readonly providers: Providers
  readonly watch: Watch
  readonly scenario: Scenario
  readonly seen: Map<string, number>
  fatesUsed: number
  ids: number
  faulty: boolean
  violation: string | null
  readonly trace: string[] | null
  readonly count: (what: string) => void
}

export type Options = {
  readonly flaws?: readonly Flaw[]
  readonly tracing?: boolean
  /** Counts what came about, so that a test can say that nothing was left out. */
  readonly tally?: Map<string, number>
}

/** Runs one history and then, without faults, until nothing more happens. Says what was broken, if anything. */
export async function simulate(scenario: Scenario, options: Options = {}): Promise<Verdict> {
  const sim = open(scenario, options)
  for (const step of scenario.steps) {
    await take(sim, step)
    check(sim)
    if (sim.violation !== null) return verdict(sim)
  }
  await settleDown(sim)
  return verdict(sim)
}

function verdict(sim: Simulation): Verdict {
  return { violation: sim.violation, trace: sim.trace ?? [] }
}

function open(scenario: Scenario, { flaws = [], tracing = false, tally }: Options): Simulation {
  const db = openMemoryDb(flaws as readonly StoreFlaw[])
  const channels = scenario.channels.map((pick, number) => ({
    id: `c${number}`,
    workspaceId: 'w',
    provider: networkNames[pick % networkNames.length] ?? 'plain',
    enabled: true,
    connected: true,
  }))
  const lastText = new Map<ChannelRow, string>()
  for (const [number, plan] of scenario.destinations.entries()) {
    const channel = channels[plan.channel % channels.length]
    if (channel === undefined) continue
    const text = plan.twin ? (lastText.get(channel) ?? `text ${number}`) : `text ${number}`
    lastText.set(channel, text)
    const publishAt = plan.draft ? null : plan.dueInMs
    db.destinations.push({
      id: `d${number}`,
      workspaceId: 'w',
      postId: `p${number}`,
      channel,
      status: plan.draft ? 'draft' : 'scheduled',
      statusSince: 0,
      controlToken: ++db.lastToken,
      publishAt,
      expiresAt: publishAt === null ? null : publishAt + allowedMs,
      dueAt: publishAt,
      checkAgainAt: null,
      error: null,
      tries: 0,
      fence: 0,
      leasedBy: null,
      leaseUntil: null,
      parts: Array.from({ length: plan.parts }, (_, index) => ({
        index,
        status: 'pending' as const,
        text: `${text} part ${index}`,
        remoteId: null,
      })),
      attempts: [],
    })
  }
  const workers = Array.from({ length: workerCount }, (_, number) => ({
    identity: { id: `worker ${number}`, leaseMs, perWorkspace: 8 },
    number,
    life: 0,
    suspended: false,
    stopping: new AbortController(),
    tasks: [],
  }))
  const network = openNetwork()
  network.forgetsKeysEarly = flaws.includes('network forgets keys within its window')
  return {
    db,
    network,
    channels,
    workers,
    operations: [],
    ghosts: [],
    flaws: new Set(flaws),
    providers: adaptersFor(new Set(flaws)),
    watch: watchChanges(db),
    scenario,
    seen: new Map(),
    fatesUsed: 0,
    ids: 0,
    faulty: true,
    violation: null,
    trace: tracing ? [] : null,
    count: tally === undefined ? () => undefined : (what) => tally.set(what, (tally.get(what) ?? 0) + 1),
  }
}

function tell(sim: Simulation, words: () => string): void {
  sim.trace?.push(`${String(sim.db.now).padStart(8)}  ${words()}`)
}

function check(sim: Simulation): void {
  sim.violation ??= violationOf(sim)
  for (const { status } of sim.db.destinations) sim.count(`status: ${status}`)
}

/* ---- time ---- */

function advanceTo(sim: Simulation, time: number): void {
  for (let post = acceptNext(sim.network, time); post !== null; post = acceptNext(sim.network, time)) {
    const { remoteId, key, at } = post
    sim.db.now = Math.max(sim.db.now, at)
    tell(sim, () => `network: ${remoteId} is out, made by ${key}`)
    check(sim)
  }
  sim.db.now = Math.max(sim.db.now, time)
}

/* ---- operations ---- */

function perform<T>(
  sim: Simulation,
  task: Task,
  kind: Operation['kind'],
  label: string,
  execute: () => T,
  afterMs = 0,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    task.running = false
    sim.operations.push({
      task,
      label,
      kind,
      execute,
      readyAt: sim.db.now + afterMs,
      executed: false,
      result: undefined,
      resolve: resolve as (result: unknown) => void,
      reject,
    })
  })
}

/** Lets the effect of an operation come about. Errors of the store are answers, too. */
function execute(sim: Simulation, operation: Operation): void {
  if (operation.executed) return
  operation.executed = true
  try {
    operation.result = operation.execute()
  } catch (cause) {
    operation.result = cause
  }
  tell(sim, () => `${operation.task.name}: ${operation.label} → ${brief(operation.result)}`)
}

async function goOn(sim: Simulation, operation: Operation, loseAnswer: boolean): Promise<void> {
  sim.operations.splice(sim.operations.indexOf(operation), 1)
  const { task, result } = operation
  task.running = true
  if (loseAnswer || result instanceof Error) {
    if (loseAnswer) tell(sim, () => `${task.name}: ${operation.label}: the database is not reached`)
    operation.reject(result instanceof Error ? result : new Error('connection lost'))
  } else {
    operation.resolve(result)
  }
  await settleTasks(task)
}

/** Lets a task run until it waits for the next operation, or is over. */
async function settleTasks(task: Task): Promise<void> {
  // oxlint-disable-next-line no-unmodified-loop-condition -- the task changes it between two turns
  while (task.running && !task.over) await Promise.resolve()
}

function start(
  sim: Simulation,
  worker: Worker,
  name: string,
  lease: Lease | null,
  run: (engine: Engine, task: Task) => Promise<void>,
) {
  const life = worker.life
  const task: Task = {
    worker,
    name: `worker ${worker.number}${life === 0 ? '' : `.${life}`} ${name}`,
    running: true,
    over: false,
    lease,
  }
  worker.tasks.push(task)
  run(engineOf(sim, task), task)
    .catch((fault: unknown) => tell(sim, () => `${task.name}: fault: ${String(fault)}`))
    .finally(() => {
      task.over = true
      task.running = false
      worker.tasks = worker.tasks.filter((one) => one !== task)
    })
  return settleTasks(task)
}

const adapters = new Map(networkNames.map((name) => [name, networkAdapter(name)]))

/** The adapters as the engine gets them, with the wrong ideas that it is given about its networks. */
function adaptersFor(flaws: ReadonlySet<Flaw>): Providers {
  const everywhere = flaws.has('repeated where keys are not remembered')
  const forever = flaws.has('keys trusted beyond their window')
  const rash = flaws.has('garbage taken for refused')
  if (!everywhere && !forever && !rash) return adapters
  return new Map(
    networkNames.map((name) => {
      const adapter = networkAdapter(name)
      const windowMs = forever ? 10 * keyWindowMs : keyWindowMs
      const repeatable = adapter.repeatable !== null || everywhere ? { windowMs } : null
      const judge: typeof adapter.publish.judge = (response, work) =>
        rash && response.status === 500
          ? { is: 'rejected', code: 'processing_failed', detail: 'garbage' }
          : adapter.publish.judge(response, work)
      return [name, { ...adapter, repeatable, publish: { ...adapter.publish, judge } }]
    }),
  )
}

function engineOf(sim: Simulation, task: Task): Engine {
  const { flaws } = sim
  return {
    store: storeOf(sim, task),
    providers: sim.providers,
    call: callOf(sim, task),
    media: { take: () => Promise.reject(new Error('posts of the simulation carry no media')) },
    clock: () => sim.db.now,
    wait: (ms, signal) =>
      perform(sim, task, 'wait', `waits ${ms} ms`, () => undefined, signal.aborted ? 0 : ms).then(
        () => undefined,
      ),
    random: () => 0,
    newId: () => `a${++sim.ids}`,
    armWindowMs: flaws.has('arm window not looked at') ? 10 ** 9 : armWindowMs,
    callTimeoutMs: flaws.has('absent counted at once') ? -armWindowMs : callTimeoutMs,
    settlingMs:
      flaws.has('absent counted at once') || flaws.has('absent counted before the answer can show')
        ? 0
        : settlingMs,
    stopping: task.worker.stopping.signal,
    observe({ attempt, outcome, settled }) {
      sim.count(
        `${attempt?.evidence.by ?? 'no call'}: ${attempt?.conclusion ?? 'none'}${settled ? '' : ' (void)'}`,
      )
      if (settled) sim.count(`move: ${outcome.move ?? 'next part'}`)
      tell(
        sim,
        () =>
          `${task.name}: ${attempt?.conclusion ?? 'no call'}, so ${outcome.move ?? 'next part'}${settled ? '' : ' (void)'}`,
      )
    },
  }
}

function storeOf(sim: Simulation, task: Task): EngineStore {
  const { db, flaws } = sim
  const { identity } = task.worker
  const ask = <T>(label: () => string, run: () => T) =>
    perform(sim, task, 'store', sim.trace === null ? '' : label(), run)
  return {
    claim: (limit) =>
      ask(
        () => 'claims',
        () => pinContent(sim, claim(db, identity, limit)),
      ),
    claimOrphans: (limit) =>
      ask(
        () => 'takes orphans',
        () => claimOrphans(db, identity, limit),
      ),
    claimDoubts: (limit) =>
      ask(
        () => 'takes doubts',
        () => claimDoubts(db, identity, limit),
      ),
    arm: (intent) => {
      noteIntent(sim.watch, intent)
      return ask(
        () => `arms ${intent.attemptId}`,
        () => arm(db, intent),
      )
    },
    hold: (intent, handle) =>
      ask(
        () => `holds ${handle}`,
        () => hold(db, intent, handle),
      ),
    settle: (settlement) => {
      const conclusion = settlement.attempt?.conclusion
      const given = conclusion === 'unknown' ? mistaken(flaws, settlement) : settlement
      return ask(
        () => `settles ${settlement.destinationId}`,
        () => settle(db, given),
      )
    },
    release: (lease) =>
      ask(
        () => 'releases',
        () => release(db, lease),
      ),
    expire: (limit) =>
      ask(
        () => 'expires',
        () => expire(db, limit),
      ),
  }
}

type Settlement = Parameters<EngineStore['settle']>[0]

function mistaken(flaws: ReadonlySet<Flaw>, settlement: Settlement): Settlement {
  const { attempt, outcome } = settlement
  const as = (
    conclusion: 'deferred' | 'rejected',
    move: 'defer' | 'reject',
    part: 'pending' | 'failed',
  ): Settlement => ({
    ...settlement,
    attempt: attempt && { ...attempt, conclusion },
    outcome: { ...outcome, part, move, dueInMs: move === 'defer' ? 15_000 : null },
  })
  if (flaws.has('unknown taken for not sent')) return as('deferred', 'defer', 'pending')
  if (flaws.has('unknown taken for refused')) return as('rejected', 'reject', 'failed')
  return settlement
}

function callOf(sim: Simulation, task: Task): Call {
  const { network } = sim
  return ({ json }) => {
    const { kind, body } = json as Exchanged
    const fate = sim.faulty ? (sim.scenario.fates[sim.fatesUsed++] ?? 0) : 0
    const lookFate = lookFates[(fate >> 4) % lookFates.length] ?? 'answered'
    switch (kind) {
      case 'create': {
        const chosen = fateOf(body as CreateBody, fate)
        sim.count(`fate: ${chosen}`)
        sim.violation ??= contentViolation(sim.watch, body as CreateBody)
        const { afterMs, answer } = create(network, body as CreateBody, chosen, sim.db.now)
        tell(sim, () => `${task.name}: calls for ${(body as CreateBody).key}: ${chosen}`)
        return perform(sim, task, 'call', 'answer', () => misheard(sim.flaws, answer()), afterMs)
      }
      case 'look':
        return perform(
          sim,
          task,
          'call',
          'looks',
          () => lookAt(network, body as CreateBody & { armedAt: number }, lookFate, sim.db.now),
          20,
        )
      case 'poll':
        return perform(
          sim,
          task,
          'call',
          'polls',
          () => pollAt(network, (body as { handle: string }).handle, lookFate, sim.db.now),
          20,
        )
    }
  }
}

function misheard(flaws: ReadonlySet<Flaw>, answer: CallAnswer): CallAnswer {
  return !answer.arrived && flaws.has('silence taken for not sent') ? { ...answer, maybeSent: false } : answer
}

function fateOf({ network }: CreateBody, pick: number): Fate {
  const fate = fates[pick % fates.length] ?? 'accepted'
  if (network === 'slow' || !fate.startsWith('processed')) return fate
  return fate === 'processed, then published' ? 'accepted late, after silence' : 'refused: content'
}

/* ---- what a publisher does, in its order ---- */

function startClaim(sim: Simulation, worker: Worker): Promise<void> {
  return start(sim, worker, 'claim', null, async (engine, task) => {
    const works = await engine.store.claim(8)
    await begin(sim, worker, task, works)
  })
}

function startSweep(sim: Simulation, worker: Worker): Promise<void> {
  return start(sim, worker, 'sweep', null, async (engine, task) => {
    const leases = worker.tasks.flatMap(({ lease }) => (lease === null ? [] : [lease]))
    await perform(sim, task, 'store', 'renews', () => renew(sim.db, worker.identity, leases))
    if (engine.stopping.aborted) return
    await begin(sim, worker, task, await engine.store.claimOrphans(64))
    await engine.store.expire(500)
    const askedAt = sim.flaws.has('sleep before a repeat not looked at') ? Infinity : engine.clock()
    for (const doubt of await engine.store.claimDoubts(16)) {
      await startBeside(sim, worker, task, `doubt ${doubt.destinationId}`, null, (own) =>
        resolveDoubt(own, doubt, askedAt),
      )
    }
  })
}

async function begin(sim: Simulation, worker: Worker, task: Task, works: readonly Work[]): Promise<void> {
  for (const work of works) {
    const { workspaceId, destinationId, fence } = work
    const name = `${destinationId}${work.orphan ? ' (orphan)' : ''} fence ${fence}`
    await startBeside(sim, worker, task, name, { workspaceId, destinationId, fence }, (engine) =>
      publishWork(engine, work),
    )
  }
}

/** Starts a task from within another, and goes on once the new one waits. */
function startBeside(
  sim: Simulation,
  worker: Worker,
  task: Task,
  name: string,
  lease: Lease | null,
  run: (engine: Engine) => Promise<void>,
): Promise<void> {
  task.running = true
  return start(sim, worker, name, lease, run)
}

/** What a destination says when it is claimed. */
function pinContent(sim: Simulation, works: Work[]): Work[] {
  for (const { destinationId, parts } of works) {
    sim.watch.pinned.set(
      destinationId,
      parts.map(({ text }) => text),
    )
  }
  return works
}

/* ---- one step of a history ---- */

const commandNames: readonly CommandName[] = ['cancel', 'reschedule', 'retry', 'schedule', 'edit']

async function take(sim: Simulation, step: number): Promise<void> {
  sim.count('step')
  const action = step & 0xff
  const which = (step >> 8) & 0xff
  const how = (step >> 16) & 0xff
  sim.db.now += 1
  if (action < 120) return proceed(sim, which, how)
  if (action < 150) return jump(sim, which)
  if (action < 170) return withWorker(sim, which, (worker) => startClaim(sim, worker))
  if (action < 192) return withWorker(sim, which, (worker) => startSweep(sim, worker))
  if (action < 206) return crash(sim, which, how)
  if (action < 214) return suspend(sim, which)
  if (action < 218) return stop(sim, which)
  if (action < 222) return haunt(sim, which)
  if (action < 226) return look(sim, which)
  if (action < 229) return reauthorise(sim, which)
  return give(sim, which, how)
}

/** Something under way goes on: its effect comes about, and its answer arrives, unless `how` says otherwise. */
async function proceed(sim: Simulation, which: number, how: number): Promise<void> {
  const awake = sim.operations.filter(({ task }) => !task.worker.suspended)
  if (awake.length === 0) return nudge(sim, which)
  const ready = awake.filter(({ readyAt }) => readyAt <= sim.db.now)
  if (ready.length === 0) return advanceTo(sim, Math.min(...awake.map(({ readyAt }) => readyAt)))
  const operation = ready[which % ready.length]
  if (operation === undefined) return
  if (operation.kind === 'store' && how >= 230 && sim.faulty) {
    // The effect comes about before the connection is lost, or later, or never.
    if (how >= 245) execute(sim, operation)
    else if (how >= 237) sim.ghosts.push(operation)
    return goOn(sim, operation, true)
  }
  execute(sim, operation)
  if (how < 200) await goOn(sim, operation, false)
}

/** Nothing is under way: a worker looks for work, or time passes until there is some. */
async function nudge(sim: Simulation, which: number): Promise<void> {
  const idle = sim.workers.find(({ suspended }) => !suspended)
  if (idle === undefined) return
  const due = nextMoment(sim)
  if (due !== null && due > sim.db.now) advanceTo(sim, due)
  await (which % 2 === 0 ? startClaim(sim, idle) : startSweep(sim, idle))
}

function jump(sim: Simulation, which: number): void {
  const ms = jumpsMs[which % jumpsMs.length] ?? 1_000
  tell(sim, () => `${ms} ms pass`)
  advanceTo(sim, sim.db.now + ms)
}

function withWorker(
  sim: Simulation,
  which: number,
  run: (worker: Worker) => Promise<void>,
): Promise<void> | void {
  const worker = sim.workers[which % sim.workers.length]
  if (
    worker !== undefined &&
    !worker.suspended &&
    !worker.stopping.signal.aborted &&
    worker.tasks.length < 8
  ) {
    return run(worker)
  }
}

/** The process is killed: nothing of it goes on, and what it had sent may or may not arrive. */
function crash(sim: Simulation, which: number, how: number): void {
  const worker = sim.workers[which % sim.workers.length]
  if (worker === undefined) return
  tell(sim, () => `worker ${worker.number} is killed`)
  const left = sim.operations.filter(({ task }) => task.worker === worker)
  sim.operations = sim.operations.filter(({ task }) => task.worker !== worker)
  for (const [place, { executed, kind, label, execute }] of left.entries()) {
    if (!executed && kind === 'store' && ((how >> place) & 1) === 1) sim.ghosts.push({ label, execute })
  }
  worker.tasks = []
  revive(worker)
}

function revive(worker: Worker): void {
  worker.life += 1
  worker.suspended = false
  worker.stopping = new AbortController()
  Object.assign(worker.identity, { id: `worker ${worker.number}.${worker.life}` })
}

/** A statement of a dead worker reaches the database after all. */
function haunt(sim: Simulation, which: number): void {
  const ghost = sim.ghosts.splice(which % Math.max(1, sim.ghosts.length), 1)[0]
  if (ghost === undefined) return
  let result: unknown
  try {
    result = ghost.execute()
  } catch (cause) {
    result = cause
  }
  tell(sim, () => `a dead worker's statement arrives: ${ghost.label} → ${brief(result)}`)
}

function suspend(sim: Simulation, which: number): void {
  const worker = sim.workers[which % sim.workers.length]
  if (worker === undefined) return
  worker.suspended = !worker.suspended
  tell(sim, () => `worker ${worker.number} is ${worker.suspended ? 'suspended' : 'resumed'}`)
}

/** A worker is asked to stop; when it has, it starts anew. */
function stop(sim: Simulation, which: number): void {
  const worker = sim.workers[which % sim.workers.length]
  if (worker === undefined || worker.suspended) return
  if (worker.stopping.signal.aborted) {
    if (worker.tasks.length === 0) revive(worker)
    return
  }
  tell(sim, () => `worker ${worker.number} is asked to stop`)
  worker.stopping.abort()
  for (const operation of sim.operations) {
    if (operation.task.worker === worker && operation.kind === 'wait') operation.readyAt = sim.db.now
  }
}

function look(sim: Simulation, which: number): void {
  const row = pick(sim, which)
  if (row !== undefined) sim.seen.set(row.id, row.controlToken)
}

function reauthorise(sim: Simulation, which: number): void {
  const channel = sim.channels[which % sim.channels.length]
  if (channel === undefined) return
  tell(sim, () => `${channel.id} is reconnected`)
  reconnect(sim.db, channel)
}

/** A person or an agent gives a command, with the token that it saw last or sees now. */
function give(sim: Simulation, which: number, how: number): void {
  const row = pick(sim, which)
  const name = commandNames[how % commandNames.length]
  if (row === undefined || name === undefined) return
  const controlToken = how < 192 ? row.controlToken : (sim.seen.get(row.id) ?? row.controlToken)
  const publishAt = sim.db.now + ((how >> 3) % 4) * 10_000
  const stale = isStale(sim.watch, row, controlToken)
  const unsafe = isUnsafe(sim, row)
  const from = row.status
  const answer = command(
    sim.db,
    row,
    { name, controlToken, publishAt, allowedMs },
    sim.flaws as ReadonlySet<CommandFlaw>,
  )
  tell(sim, () => `somebody gives ${name} ${row.id} (${from}): ${answer}`)
  sim.count(`command: ${name} ${answer}`)
  if (answer !== 'done') return
  if (stale) sim.violation ??= `I8: ${name} ${row.id} succeeded with a stale token`
  if (name === 'retry' && unsafe) sim.violation ??= `I9: retry of ${row.id} passed with unproven evidence`
}

function pick(sim: Simulation, which: number): DestinationRow | undefined {
  return sim.db.destinations[which % sim.db.destinations.length]
}

/* ---- after the last fault ---- */

const roundsAtMost = 600

/** A fair run without faults: L1 says that it settles everything but what nobody can prove. */
async function settleDown(sim: Simulation): Promise<void> {
  tell(sim, () => 'from here on nothing fails')
  sim.faulty = false
  sim.ghosts = []
  for (const worker of sim.workers) {
    worker.suspended = false
    if (worker.stopping.signal.aborted && worker.tasks.length === 0) revive(worker)
  }
  let rounds = 0
  for (; rounds < roundsAtMost && sim.violation === null; rounds += 1) {
    await drain(sim)
    const worker = sim.workers.find(({ stopping }) => !stopping.signal.aborted)
    if (worker === undefined) {
      for (const stopped of sim.workers) revive(stopped)
      continue
    }
    await startSweep(sim, worker)
    await drain(sim)
    await startClaim(sim, worker)
    await drain(sim)
    const next = nextMoment(sim)
    if (next === null) break
    advanceTo(sim, Math.max(sim.db.now + 1, next))
    check(sim)
  }
  if (sim.violation !== null) return
  sim.count('history')
  for (const row of sim.db.destinations) {
    sim.count(`end: ${row.status}`)
    if (isAtRest(sim, row)) continue
    sim.violation ??= `L1: ${row.id} is still ${row.status} after ${rounds} rounds without a fault`
  }
}

async function drain(sim: Simulation): Promise<void> {
  for (let turns = 0; sim.operations.length > 0 && sim.violation === null; turns += 1) {
    if (turns > 2_000) {
      sim.violation = `L1: ${sim.operations[0]?.task.name ?? 'a task'} never comes to an end`
      return
    }
    const operation = sim.operations.reduce((first, one) => (one.readyAt < first.readyAt ? one : first))
    advanceTo(sim, Math.max(sim.db.now + 1, operation.readyAt))
    execute(sim, operation)
    await goOn(sim, operation, false)
    check(sim)
  }
}

/** When something happens by itself next; null for never. */
function nextMoment(sim: Simulation): number | null {
  let next: number | null = null
  const consider = (at: number | null) => {
    if (at !== null && (next === null || at < next)) next = at
  }
  for (const { at } of sim.network.pending) consider(at)
  for (const row of sim.db.destinations) {
    if (isAtRest(sim, row)) continue
    if (row.status === 'publishing') consider(row.leaseUntil)
    else if (row.status === 'checking') consider(row.dueAt)
    else {
      consider(row.expiresAt)
      if (isClaimable(row) && !isBusy(sim.db, row.channel)) consider(row.dueAt)
    }
  }
  return next
}

const ended: readonly DestinationStatus[] = ['draft', 'published', 'failed', 'cancelled', 'expired']

function isAtRest(sim: Simulation, row: DestinationRow): boolean {
  return ended.includes(row.status) || (row.status === 'checking' && !canBeProven(sim.db, row))
}

function brief(result: unknown): string {
  if (result instanceof Error) return result.message
  if (Array.isArray(result)) {
    return `[${result.map((one: { destinationId?: string }) => one.destinationId ?? '?').join(', ')}]`
  }
  return JSON.stringify(result) ?? 'nothing'
}
