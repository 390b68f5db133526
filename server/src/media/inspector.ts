import { type ChildProcess, fork } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FindingOf, Inspection, Objection, Report } from './inspection.ts'

export type Inspector = {
  /** Has a file opened in another process. Throws only where that process is at fault, and not the file. */
  readonly inspect: <I extends Inspection>(inspection: I) => Promise<FindingOf<I> | Objection>
  readonly stop: () => Promise<void>
}

export type InspectorOptions = {
  /** How many processes there may be; each has one file in hand. */
  readonly processes: number
  /** After how long with one file a process is killed; 60 s when left out. */
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
  readonly resolve: (found: unknown) => void
  readonly reject: (fault: Error) => void
}

const PROGRAM = join(import.meta.dirname, 'inspector-process.ts')
const IDLE_MS = 30_000
const START_MS = 30_000
const LOOK_EVERY_MS = 100
/** A process is replaced after so many files, whatever a decoder may have leaked by then. */
const FILES_EACH = 1_000

/**
 * Processes that open the files of strangers: begun when they are wanted, ended when they are not. One that takes too
 * long, takes too much memory or crashes is gone, and its file is objected to; the next file gets a new process.
 */
export function openInspector(options: InspectorOptions): Inspector {
  const { processes, limitMs = 60_000, maxResidentBytes = 1_500_000_000 } = options
  const waiting: Errand[] = []
  const idle: Bench[] = []
  const all = new Set<Bench>()
  let stopped = false

  function next(): void {
    while (waiting.length > 0) {
      const bench = idle.pop() ?? (all.size < processes ? begin() : undefined)
      const errand = bench && waiting.shift()
      if (bench === undefined || errand === undefined) return
      void bench.run(errand.inspection).then((ending) => {
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
    inspect<I extends Inspection>(inspection: I) {
      return new Promise<FindingOf<I> | Objection>((resolve, reject) => {
        if (stopped) return reject(new Error('the inspectors have been stopped'))
        waiting.push({ inspection, resolve: resolve as (found: unknown) => void, reject })
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

type Bench = {
  /** A finding, an objection, or the fault that kept it from either. */
  readonly run: (inspection: Inspection) => Promise<unknown>
  readonly usable: () => boolean
  readonly end: () => Promise<void>
}

/** One process. */
function openBench(limits: { limitMs: number; maxResidentBytes: number }, onEnd: () => void): Bench {
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
    const watch = watchOver(child, limits)
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
