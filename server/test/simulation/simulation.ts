import type { DestinationStatus } from '@postrider/contract'
import { decideOutcome } from '../../src/engine/publication/decide-outcome.ts'
import type { Conclusion } from '../../src/engine/queue/work.ts'
import { command, type CommandFlaw, type CommandName, reconnect } from './commands.ts'
import { canBeProven, isStale, isUnsafe } from './invariants.ts'
import { type DestinationRow, heldUntil, isBusy, isClaimable, isOrphaned, settle } from './memory-store.ts'
import { callTimeoutMs, keyWindowMs, processingMs, settlingMs } from './provider-network.ts'
import { loops, startClaim } from './simulated-publisher.ts'
import {
  advanceTo,
  allowedMs,
  armWindowMs,
  brief,
  check,
  execute,
  finishCall,
  openSimulation,
  type Options,
  type Scenario,
  type Simulation,
  trace,
  type Worker,
} from './scheduler.ts'

/*
 * Runs the engine itself on a store in memory, under a virtual clock. The history decides which operation goes on next,
 * what becomes of it, and who dies in between. There are no timers: the same history always tells the same story.
 */

export type Verdict = { readonly violation: string | null; readonly trace: readonly string[] }

const jumpsMs = [
  100, 1_000, 2_000, 4_900, 5_100, 16_000, 29_000, 31_000, 50_000, 61_000, 96_000, 150_000, 301_000, 560_000,
  910_000, 1_801_000,
] as const

/** Runs one history and then, without faults, until nothing more happens. Says what was broken, if anything. */
export async function simulate(scenario: Scenario, options: Options = {}): Promise<Verdict> {
  const sim = openSimulation(scenario, options)
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

/* ---- one step of a history ---- */

const commandNames: readonly CommandName[] = ['cancel', 'reschedule', 'retry', 'schedule', 'edit']

async function take(sim: Simulation, step: number): Promise<void> {
  sim.count('step')
  const action = step & 0xff
  const which = (step >> 8) & 0xff
  const how = (step >> 16) & 0xff
  sim.db.now += 1
  if (action < 108) return proceed(sim, which, how)
  if (action < 136) return jump(sim, which)
  if (action < 154) return withWorker(sim, which, (worker) => startClaim(sim, worker))
  if (action < 189) return withWorker(sim, which, (worker) => allLoops[how % allLoops.length]!(sim, worker))
  if (action < 192) return cutOff(sim, which)
  if (action < 206) return crash(sim, which, how)
  if (action < 214) return suspend(sim, which)
  if (action < 218) return stop(sim, which)
  if (action < 222) return deliverLateStatement(sim, which)
  if (action < 226) return look(sim, which)
  if (action < 229) return reauthorise(sim, which)
  if (action < 234) return decide(sim, which)
  return give(sim, which, how)
}

const allLoops = Object.values(loops)

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
    else if (how >= 237) sim.lateStatements.push(operation)
    return finishCall(sim, operation, true)
  }
  execute(sim, operation)
  if (how < 200) await finishCall(sim, operation, false)
}

/** Nothing is under way: a worker looks for work, or time passes until there is some. */
async function nudge(sim: Simulation, which: number): Promise<void> {
  const idle = sim.workers.find(({ suspended }) => !suspended)
  if (idle === undefined) return
  const due = nextMoment(sim)
  if (due !== null && due > sim.db.now) advanceTo(sim, due)
  const all = [startClaim, ...allLoops]
  await all[which % all.length]!(sim, idle)
}

