import type { ProviderFacts } from '../../networks/providers/port/port.ts'

/** How long the stages of a publish call may take, in milliseconds. */
export type CallTimes = {
  /** A call may begin at most this long after its arming was asked for. */
  readonly armWindowMs: number
  /** The time limit of one call, from its first byte to its last. */
  readonly callTimeoutMs: number
  /** How long a provider may take to show what it accepted. */
  readonly settlingMs: number
  /** How long something between this server and a provider may hold up a call whose caller gave up. */
  readonly lateCallMs: number
  /** How long a provider may process what it accepted for later; after that its result counts as unknown. */
  readonly processingMs: number
}

/** Longer than proxies usually wait for a server: most give up within a minute or two. */
const LATE_CALL_MS = 15 * 60_000

/** The times of an installation. A call begins well within its lease, so that a takeover seldom meets one. */
export function callTimes({ leaseMs, callTimeoutMs }: { leaseMs: number; callTimeoutMs: number }): CallTimes {
  return {
    armWindowMs: Math.min(5_000, leaseMs / 2),
    callTimeoutMs,
    settlingMs: callTimeoutMs,
    lateCallMs: LATE_CALL_MS,
    processingMs: 30 * 60_000,
  }
}

/** How old an attempt is when its call, even one begun at the last moment, is over for certain. */
export function callOverAfterMs({ armWindowMs, callTimeoutMs }: CallTimes): number {
  return armWindowMs + callTimeoutMs
}

/**
 * The calls that were made for an attempt: `answered`, the first, to which the network itself has said no, so that it is over;
 * `once`, the first alone; `repeated`, any that its network lets be made.
 */
export type CallsMade = 'answered' | 'once' | 'repeated'

/**
 * How old an attempt is when it counts that nothing of it is to be seen: every call is over, none of them is still on its
 * way, and what they left has had time to show.
 */
export function absenceCountsAfterMs(
  times: CallTimes,
  { repeatable, settlingMs, lateCallMs }: Pick<ProviderFacts, 'repeatable' | 'settlingMs' | 'lateCallMs'>,
  calls: CallsMade = 'repeated',
): number {
  const repeatedMs = calls === 'repeated' ? (repeatable?.windowMs ?? 0) : 0
  const lateMs = calls === 'answered' ? 0 : (lateCallMs ?? times.lateCallMs)
  return Math.max(callOverAfterMs(times), repeatedMs) + lateMs + Math.max(times.settlingMs, settlingMs ?? 0)
}
