import { LateError, OfflineError } from './problem.ts'

/** How long after a click its requests may be sent. Whoever sees nothing happen by then has done something else. */
const WRITE_MS = 60_000
/** How often the clock is looked at: timers stand still while a computer sleeps, and its clock goes on. */
const LOOK_MS = 1_000

/**
 * Until when what a click of now asks for may be sent, however many requests that takes, by this computer's clock. `waitMs`: how
 * long it can be taken back first.
 */
export const untilOf = (waitMs = 0): number => Date.now() + waitMs + WRITE_MS

/** Runs what is over by then: it is not begun later, and given up where it has no answer. */
export async function within<Result>(
  until: number,
  run: (limit: AbortSignal) => Promise<Result>,
): Promise<Result> {
  if (Date.now() > until) throw new LateError('not sent')
  const limit = new AbortController()
  const timer = setInterval(() => {
    if (Date.now() > until) limit.abort(new OfflineError('no answer in time'))
  }, LOOK_MS)
  return run(limit.signal).finally(() => clearInterval(timer))
}
