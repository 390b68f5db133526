import type { ProblemCode } from './api.ts'

/** How one attempt ended. */
export type Attempt =
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly code: ProblemCode | null
      readonly retryAfterMs: number | null
    }
  | { readonly kind: 'no answer' }

/** What comes next: another attempt after so many milliseconds, which counts as a retry or as waiting; or the end. */
export type Next = { readonly afterMs: number; readonly counts: boolean } | null

/** Answers of 5xx that another attempt within seconds does not change, or that cost money each time. */
const SETTLED: readonly ProblemCode[] = ['ai_failed']

const FIRST_DELAY_MS = 250
const LONGEST_DELAY_MS = 8_000
/** A server that asks for a longer pause than this is told of as an error, and not waited for. */
const LONGEST_PAUSE_MS = 60_000

/**
 * Whether an attempt is repeated. Every repeat carries the idempotency key of the first, so that none of them doubles an
 * effect: connection errors, 408, 429 and 5xx are repeated `retriesLeft` times; a request that is still running
 * (`idempotency_in_progress`) is waited for. `random` is at least 0 and below 1.
 */
export function nextAttempt(
  attempt: Attempt,
  {
    retried,
    retriesLeft,
    random,
  }: { readonly retried: number; readonly retriesLeft: number; readonly random: number },
): Next {
  const growing = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** retried) * (1 - random / 2)
  if (attempt.kind === 'no answer') return retriesLeft > 0 ? { afterMs: growing, counts: true } : null
  const { status, code, retryAfterMs } = attempt
  const afterMs = retryAfterMs ?? growing
  if (afterMs > LONGEST_PAUSE_MS) return null
  if (code === 'idempotency_in_progress') return { afterMs, counts: false }
  const isPassing =
    status === 408 || status === 429 || (status >= 500 && !SETTLED.includes(code as ProblemCode))
  return isPassing && retriesLeft > 0 ? { afterMs, counts: true } : null
}

/** The `Retry-After` of an answer, in milliseconds; null where there is none that can be read (RFC 9110, 10.2.3). */
export function retryAfterOf(headers: Headers, now: number): number | null {
  const value = headers.get('retry-after')
  if (value === null) return null
  if (/^\d+$/.test(value)) return Number(value) * 1_000
  const at = Date.parse(value)
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}
