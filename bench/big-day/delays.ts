/** Start delays in milliseconds, as a table shows them. */
export type Spread = {
  count: number
  p50: number
  p90: number
  p99: number
  p999: number
  over1s: number
  over60s: number
}

export function spreadOf(delaysMs: Float64Array): Spread {
  const sorted = delaysMs.toSorted()
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
  const over = (ms: number) => sorted.reduce((sum, one) => sum + (one > ms ? 1 : 0), 0) / sorted.length
  return {
    count: sorted.length,
    p50: at(0.5),
    p90: at(0.9),
    p99: at(0.99),
    p999: at(0.999),
    over1s: over(1_000),
    over60s: over(60_000),
  }
}

export function showMs(ms: number): string {
  return ms < 1_000 ? `${ms.toFixed(0)} ms` : `${(ms / 1_000).toFixed(1)} s`
}

/**
 * What delays a queue gives that is served at this rate, without turns and waits of channels: a post waits for those
 * before it. It is checked against what was played.
 */
export function queueDelays(postsByMinute: ArrayLike<number>, perSecond: number): Float64Array[] {
  let backlog = 0
  return Array.from(postsByMinute, (posts) => {
    const before = backlog
    backlog = Math.max(0, backlog + posts - perSecond * 60)
    return Float64Array.from({ length: posts }, (_, n) => ((before + n) / perSecond) * 1_000)
  })
}

/** Several arrays in one. */
export function concat(parts: readonly Float64Array[]): Float64Array {
  const whole = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0))
  parts.reduce((from, part) => (whole.set(part, from), from + part.length), 0)
  return whole
}
