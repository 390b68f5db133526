import { type ChildProcess, fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { ownChild } from './own-child.ts'

export type WorkerPool<Job> = {
  /**
   * Runs a job on a file in a worker process. Throws only where that process or the disk is at fault, and not the
   * file: WorkerFault, for which another try may do. Workspaces take turns, and none has all workers at once
   * where there are several.
   */
  readonly run: (
    /** Or how to make it: called when a worker is free, so that nothing is prepared that still has to wait. */
    job: Job | (() => Promise<Job>),
    origin: JobOrigin,
  ) => Promise<unknown>
  readonly stop: () => Promise<void>
}

/** Why a file was rejected, in words for its sender. `undecodable`: it is no whole file of its type. */
export type Rejection = { readonly rejected: string; readonly undecodable?: true }

export type JobEnd =
  | { readonly result: unknown }
  | Rejection
  /** The disk failed, and the file is not to blame. */
  | { readonly fault: string }

/** What a worker says: that it can begin, or how a job ended. */
export type WorkerMessage = { readonly ready: true } | { readonly id: number; readonly end: JobEnd }

export type JobRequest = { readonly id: number; readonly job: unknown }

export type JobOrigin = {
  readonly workspaceId: string
  /**
   * What names the file, in whichever jobs: a file whose jobs end their processes again and again is rejected. Asked for only where one has
   * ended.
   */
  readonly fileId: string | (() => string)
  /** Aborted when no caller waits any more: then the job is not begun. One that runs goes on. */
  readonly signal?: AbortSignal
}

export type WorkerPoolOptions<Job> = {
  /** The file of the program that runs the jobs; it calls `serveJobs`. */
  readonly program: string
  /** How many processes there may be; each runs one job at a time. */
  readonly processes: number
  /** After how long with a job a process is killed. */
  readonly limitMs: (job: Job) => number
  /** How much memory a process may take before it is killed. Measured on Linux only. */
  readonly maxResidentBytes: number
}

/** A worker or the disk under it failed, and the file is not to blame, as far as is known. */
export class WorkerFault extends Error {
  override name = 'WorkerFault'
}

export function isRejection(ended: unknown): ended is Rejection {
  return typeof ended === 'object' && ended !== null && 'rejected' in ended
}

type QueuedJob<Job> = JobOrigin & {
  readonly job: () => Promise<Job>
  /** It was run before, and its process died. */
  readonly retried: boolean
  readonly resolve: (result: unknown) => void
  readonly reject: (fault: unknown) => void
}

const IDLE_MS = 30_000
const START_MS = 30_000
const MEASURE_EVERY_MS = 10
/** A process is replaced after so many jobs, whatever a decoder may have leaked by then. */
const JOBS_PER_PROCESS = 1_000

/**
 * A pool of processes that decode untrusted files: started on demand, ended when idle. One that takes too long or
 * too much memory is killed, and its file rejected. Where one dies by itself, another one tries the job again. If that
 * dies, too, the file is to blame for a crash; for a kill, which may be the system's when memory runs out, only after
 * MAX_DEATHS.
 */
export function openWorkerPool<Job>(options: WorkerPoolOptions<Job>): WorkerPool<Job> {
  const { processes } = options
  const queue: QueuedJob<Job>[] = []
  const idle: Worker<Job>[] = []
  const all = new Set<Worker<Job>>()
  const turns = takeTurns(Math.max(1, processes - 1))
  const deaths = countDeaths()
  let stopped = false

  function next(): void {
    while (queue.length > 0) {
      const queued = turns.choose(queue)
      if (queued === undefined) return
      const worker = idle.pop() ?? (all.size < processes ? start() : undefined)
      if (worker === undefined) return
      queue.splice(queue.indexOf(queued), 1)
      const done = turns.begin(queued.workspaceId)
      void runQueued(worker, queued).finally(() => {
        done()
        next()
      })
    }
  }

  async function runQueued(worker: Worker<Job>, queued: QueuedJob<Job>): Promise<void> {
    const { job, fileId, retried, resolve, reject } = queued
    try {
      const made = await job()
      const end = await worker.run(made)
      if (end.is === 'ended') {
        if (deaths.hasAny()) deaths.forget(nameOf(fileId))
        return resolve(end.result)
      }
      if (end.is === 'failed') return reject(new WorkerFault(end.fault))
      const isDeadly = deaths.add(nameOf(fileId)) || (retried && !end.wasKilled)
      if (isDeadly) return resolve({ rejected: DEADLY })
      if (retried || stopped) return reject(new WorkerFault(`a worker died: ${end.of}`))
      queue.unshift({ ...queued, job: () => Promise.resolve(made), retried: true })
    } catch (fault) {
      reject(fault)
    } finally {
      if (worker.usable() && !stopped) idle.push(worker)
      else void worker.end()
    }
  }

  function start(): Worker<Job> {
    const worker = startWorker(options, () => {
      all.delete(worker)
      const at = idle.indexOf(worker)
      if (at >= 0) idle.splice(at, 1)
      next()
    })
    all.add(worker)
    return worker
  }

  return {
    run(job, origin) {
      return new Promise((resolve, reject) => {
        if (stopped) return reject(new WorkerFault(STOPPED))
        const queued: QueuedJob<Job> = {
          ...origin,
          retried: false,
          job: typeof job === 'function' ? (job as () => Promise<Job>) : () => Promise.resolve(job),
          resolve,
          reject,
        }
        const { signal } = origin
        if (signal?.aborted === true) return reject(signal.reason)
        const leave = () => {
          const at = queue.indexOf(queued)
          if (at >= 0) queue.splice(at, 1)
          if (at >= 0) reject(signal?.reason)
        }
        signal?.addEventListener('abort', leave, { once: true })
        queue.push(queued)
        next()
      })
    },
    async stop() {
      stopped = true
      for (const { reject } of queue.splice(0)) reject(new WorkerFault(STOPPED))
      await Promise.all([...all].map((worker) => worker.end()))
    },
  }
}

const STOPPED = 'the workers have been stopped'
const DEADLY = 'It crashes every process that tries to decode it. Export it again with another program.'

function nameOf(fileId: JobOrigin['fileId']): string {
  return typeof fileId === 'function' ? fileId() : fileId
}

/** Two for each time that the file is sent: who was told to come back, and does, is told that it is the file. */
const MAX_DEATHS = 4
const MAX_COUNTED = 1_000

/** Counts how many processes died over a file. `add` says whether it is to blame by now. */
function countDeaths() {
  const deaths = new Map<string, number>()
  return {
    add(fileId: string): boolean {
      const count = (deaths.get(fileId) ?? 0) + 1
      deaths.delete(fileId)
      deaths.set(fileId, count)
      const [oldest] = deaths.keys()
      if (deaths.size > MAX_COUNTED && oldest !== undefined) deaths.delete(oldest)
      return count >= MAX_DEATHS
    },
    hasAny: () => deaths.size > 0,
    forget: (fileId: string) => deaths.delete(fileId),
  }
}

/** Whose turn it is: of those with less than `maxRunning` jobs running, the one that had its turn the longest ago. */
function takeTurns(maxRunning: number) {
  const turns = new Map<string, { last: number; running: number }>()
  let turn = 0
  const of = (workspaceId: string) => turns.get(workspaceId) ?? { last: 0, running: 0 }
  return {
    choose<Queued extends JobOrigin>(queue: readonly Queued[]): Queued | undefined {
      let chosen: Queued | undefined
      for (const queued of queue) {
        const { last, running } = of(queued.workspaceId)
        if (running >= maxRunning) continue
        if (chosen === undefined || last < of(chosen.workspaceId).last) chosen = queued
      }
      return chosen
    },
    /** Returns what is to be called when the job is over. */
    begin(workspaceId: string): () => void {
      turns.set(workspaceId, { last: ++turn, running: of(workspaceId).running + 1 })
      return () => {
        const { last, running } = of(workspaceId)
        turns.set(workspaceId, { last, running: running - 1 })
      }
    },
  }
}

type WorkerEnd =
  /** With a result, or a rejection of the file. */
  | { readonly is: 'ended'; readonly result: unknown }
  /** The process failed, and says so. */
  | { readonly is: 'failed'; readonly fault: string }
  /** The process is gone, and not by our doing. `wasKilled`: by another's, perhaps the system's, when memory ran out. */
  | { readonly is: 'died'; readonly of: string; readonly wasKilled: boolean }

type Worker<Job> = {
  readonly run: (job: Job) => Promise<WorkerEnd>
  readonly usable: () => boolean
  readonly end: () => Promise<void>
}

const KILLS = new Set<NodeJS.Signals | null>(['SIGKILL', 'SIGTERM'])

/** Starts one process. */
function startWorker<Job>(limits: WorkerPoolOptions<Job>, onEnd: () => void): Worker<Job> {
  const child = fork(limits.program, [], {
    // Nothing of the environment: no secret is there for a decoder gone wrong. The allocator keeps few arenas.
    env: { MALLOC_ARENA_MAX: '2' },
    execArgv: [
      '--max-old-space-size=256',
      '--max-semi-space-size=1',
      '--disable-warning=ExperimentalWarning',
    ],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // Long texts are copied, and not written and read as JSON.
    serialization: 'advanced',
  })
  ownChild(child)
  child.unref()
  child.channel?.unref()
  let jobs = 0
  let startFault: Error | null = null
  const ready = Promise.withResolvers<boolean>()
  const starting = setTimeout(() => child.kill('SIGKILL'), START_MS).unref()
  void ready.promise.then(() => clearTimeout(starting))
  let idleTimer: NodeJS.Timeout | undefined
  let current: { id: number; settle: (end: JobEnd | 'died') => void } | null = null
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    // Without descriptors or memory there is no process, and no exit.
    child.on('error', (fault) => {
      startFault ??= fault
      if (child.pid === undefined) resolve()
    })
  }).then(() => {
    clearTimeout(idleTimer)
    ready.resolve(false)
    current?.settle('died')
    onEnd()
  })
  child.on('message', (message: WorkerMessage) => {
    if ('ready' in message) ready.resolve(true)
    else if (message.id === current?.id) current.settle(message.end)
  })

  async function run(job: Job): Promise<WorkerEnd> {
    clearTimeout(idleTimer)
    const id = ++jobs
    child.ref()
    child.channel?.ref()
    if (!(await ready.promise)) {
      return {
        is: 'failed',
        fault: `a worker could not be started: ${startFault?.message ?? howEnded()}`,
      }
    }
    const limiter = limitProcess(child, limits.limitMs(job), limits.maxResidentBytes)
    const end = await new Promise<JobEnd | 'died'>((settle) => {
      current = { id, settle }
      child.send({ id, job }, (fault) => {
        if (fault !== null) settle('died')
      })
    })
    current = null
    const killedFor = limiter.stop()
    child.unref()
    child.channel?.unref()
    idleTimer = setTimeout(() => void stop(), IDLE_MS).unref()

    if (end === 'died') {
      child.kill('SIGKILL')
      await ended
      return killedFor === null
        ? { is: 'died', of: howEnded(), wasKilled: KILLS.has(child.signalCode) }
        : { is: 'ended', result: { rejected: killedFor } }
    }
    if ('fault' in end) return { is: 'failed', fault: `a worker failed: ${end.fault}` }
    return { is: 'ended', result: 'result' in end ? end.result : end }
  }

  function howEnded(): string {
    return child.signalCode ?? `exit code ${child.exitCode}`
  }

  async function stop(): Promise<void> {
    child.ref()
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await ended
  }

  return {
    run,
    usable: () =>
      jobs < JOBS_PER_PROCESS && child.connected && child.exitCode === null && child.signalCode === null,
    end: stop,
  }
}

/** Kills the process when it takes too long or too much memory; `stop` says what it was killed for. */
function limitProcess(child: ChildProcess, limitMs: number, maxResidentBytes: number) {
  let killedFor: string | null = null
  function kill(why: string): void {
    killedFor = why
    child.kill('SIGKILL')
  }
  const timer = setTimeout(() => kill('It takes too long to decode. Make it smaller or simpler.'), limitMs)
  const measuring = setInterval(() => {
    if (residentBytes(child.pid) > maxResidentBytes)
      kill('It takes too much memory to decode. Make it smaller or simpler.')
  }, MEASURE_EVERY_MS)
  return {
    stop(): string | null {
      clearTimeout(timer)
      clearInterval(measuring)
      return killedFor
    },
  }
}

const PAGE_BYTES = 4_096

/**
 * 0 where it cannot be told: elsewhere than on Linux, or of a process that has ended. Read at once, in some 20 µs: behind the files that
 * are being written, the answer would come when the kernel has ended a process already, which may be the server.
 */
function residentBytes(pid: number | undefined): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1] ?? 0) * PAGE_BYTES
  } catch {
    return 0
  }
}
