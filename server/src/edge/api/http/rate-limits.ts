const WINDOW_MS = 60_000

/** What is left of a limit: `resetSeconds` until it is whole again, and the same as clients read it. */
export type Allowance = { allowed: boolean; resetSeconds: number; field: string }

export type RateLimit = {
  /** The policy as clients read it (RateLimit header fields of the IETF's HTTPAPI group). */
  readonly policy: string
  /** Counts one use under `name`, or several, and says whether they are within the limit. */
  readonly take: (name: string, count?: number) => Allowance
  /** Takes a use back that was counted in advance. */
  readonly giveBack: (name: string) => void
}

/**
 * A limit of so many uses per minute and name, in windows that begin with the first use. It is kept in this process: with several API
 * processes behind one address, a client gets up to the limit from each of them.
 */
export function rateLimit(policyName: string, perMinute: number): RateLimit {
  /** In the order in which their windows end. */
  const windows = new Map<string, { used: number; endsMs: number }>()

  function current(name: string) {
    // Whole: of fractions, the end less the beginning may be more than the window.
    const nowMs = Math.floor(performance.now())
    for (const [over, { endsMs }] of windows) {
      if (endsMs > nowMs) break
      windows.delete(over)
    }
    const window = windows.get(name) ?? { used: 0, endsMs: nowMs + WINDOW_MS }
    windows.set(name, window)
    return { window, leftMs: window.endsMs - nowMs }
  }

  return {
    policy: `"${policyName}";q=${perMinute};w=60`,
    take(name, count = 1) {
      const { window, leftMs } = current(name)
      window.used += count
      const remaining = Math.max(perMinute - window.used, 0)
      const resetSeconds = Math.max(1, Math.ceil(leftMs / 1_000))
      const field = `"${policyName}";r=${remaining};t=${resetSeconds}`
      return { allowed: window.used <= perMinute, resetSeconds, field }
    },
    giveBack: (name) => void (current(name).window.used -= 1),
  }
}
