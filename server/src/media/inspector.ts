import { type ChildProcess, fork } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FindingOf, Inspection, Objection, Report } from './inspection.ts'

export type Inspector = {
  /**
   * Has a file of this workspace opened in another process. Throws only where that process is at fault, and not the
   * file. Workspaces take turns, and none has all processes at once where there are several.
   */
  readonly inspect: <I extends Inspection>(
    inspection: I,
    workspaceId: string,
  ) => Promise<FindingOf<I> | Objection>
  readonly stop: () => Promise<void>
}

export type InspectorOptions = {
  /** How many processes there may be; each has one file in hand. */
  readonly processes: number
  /** After how long with one file a process is killed; 60 s, and 10 s with a recording, when left out. */
  readonly limitMs?: number
  /** How much memory a process may take before it is killed; 1.5 GB when left out. Looked at on Linux only. */
  readonly maxResidentBytes?: number
}

/** The disk under an inspector failed, and the file is not to blame. */
export class NoRoom extends Error {
  override name = 'NoRoom'
}

export function isObjection(found: unknown): found is Objection {
  return typeof found === 'object' && found !== null && 'objection' in found
}

type Errand = {
  readonly inspection: Inspection
  readonly workspaceId: string
  readonly resolve: (found: unknown) => void
  readonly reject: (fault: Error) => void
}

const PROGRAM = join(import.meta.dirname, 'inspector-process.ts')
const IDLE_MS = 30_000
const START_MS = 30_000
const LOOK_EVERY_MS = 100
const LIMIT_MS = 60_000
/** Of a recording only tables are read: what takes longer is made to. */
const RECORDING_LIMIT_MS = 10_000
/** A process is replaced after so many files, whatever a decoder may have leaked by then. */
const FILES_EACH = 1_000

/**
 * Processes that open the files of strangers: begun when they are wanted, ended when they are not. One that takes too
 * long, takes too much memory or crashes is gone, and its file is objected to; the next file gets a new process.
 */
export function openInspector(options: InspectorOptions): Inspector {
  const { processes, limitMs = null, maxResidentBytes = 1_500_000_000 } = options
  const waiting: Errand[] = []
  const idle: Bench[] = []
  const all = new Set<Bench>()
  const turns = takeTurns(Math.max(1, processes - 1))
  let stopped = false

  function next(): void {
    while (waiting.length > 0) {
      const errand = turns.choose(waiting)
      if (errand === undefined) return
      const bench = idle.pop() ?? (all.size < processes ? begin() : undefined)
      if (bench === undefined) return
      waiting.splice(waiting.indexOf(errand), 1)
      const done = turns.begin(errand.workspaceId)
      void bench.run(errand.inspection).then((ending) => {
        done()
        if (bench.usable() && !stopped) idle.push(bench)
        else void bench.end()
        if (ending instanceof Error) errand.reject(ending)
        else errand.resolve(ending)
        next()
      })
    }
  }

  function begin(): Bench {
    const bench = openBench({ limitMs, maxResidentBytes }, () => {
      all.delete(bench)
      const at = idle.indexOf(bench)
      if (at >= 0) idle.splice(at, 1)
      next()
    })
    all.add(bench)
    return bench
  }

  return {
    inspect<I extends Inspection>(inspection: I, workspaceId: string) {
      return new Promise<FindingOf<I> | Objection>((resolve, reject) => {
        if (stopped) return reject(new Error('the inspectors have been stopped'))
        waiting.push({ inspection, workspaceId, resolve: resolve as (found: unknown) => void, reject })
        next()
      })
    },
    async stop() {
      stopped = true
      for (const { reject } of waiting.splice(0)) reject(new Error('the inspectors have been stopped'))
      await Promise.all([...all].map((bench) => bench.end()))
    },
  }
}

/** Whose turn it is: of those who have less than `most` under way, whoever had theirs the longest ago. */
function takeTurns(most: number) {
  const had = new Map<string, { last: number; underWay: number }>()
  let turn = 0
  const of = (workspaceId: string) => had.get(workspaceId) ?? { last: 0, underWay: 0 }
  return {
    choose(waiting: readonly Errand[]): Errand | undefined {
      let chosen: Errand | undefined
      for (const errand of waiting) {
        const { last, underWay } = of(errand.workspaceId)
        if (underWay >= most) continue
        if (chosen === undefined || last < of(chosen.workspaceId).last) chosen = errand
      }
      return chosen
    },
    /** Gives what is to be called when it is over. */
    begin(workspaceId: string): () => void {
      had.set(workspaceId, { last: ++turn, underWay: of(workspaceId).underWay + 1 })
      return () => {
        const { last, underWay } = of(workspaceId)
        had.set(workspaceId, { last, underWay: underWay - 1 })
      }
    },
  }
}

