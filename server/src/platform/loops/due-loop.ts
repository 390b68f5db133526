import { retryCollisions } from '../postgres/retry-collisions.ts'

export type DueLoopOptions = {
  /**
   * Claims what is due and starts its work. Returns in how many milliseconds to run again, if nothing wakes the loop
   * before; null when nothing is known to become due. What becomes due while it runs must count: ask for the next due
   * time before claiming.
   */
  readonly claim: () => Promise<number | null>
  /** The longest time between two runs, in milliseconds: the longest delay that a lost notification causes. */
  readonly maxWaitMs: number
  /** How long to wait after a run that failed, in milliseconds. */
  readonly retryAfterMs: number
  readonly onError: (error: unknown) => void
}

export type DueLoop = {
  /** Runs now; while a run is under way, once more after it, since it may have looked too early. */
  readonly wake: () => void
  /** Begins no further run, and waits for the one under way. */
  readonly stop: () => Promise<void>
}

/** Runs a claim whenever it is woken or the next row is due, and never two at a time. The first run begins at once. */
export function startDueLoop({ claim, maxWaitMs, retryAfterMs, onError }: DueLoopOptions): DueLoop {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | null = null
  let woken = false
  let stopped = false

  function wake(): void {
    if (stopped) return
    woken = true
    clearTimeout(timer)
    running ??= runWhileWoken()
  }

  async function runWhileWoken(): Promise<void> {
    let waitMs = 0
    while (woken && !stopped) {
      woken = false
      waitMs = await runOnce()
    }
    // In the same turn as the last check of `woken`: a `wake` from now on starts the next run.
    running = null
    if (!stopped) timer = setTimeout(wake, waitMs)
  }

  async function runOnce(): Promise<number> {
    try {
      const dueInMs = (await retryCollisions(claim)) ?? maxWaitMs
      return Math.min(Math.max(Math.ceil(dueInMs), 0), maxWaitMs)
    } catch (error) {
      onError(error)
      return retryAfterMs
    }
  }

  wake()
  return {
    wake,
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}
