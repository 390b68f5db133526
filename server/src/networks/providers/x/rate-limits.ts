import { msUntilReset, retryAfterMs } from '../shared/answers.ts'
import type { HttpResponse } from '../port/calls.ts'
import type { RateBudget } from '../port/port.ts'

/**
 * `x-rate-limit-*` is the window of the endpoint (https://docs.x.com/x-api/fundamentals/rate-limits); posting has daily
 * limits of the user and of the app besides. Resets are in seconds of Unix time.
 */
const LIMITS = ['x-rate-limit', 'x-user-limit-24hour', 'x-app-limit-24hour']

/** The tightest of the limits that an answer tells. */
export function readBudget(response: HttpResponse, _purpose: unknown, now: Date): RateBudget | null {
  const [tightest] = limitsIn(response).toSorted(
    (a, b) => a.remaining - b.remaining || b.resetsAt - a.resetsAt,
  )
  if (tightest === undefined) return null
  const { remaining, resetsAt } = tightest
  return { remaining, resetsInMs: Math.max(0, resetsAt - now.getTime()) }
}

/** How long the limits that are spent hold, by the clock of the server itself. */
export function rateLimitMs(response: HttpResponse): number | null {
  const waits = limitsIn(response)
    .filter(({ remaining }) => remaining === 0)
    .map(({ resetsAt }) => msUntilReset(resetsAt, response))
    .filter((waitMs) => waitMs !== null)
  return waits.length === 0 ? retryAfterMs(response.headers) : Math.max(...waits)
}

function limitsIn({ headers }: HttpResponse): { readonly remaining: number; readonly resetsAt: number }[] {
  return LIMITS.flatMap((limit) => {
    const remaining = headers[`${limit}-remaining`] ?? ''
    const reset = headers[`${limit}-reset`] ?? ''
    const readable = /^\d{1,9}$/.test(remaining) && /^\d{1,11}$/.test(reset)
    return readable ? [{ remaining: Number(remaining), resetsAt: Number(reset) * 1_000 }] : []
  })
}
