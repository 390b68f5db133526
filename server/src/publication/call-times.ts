import type { ProviderFacts } from '../providers/port.ts'

/** How long the stages of a publish call may take, in milliseconds. */
export type CallTimes = {
  /** A call may begin at most this long after its arming was asked for. */
  readonly armWindowMs: number
  /** The time limit of one call, from its first byte to its last. */
  readonly callTimeoutMs: number
  /** How long a provider may take to show what it accepted. */
  readonly settlingMs: number
  /** How long a provider may process what it accepted for later; after that its result counts as unknown. */
  readonly processingMs: number
}

/** The times of an installation. A call begins well within its lease, so that a takeover seldom meets one. */
export function callTimes({ leaseMs, callTimeoutMs }: { leaseMs: number; callTimeoutMs: number }): CallTimes {
  return {
    armWindowMs: Math.min(5_000, leaseMs / 2),
    callTimeoutMs,
    settlingMs: callTimeoutMs,
    processingMs: 30 * 60_000,
  }
}

/** How old an attempt is when its call, even one begun at the last moment, is over for certain. */
export function callOverAfterMs({ armWindowMs, callTimeoutMs }: CallTimes): number {
  return armWindowMs + callTimeoutMs
}

/**
 * How old an attempt is when it counts that nothing of it is to be seen: every call is over, the first one and, where
 * calls are repeated, any repeat, and what they left has had time to show.
 */
export function absenceCountsAfterMs(
  times: CallTimes,
  { repeatable, settlingMs }: Pick<ProviderFacts, 'repeatable' | 'settlingMs'>,
): number {
  const callsOverMs = Math.max(callOverAfterMs(times), repeatable?.windowMs ?? 0)
  return callsOverMs + Math.max(times.settlingMs, settlingMs ?? 0)
}
