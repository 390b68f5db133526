import { type ChildProcess, fork } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { JobEnd, MediaJob, Rejection, ResultOf, WorkerMessage } from './media-job.ts'

export type MediaWorkers = {
  /**
   * Runs a job on a file of this workspace in a worker process. Throws only where that process is at fault, and not
   * the file. Workspaces take turns, and none has all workers at once where there are several.
   */
  readonly run: <Job extends MediaJob>(job: Job, workspaceId: string) => Promise<ResultOf<Job> | Rejection>
  readonly stop: () => Promise<void>
}

export type MediaWorkerOptions = {
  /** How many processes there may be; each runs one job at a time. */
  readonly processes: number
  /** After how long with one job a process is killed; 60 s, and 10 s with a recording, when left out. */
  readonly limitMs?: number
  /** How much memory a process may take before it is killed; 1.5 GB when left out. Measured on Linux only. */
  readonly maxResidentBytes?: number
}

/** The disk under a worker failed, and the file is not to blame. */
export class MediaWorkerFault extends Error {
  override name = 'MediaWorkerFault'
}

export function isRejection(ended: unknown): ended is Rejection {
  return typeof ended === 'object' && ended !== null && 'rejected' in ended
}

type QueuedJob = {
  readonly job: MediaJob
  readonly workspaceId: string
  readonly resolve: (result: unknown) => void
  readonly reject: (fault: Error) => void
}

const PROGRAM = join(import.meta.dirname, 'media-worker-process.ts')
const IDLE_MS = 30_000
const START_MS = 30_000
const MEASURE_EVERY_MS = 100
const LIMIT_MS = 60_000
/** Of a recording only tables are read: what takes longer is made to. */
const RECORDING_LIMIT_MS = 10_000
/** A process is replaced after so many jobs, whatever a decoder may have leaked by then. */
const JOBS_PER_PROCESS = 1_000

/**
 * A pool of processes that decode files of strangers: started on demand, ended when idle. One that takes too long,
 * takes too much memory or crashes is killed, and its file rejected; the next job gets a new process.
 */
export function openMediaWorkers(options: MediaWorkerOptions): MediaWorkers {
  const { processes, limitMs = null, maxResidentBytes = 1_500_000_000 } = options
  const queue: QueuedJob[] = []
  const idle: Worker[] = []
  const all = new Set<Worker>()
  const turns = takeTurns(Math.max(1, processes - 1))
  let stopped = false

  function next(): void {
    while (queue.length > 0) {
      const queued = turns.choose(queue)
      if (queued === undefined) return
      const worker = idle.pop() ?? (all.size < processes ? start() : undefined)
      if (worker === undefined) return
      queue.splice(queue.indexOf(queued), 1)
      const done = turns.begin(queued.workspaceId)
      void worker.run(queued.job).then((ended) => {
        done()
        if (worker.usable() && !stopped) idle.push(worker)
        else void worker.end()
        if (ended instanceof Error) queued.reject(ended)
        else queued.resolve(ended)
        next()
      })
    }
  }

  function start(): Worker {
    const worker = startWorker({ limitMs, maxResidentBytes }, () => {
      all.delete(worker)
      const at = idle.indexOf(worker)
      if (at >= 0) idle.splice(at, 1)
      next()
    })
    all.add(worker)
    return worker
  }

  return {
    run<Job extends MediaJob>(job: Job, workspaceId: string) {
      return new Promise<ResultOf<Job> | Rejection>((resolve, reject) => {
        if (stopped) return reject(new Error('the media workers have been stopped'))
        queue.push({ job, workspaceId, resolve: resolve as (result: unknown) => void, reject })
        next()
      })
    },
    async stop() {
      stopped = true
      for (const { reject } of queue.splice(0)) reject(new Error('the media workers have been stopped'))
      await Promise.all([...all].map((worker) => worker.end()))
    },
  }
}

/** Whose turn it is: of those with less than `maxRunning` jobs running, whoever had theirs the longest ago. */
function takeTurns(maxRunning: number) {
  const turns = new Map<string, { last: number; running: number }>()
  let turn = 0
  const of = (workspaceId: string) => turns.get(workspaceId) ?? { last: 0, running: 0 }
  return {
    choose(queue: readonly QueuedJob[]): QueuedJob | undefined {
      let chosen: QueuedJob | undefined
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

type Worker = {
  /** A result, a rejection, or the fault that kept it from either. */
  readonly run: (job: MediaJob) => Promise<unknown>
  readonly usable: () => boolean
  readonly end: () => Promise<void>
}

/** Starts one process. */
function startWorker(
  limits: { limitMs: number | null; maxResidentBytes: number },
  onEnd: () => void,
): Worker {
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
  let jobs = 0
  const ready = Promise.withResolvers<boolean>()
  const starting = setTimeout(() => child.kill('SIGKILL'), START_MS).unref()
  void ready.promise.then(() => clearTimeout(starting))
  let idleTimer: NodeJS.Timeout | undefined
  let current: { id: number; settle: (end: JobEnd | { died: true }) => void } | null = null
  const ended = new Promise<void>((resolve) => {
    child.once('exit', resolve)
    child.once('error', () => resolve())
  }).then(() => {
    clearTimeout(idleTimer)
    ready.resolve(false)
    current?.settle({ died: true })
    onEnd()
  })
  child.on('message', (message: WorkerMessage) => {
    if ('ready' in message) ready.resolve(true)
    else if (message.id === current?.id) current.settle(message)
  })

  async function run(job: MediaJob): Promise<unknown> {
    clearTimeout(idleTimer)
    const id = ++jobs
    child.ref()
    child.channel?.ref()
    if (!(await ready.promise)) return new Error('a media worker could not be started')
    const limitMs = limits.limitMs ?? (job.type === 'probe' ? RECORDING_LIMIT_MS : LIMIT_MS)
    const limiter = limitProcess(child, { ...limits, limitMs })
    const end = await new Promise<JobEnd | { died: true }>((settle) => {
      current = { id, settle }
      child.send({ id, job }, (fault) => {
        if (fault !== null) settle({ died: true })
      })
    })
    current = null
    const killedFor = limiter.stop()
    child.unref()
    child.channel?.unref()
    idleTimer = setTimeout(() => void stop(), IDLE_MS).unref()

    if ('result' in end) return end.result
    if ('rejected' in end) return { rejected: end.rejected }
    if ('fault' in end) return new MediaWorkerFault(`a media worker failed: ${end.fault}`)
    return { rejected: killedFor ?? 'It broke the decoder that tried to read it.' }
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
function limitProcess(
  child: ChildProcess,
  { limitMs, maxResidentBytes }: { limitMs: number; maxResidentBytes: number },
) {
  let killedFor: string | null = null
  function kill(why: string): void {
    killedFor = why
    child.kill('SIGKILL')
  }
  const timer = setTimeout(() => kill('It takes too long to decode. Make it smaller or simpler.'), limitMs)
  const measuring = setInterval(() => {
    void residentBytes(child.pid).then((bytes) => {
      if (bytes > maxResidentBytes) kill('It takes too much memory to decode. Make it smaller or simpler.')
    })
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

/** 0 where it cannot be told: elsewhere than on Linux, or of a process that has ended. */
async function residentBytes(pid: number | undefined): Promise<number> {
  const text = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '0 0')
  return Number(text.split(' ')[1] ?? 0) * PAGE_BYTES
}
