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

/** By how much the server's clock is ahead of this computer's, as of its last answer; null before the first. */
let serverAheadMs: number | null = null

/** Notes what time it is at the server, by an answer that has just come. */
export function noteTime(answer: Response): Response {
  const at = Number(answer.headers.get('x-postrider-now') ?? 0)
  if (at > 0) serverAheadMs = at - Date.now()
  return answer
}

/**
 * Has the server refuse what comes later: what has left this page once can still be held up, by a computer that falls asleep or a line
 * that breaks, and nothing here takes it back.
 */
export function limitArrival(headers: Headers, until: number): void {
  if (serverAheadMs !== null) headers.set('x-postrider-until', String(Math.round(until + serverAheadMs)))
}

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
