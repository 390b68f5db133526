/**
 * The time of the simulated day, in milliseconds since its begin. It runs as fast as real time does, and jumps over times
 * at which there is nothing to do: that is all of the compression.
 */
export type DayClock = {
  now: () => number
  jumpTo: (dayMs: number) => void
  /** The real time of a time of the day, as long as it does not jump before. */
  realTimeOf: (dayMs: number) => number
  /** How much of the day lies between two real times. */
  elapsed: (fromRealMs: number, toRealMs: number) => number
}

export function dayClock(beginsAtMs: number): DayClock {
  let aheadMs = beginsAtMs - Date.now()
  const jumps: { atMs: number; skippedMs: number }[] = []
  const now = () => Date.now() + aheadMs
  return {
    now,
    jumpTo(dayMs) {
      const skippedMs = dayMs - now()
      if (skippedMs <= 0) return
      jumps.push({ atMs: Date.now(), skippedMs })
      aheadMs += skippedMs
    },
    realTimeOf: (dayMs) => dayMs - aheadMs,
    elapsed(from, to) {
      const skipped = jumps.filter(({ atMs }) => atMs > from && atMs <= to)
      return skipped.reduce((sum, { skippedMs }) => sum + skippedMs, to - from)
    },
  }
}
