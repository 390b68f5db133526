import { programFile } from '../platform/process/product-files.ts'
import { type JobOrigin, openWorkerPool, type Rejection } from '../platform/process/worker-pool.ts'
import type { MediaJob, ResultOf } from './media-job.ts'

export type MediaWorkers = {
  /** As `run` of a pool of workers. */
  readonly run: <Job extends MediaJob>(
    job: Job | (() => Promise<Job>),
    origin: JobOrigin,
  ) => Promise<ResultOf<Job> | Rejection>
  readonly stop: () => Promise<void>
}

export type MediaWorkerOptions = {
  readonly processes: number
  /** After how long with one job a process is killed; 60 s, and 10 s with a recording or a page, when left out. */
  readonly limitMs?: number
  /** 1.5 GB when left out. */
  readonly maxResidentBytes?: number
}

const LIMIT_MS = 60_000
/** Of a recording only tables are read, and of a page the head: what takes longer is made to. */
const QUICK_LIMIT_MS = 10_000
const QUICK: ReadonlySet<MediaJob['type']> = new Set(['probe', 'read_page'])

/** Opens the processes that decode untrusted files. */
export function openMediaWorkers({
  processes,
  limitMs,
  maxResidentBytes = 1_500_000_000,
}: MediaWorkerOptions): MediaWorkers {
  const pool = openWorkerPool<MediaJob>({
    program: programFile('media-worker'),
    processes,
    limitMs: ({ type }) => limitMs ?? (QUICK.has(type) ? QUICK_LIMIT_MS : LIMIT_MS),
    maxResidentBytes,
  })
  // What a job ends with is as `runMediaJob` says.
  return { run: pool.run as MediaWorkers['run'], stop: pool.stop }
}
