import type { Adapter, Provider, Providers } from '../../src/networks/providers/port/port.ts'
import { usualOutageRules } from '../../src/engine/queue/outage-store.ts'
import type { Lease } from '../../src/engine/queue/work.ts'
import type { CommandFlaw } from './commands.ts'
import { violationOf, type Watch, watchChanges } from './invariants.ts'
import {
  type ChannelRow,
  type MemoryDb,
  type MemoryWorker,
  openMemoryDb,
  type StoreFlaw,
} from './memory-store.ts'
import {
  acceptNext,
  keyWindowMs,
  type Network,
  networkAdapter,
  networkNames,
  openNetwork,
} from './provider-network.ts'

/*
 * The scheduler of a simulation: its clock, its workers, and what they wait for. Every await of the engine is an operation
 * here; whoever directs the history decides when it has its effect, and when its answer arrives.
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
  | 'suspension before a repeat not looked at'
  | 'garbage taken for refused'
  | 'processing not waited for'

export type Flaw = StoreFlaw | CommandFlaw | EngineFlaw

export type Scenario = {
  /** So many accounts have to fail before their network is taken to be away. */
  readonly outageAccounts: number
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

const workerCount = 3
const leaseMs = 60_000
export const armWindowMs = 5_000
export const allowedMs = 30 * 60_000
/** One promise that the engine waits for. `execute` is its effect, which may come about before, after or without its answer. */
export type Operation = {
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
export type Task = {
  readonly worker: Worker
  readonly name: string
  running: boolean
  over: boolean
  lease: Lease | null
}

export type Worker = {
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
  lateStatements: { readonly label: string; readonly execute: () => unknown }[]
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

export function openSimulation(
  scenario: Scenario,
  { flaws = [], tracing = false, tally }: Options,
): Simulation {
  const outageRules = { ...usualOutageRules, accounts: scenario.outageAccounts }
  const db = openMemoryDb(flaws as readonly StoreFlaw[], outageRules)
  const channels = scenario.channels.map((pick, number) => ({
    id: `c${number}`,
    workspaceId: 'w',
    provider: networkNames[pick % networkNames.length] ?? 'plain',
    enabled: true,
    connected: true,
    connection: 'first',
    origin: null,
  }))
  const lastText = new Map<ChannelRow, string>()
  // The last of several parts is a first comment in every other destination: to draw that would change what every seed finds.
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
      announcedWait: null,
      upload: null,
      tries: 0,
      fence: 0,
      leasedBy: null,
      leaseUntil: null,
      parts: Array.from({ length: plan.parts }, (_, index) => ({
        index,
        firstComment: number % 2 === 1 && index > 0 && index === plan.parts - 1,
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
    lateStatements: [],
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

export function trace(sim: Simulation, words: () => string): void {
  sim.trace?.push(`${String(sim.db.now).padStart(8)}  ${words()}`)
}

export function check(sim: Simulation): void {
  sim.violation ??= violationOf(sim)
  for (const { status } of sim.db.destinations) sim.count(`status: ${status}`)
}

/* ---- time ---- */

export function advanceTo(sim: Simulation, time: number): void {
  for (let post = acceptNext(sim.network, time); post !== null; post = acceptNext(sim.network, time)) {
    const { remoteId, key, at } = post
    sim.db.now = Math.max(sim.db.now, at)
    trace(sim, () => `network: ${remoteId} is out, made by ${key}`)
    check(sim)
  }
  sim.db.now = Math.max(sim.db.now, time)
}

/* ---- operations ---- */

export function perform<T>(
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
export function execute(sim: Simulation, operation: Operation): void {
  if (operation.executed) return
  operation.executed = true
  try {
    operation.result = operation.execute()
  } catch (cause) {
    operation.result = cause
  }
  trace(sim, () => `${operation.task.name}: ${operation.label} → ${brief(operation.result)}`)
}

export async function finishCall(sim: Simulation, operation: Operation, loseAnswer: boolean): Promise<void> {
  sim.operations.splice(sim.operations.indexOf(operation), 1)
  const { task, result } = operation
  task.running = true
  if (loseAnswer || result instanceof Error) {
    if (loseAnswer) trace(sim, () => `${task.name}: ${operation.label}: the database is not reached`)
    operation.reject(result instanceof Error ? result : new Error('connection lost'))
  } else {
    operation.resolve(result)
  }
  await settleTasks(task)
}

/** Lets a task run until it waits for the next operation, or is over. */
export async function settleTasks(task: Task): Promise<void> {
  // oxlint-disable-next-line no-unmodified-loop-condition -- the task changes it between two turns
  while (task.running && !task.over) await Promise.resolve()
}

export function brief(result: unknown): string {
  if (result instanceof Error) return result.message
  if (Array.isArray(result)) {
    return `[${result.map((one: { destinationId?: string }) => one.destinationId ?? '?').join(', ')}]`
  }
  return JSON.stringify(result) ?? 'nothing'
}

const adapters: Providers = new Map(networkNames.map((name) => [name, providerOf(networkAdapter(name))]))

/** An adapter that is loaded already. */
function providerOf(adapter: Adapter): Provider {
  return { ...adapter, load: () => Promise.resolve(adapter) }
}

/** The adapters as the engine gets them, with the wrong ideas that it is given about its networks. */
function adaptersFor(flaws: ReadonlySet<Flaw>): Providers {
  const everywhere = flaws.has('repeated where keys are not remembered')
  const forever = flaws.has('keys trusted beyond their window')
  const rash = flaws.has('garbage taken for refused')
  const impatient = flaws.has('processing not waited for')
  if (!everywhere && !forever && !rash && !impatient) return adapters
  return new Map(
    networkNames.map((name) => {
      const adapter = networkAdapter(name)
      const windowMs = forever ? 10 * keyWindowMs : keyWindowMs
      const repeatable = adapter.repeatable !== null || everywhere ? { windowMs } : null
      const judge: typeof adapter.publish.judge = (response, work) =>
        rash && response.status === 500
          ? { is: 'rejected', code: 'processing_failed', detail: 'garbage' }
          : adapter.publish.judge(response, work)
      const publish = { ...adapter.publish, judge }
      const times = impatient ? { settlingMs: 0 } : {}
      return [name, providerOf({ ...adapter, ...times, repeatable, publish })]
    }),
  )
}