type Bench = {
  /** A finding, an objection, or the fault that kept it from either. */
  readonly run: (inspection: Inspection) => Promise<unknown>
  readonly usable: () => boolean
  readonly end: () => Promise<void>
}

/** One process. */
function openBench(limits: { limitMs: number | null; maxResidentBytes: number }, onEnd: () => void): Bench {
  const child = fork(PROGRAM, [], {
    // Nothing of the environment: no secret is there for a decoder gone wrong. The allocator keeps few arenas.
    env: { MALLOC_ARENA_MAX: '2' },
    execArgv: [
      '--max-old-space-size=256',
      '--max-semi-space-size=1',
      '--disable-warning=ExperimentalWarning',
    ],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  child.unref()
  child.channel?.unref()
  let files = 0
  const ready = Promise.withResolvers<boolean>()
  const starting = setTimeout(() => child.kill('SIGKILL'), START_MS).unref()
  void ready.promise.then(() => clearTimeout(starting))
  let resting: NodeJS.Timeout | undefined
  let current: { id: number; told: (report: Report | { ended: true }) => void } | null = null
  const ended = new Promise<void>((resolve) => {
    child.once('exit', resolve)
    child.once('error', () => resolve())
  }).then(() => {
    clearTimeout(resting)
    ready.resolve(false)
    current?.told({ ended: true })
    onEnd()
  })
  child.on('message', (report: Report) => {
    if ('ready' in report) ready.resolve(true)
    else if (report.id === current?.id) current.told(report)
  })

  async function run(inspection: Inspection): Promise<unknown> {
    clearTimeout(resting)
    const id = ++files
    child.ref()
    child.channel?.ref()
    if (!(await ready.promise)) return new Error('an inspector could not be started')
    const limitMs = limits.limitMs ?? (inspection.do === 'measure' ? RECORDING_LIMIT_MS : LIMIT_MS)
    const watch = watchOver(child, { ...limits, limitMs })
    const report = await new Promise<Report | { ended: true }>((told) => {
      current = { id, told }
      child.send({ id, inspection }, (fault) => {
        if (fault !== null) told({ ended: true })
      })
    })
    current = null
    const killedFor = watch.stop()
    child.unref()
    child.channel?.unref()
    resting = setTimeout(() => void end(), IDLE_MS).unref()

    if ('finding' in report) return report.finding
    if ('objection' in report) return { objection: report.objection }
    if ('fault' in report) return new NoRoom(`an inspector failed: ${report.fault}`)
    return { objection: killedFor ?? 'It broke the decoder that tried to read it.' }
  }

  async function end(): Promise<void> {
    child.ref()
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await ended
  }

  return {
    run,
    usable: () =>
      files < FILES_EACH && child.connected && child.exitCode === null && child.signalCode === null,
    end,
  }
}

/** Kills the process when it takes too long or too much; `stop` says what it was killed for. */
function watchOver(
  child: ChildProcess,
  { limitMs, maxResidentBytes }: { limitMs: number; maxResidentBytes: number },
) {
  let killedFor: string | null = null
  function kill(why: string): void {
    killedFor = why
    child.kill('SIGKILL')
  }
  const limit = setTimeout(() => kill('It takes too long to decode. Make it smaller or simpler.'), limitMs)
  const looking = setInterval(() => {
    void residentBytes(child.pid).then((bytes) => {
      if (bytes > maxResidentBytes) kill('It takes too much memory to decode. Make it smaller or simpler.')
    })
  }, LOOK_EVERY_MS)
  return {
    stop(): string | null {
      clearTimeout(limit)
      clearInterval(looking)
      return killedFor
    },
  }
}

const PAGE_BYTES = 4_096

/** 0 where it cannot be told: elsewhere than on Linux, or of a process that has ended. */
async function residentBytes(pid: number | undefined): Promise<number> {
  const text = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '0 0')
  return Number(text.split(' ')[1] ?? 0) * PAGE_BYTES
}
