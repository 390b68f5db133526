import { waitAt } from './decide-outcome.ts'

export type Breaker = {
  /** Milliseconds for which nothing should be sent there; 0 lets one call through. */
  readonly retryAfterMs: (origin: string) => number
  /** What the call, or the attempt to make one, showed: whether the other side works. */
  readonly record: (origin: string, works: boolean) => void
}

type Circuit = { failures: number; openUntil: number }

const failuresToOpen = 5
const holdMs = [5_000, 15_000, 30_000, 60_000, 2 * 60_000, 5 * 60_000] as const
/** How long the others wait for what the probe shows; a probe that is never heard of lets another go ahead then. */
const probeMs = 30_000

/**
 * Holds work back from a provider that is down, so that an outage costs neither calls nor doubts. After some failures
 * in a row nothing is sent for a while; then one call goes ahead as a probe, and only its success lets the others
 * through. It delays the start of work and never ends any. Each process learns for itself.
 */
export function openBreaker(clock: () => number): Breaker {
  const circuits = new Map<string, Circuit>()

  return {
    retryAfterMs(origin) {
      const circuit = circuits.get(origin)
      if (circuit === undefined || circuit.failures < failuresToOpen) return 0
      const leftMs = circuit.openUntil - clock()
      if (leftMs > 0) return leftMs
      circuit.openUntil = clock() + probeMs
      return 0
    },
    record(origin, works) {
      if (works) {
        circuits.delete(origin)
        return
      }
      const failures = (circuits.get(origin)?.failures ?? 0) + 1
      const openUntil = clock() + waitAt(holdMs, failures - failuresToOpen)
      circuits.set(origin, { failures, openUntil })
    },
  }
}
