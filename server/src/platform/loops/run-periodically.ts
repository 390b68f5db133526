import { retryCollisions } from '../postgres/retry-collisions.ts'

/**
 * Runs a task repeatedly, each time `everyMs` after the last has ended; `stop` waits for the one under way. One that collides with
 * another transaction runs again at once.
 */
export function runPeriodically(
  task: () => Promise<void>,
  everyMs: number,
  onFault: (fault: unknown) => void,
): { stop(): Promise<void> } {
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()

  function next(): void {
    timer = setTimeout(() => {
      running = retryCollisions(task)
        .catch(onFault)
        .then(() => {
          if (!stopped) next()
        })
    }, everyMs)
  }
  next()
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}

/** Waits for the task for `ms` at most; the task itself continues. */
export async function settledWithin(ms: number, task: () => Promise<void>): Promise<void> {
  const limit = Promise.withResolvers<void>()
  const timer = setTimeout(limit.resolve, ms)
  try {
    await Promise.race([task(), limit.promise])
  } finally {
    clearTimeout(timer)
  }
}