function jump(sim: Simulation, which: number): void {
  const ms = jumpsMs[which % jumpsMs.length] ?? 1_000
  trace(sim, () => `${ms} ms pass`)
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

/** The session of a worker is lost while it lives: others take it for dead until it sends a heartbeat again. */
function cutOff(sim: Simulation, which: number): void {
  const worker = sim.workers[which % sim.workers.length]
  if (worker === undefined) return
  trace(sim, () => `worker ${worker.number} is taken for dead`)
  sim.count('taken for dead')
  sim.db.deadWorkers.add(worker.identity.id)
}

/** The process is killed: nothing of it goes on, and what it had sent may or may not arrive. */
function crash(sim: Simulation, which: number, how: number): void {
  const worker = sim.workers[which % sim.workers.length]
  if (worker === undefined) return
  trace(sim, () => `worker ${worker.number} is killed`)
  const left = sim.operations.filter(({ task }) => task.worker === worker)
  sim.operations = sim.operations.filter(({ task }) => task.worker !== worker)
  for (const [place, { executed, kind, label, execute }] of left.entries()) {
    if (!executed && kind === 'store' && ((how >> place) & 1) === 1)
      sim.lateStatements.push({ label, execute })
  }
  worker.tasks = []
  sim.db.deadWorkers.add(worker.identity.id)
  revive(sim, worker)
}

function revive(_sim: Simulation, worker: Worker): void {
  worker.life += 1
  worker.suspended = false
  worker.stopping = new AbortController()
  Object.assign(worker.identity, { id: `worker ${worker.number}.${worker.life}` })
}

/** A statement of a dead worker reaches the database after all. */
function deliverLateStatement(sim: Simulation, which: number): void {
  const late = sim.lateStatements.splice(which % Math.max(1, sim.lateStatements.length), 1)[0]
  if (late === undefined) return
  let result: unknown
  try {
    result = late.execute()
  } catch (cause) {
    result = cause
  }
  trace(sim, () => `a dead worker's statement arrives: ${late.label} → ${brief(result)}`)
}

function suspend(sim: Simulation, which: number): void {
  const worker = sim.workers[which % sim.workers.length]
  if (worker === undefined) return
  worker.suspended = !worker.suspended
  trace(sim, () => `worker ${worker.number} is ${worker.suspended ? 'suspended' : 'resumed'}`)
}

/** A worker is asked to stop; when it has, it starts again. */
function stop(sim: Simulation, which: number): void {
  const worker = sim.workers[which % sim.workers.length]
  if (worker === undefined || worker.suspended) return
  if (worker.stopping.signal.aborted) {
    if (worker.tasks.length === 0) revive(sim, worker)
    return
  }
  trace(sim, () => `worker ${worker.number} is asked to stop`)
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
  trace(sim, () => `${channel.id} is reconnected`)
  reconnect(sim.db, channel)
}

/** A person looks for a doubtful part at its network, and says what they see; that nothing is there counts only in time. */
function decide(sim: Simulation, which: number): void {
  const { db, network } = sim
  const row = pick(sim, which)
  const attempt = row?.attempts.find(({ verdict }) => verdict === 'unknown')
  if (row?.status !== 'checking' || attempt === undefined) return
  const post = network.posts.find(({ key, visibleAt }) => key === attempt.key && visibleAt <= db.now)
  const overAfterMs = row.channel.provider === 'keyed' ? keyWindowMs : armWindowMs + callTimeoutMs
  const shownAfterMs = row.channel.provider === 'slow' ? processingMs : settlingMs
  const tooEarly = db.now - attempt.armedAt <= overAfterMs + shownAfterMs
  if (post === undefined && tooEarly && !sim.flaws.has('person: believed before the call is over')) return

  const conclusion: Conclusion =
    post === undefined ? { is: 'absent' } : { is: 'published', remoteId: post.remoteId, url: null }
  const context = {
    ...row,
    provider: row.channel.provider,
    status: row.status,
    parts: row.parts.map((part) => ({ ...part, media: [] })),
    partIndex: attempt.partIndex,
  } as const
  const settled = settle(db, {
    workspaceId: row.workspaceId,
    destinationId: row.id,
    fence: null,
    attempt: {
      id: attempt.id,
      partIndex: attempt.partIndex,
      conclusion: conclusion.is,
      evidence: { by: 'person' },
      inferred: false,
    },
    outcome: decideOutcome(context, conclusion, 0),
  })
  sim.count(`person: ${conclusion.is}`)
  trace(sim, () => `a person says that ${row.id} is ${conclusion.is}: ${settled}`)
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
  trace(sim, () => `somebody gives ${name} ${row.id} (${from}): ${answer}`)
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
  trace(sim, () => 'from here on nothing fails')
  sim.faulty = false
  sim.lateStatements = []
  for (const worker of sim.workers) {
    worker.suspended = false
    if (worker.stopping.signal.aborted && worker.tasks.length === 0) revive(sim, worker)
  }
  let rounds = 0
  for (; rounds < roundsAtMost && sim.violation === null; rounds += 1) {
    await drain(sim)
    const worker = sim.workers.find(({ stopping }) => !stopping.signal.aborted)
    if (worker === undefined) {
      for (const stopped of sim.workers) revive(sim, stopped)
      continue
    }
    for (const loop of [...allLoops, startClaim]) {
      await loop(sim, worker)
      await drain(sim)
    }
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
    await finishCall(sim, operation, false)
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
    if (row.status === 'publishing')
      consider(isOrphaned(sim.db, row) ? sim.db.now : (row.leaseUntil ?? row.dueAt))
    else if (row.status === 'checking') consider(row.dueAt)
    else {
      consider(row.expiresAt)
      if (isClaimable(row) && !isBusy(sim.db, row.channel) && row.dueAt !== null) {
        consider(Math.max(row.dueAt, heldUntil(sim.db, row.channel) ?? 0))
      }
    }
  }
  return next
}

const ended: readonly DestinationStatus[] = ['draft', 'published', 'failed', 'cancelled', 'expired']

function isAtRest(sim: Simulation, row: DestinationRow): boolean {
  const refusedInTheMiddle =
    row.status === 'partially_published' && row.dueAt === null && row.expiresAt === null
  return (
    refusedInTheMiddle || ended.includes(row.status) || (row.status === 'checking' && !canBeProven(sim, row))
  )
}
