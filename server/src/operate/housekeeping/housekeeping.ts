import { setTimeout as delay } from 'node:timers/promises'
import { codeOf, type Db, type Tx } from '../../platform/postgres/db.ts'
import { retryCollisions } from '../../platform/postgres/retry-collisions.ts'

/** One kind of rows or files that is past its time. */
export type HousekeepingTask = {
  readonly name: string
  /** How many are handled at once. */
  readonly batch: number
  /** Handles at most `limit`, and says how many: fewer when none is left. */
  readonly run: (limit: number, signal: AbortSignal) => Promise<number>
}

export type Housekeeping = {
  /** Begins no further batch, and waits for the one under way. */
  stop(): Promise<void>
}

type Options = {
  readonly tasks: readonly HousekeepingTask[]
  /** An hour when left out. */
  readonly everyMs?: number
  /** Called after each task that did not fail. */
  readonly noteTask: () => Promise<void>
  readonly onDone: (task: string, count: number) => void
  readonly onError: (task: string, error: unknown) => void
}

const HOUR_MS = 3_600_000
/** After a task has failed, all of them run again. */
const RETRY_MS = 60_000
/** A statement that takes longer ends its transaction, and the batch is tried again with half as many. */
const STATEMENT_MS = 3_000
/** Any number will do, as long as every process takes the same. */
const TASK_LOCK = 720_575_941
/** The SQLSTATE of a statement that was cancelled. */
const QUERY_CANCELED = '57014'

/**
 * Runs every task now and again from time to time, one after the other and each in batches. Between batches it waits as long as the
 * last one took, so that it never uses more than half of one connection. Any number of processes may do so at once.
 */
export function startHousekeeping({
  tasks,
  everyMs = HOUR_MS,
  noteTask,
  onDone,
  onError,
}: Options): Housekeeping {
  const stopping = new AbortController()
  const { signal } = stopping

  /** Whether a task has failed. */
  async function runAll(): Promise<boolean> {
    let hasFailed = false
    for (const task of tasks) {
      try {
        const count = await runTask(task, signal)
        if (count > 0) onDone(task.name, count)
        await noteTask()
      } catch (error) {
        hasFailed = true
        if (!signal.aborted) onError(task.name, error)
      }
    }
    return hasFailed
  }

  let timer: NodeJS.Timeout | undefined
  async function runAndGoOn(): Promise<void> {
    const hasFailed = await runAll()
    if (signal.aborted) return
    timer = setTimeout(begin, hasFailed ? Math.min(RETRY_MS, everyMs) : everyMs).unref()
  }
  let running = Promise.resolve()
  const begin = () => void (running = runAndGoOn())
  begin()
  return {
    stop() {
      stopping.abort()
      clearTimeout(timer)
      return running
    },
  }
}

async function runTask({ batch, run }: HousekeepingTask, signal: AbortSignal): Promise<number> {
  let total = 0
  let limit = batch
  while (!signal.aborted) {
    const begunMs = performance.now()
    try {
      const count = await retryCollisions(() => run(limit, signal))
      total += count
      if (count < limit) return total
    } catch (error) {
      if (limit === 1 || codeOf(error) !== QUERY_CANCELED) throw error
      limit = Math.ceil(limit / 2)
    }
    await delay(performance.now() - begunMs, undefined, { signal }).catch(() => undefined)
  }
  return total
}

/**
 * A task whose batches are transactions, bounded in time. It is left to the process that is at it: then there is
 * nothing to do for this one.
 */
export function transactionTask(
  db: Db,
  name: string,
  batch: number,
  run: (tx: Tx, limit: number) => Promise<number>,
  statementTimeoutMs = STATEMENT_MS,
): HousekeepingTask {
  return {
    name,
    batch,
    run: (limit) =>
      db.begin(
        async (tx) => {
          const [lock] = await tx<[{ obtained: boolean }]>`
            select pg_try_advisory_xact_lock(${TASK_LOCK}, hashtext(${name})) as obtained`
          return lock.obtained ? run(tx, limit) : 0
        },
        { statementTimeoutMs },
      ),
  }
}
