import type { DestinationError } from '@postrider/contract'
import { parentOf } from '../destinations/part-order.ts'
import type { RejectionCode } from '../../networks/providers/port/port.ts'
import type { Conclusion, DelayCode, Outcome, Subject, WorkPart } from '../queue/work.ts'
import { deferralMessages, isNetworkWait, LOOKUP_WAITS_MS, waitOf } from '../queue/waits.ts'

/** The destination that an attempt was about, at the end of it. */
export type AttemptContext = {
  readonly status: 'publishing' | 'checking'
  readonly provider: string
  readonly parts: readonly Omit<WorkPart, 'media'>[]
  readonly partIndex: number
  readonly tries: number
  /** How many calls for the part left nothing before this one; none when left out. */
  readonly rounds?: number
  /** It is held since a restore: each of its parts may be out. */
  readonly restored?: boolean
}

/** A destination that a worker holds, and one of its parts. */
export function attemptContext({ provider, parts, tries }: Subject, partIndex: number): AttemptContext {
  return { status: 'publishing', provider, parts, partIndex, tries }
}

const MINUTE_MS = 60_000

/** How long a network may not show its own servers what it has just published: some read from copies. */
const PARENT_SHOWN_MS = 10 * MINUTE_MS

/** A parent that is missing minutes after it was published is not missing: the network does not show it yet. */
export function unlessParentIsNew(
  parts: AttemptContext['parts'],
  partIndex: number,
  conclusion: Conclusion,
): Conclusion {
  if (conclusion.is !== 'rejected' || conclusion.code !== 'parent_missing') return conclusion
  const part = parts[partIndex]
  const agoMs = part === undefined ? null : parentOf(parts, part)?.publishedMsAgo
  const isNew = agoMs != null && agoMs < PARENT_SHOWN_MS
  return isNew ? { is: 'deferred', code: 'not_shown_yet', afterMs: null } : conclusion
}

/** Waits between safe tries, when the provider names no time of its own. The last one repeats. */
export const RETRY_WAITS_MS = [
  15_000,
  30_000,
  MINUTE_MS,
  2 * MINUTE_MS,
  5 * MINUTE_MS,
  10 * MINUTE_MS,
  15 * MINUTE_MS,
] as const

/** The same where a provider did not answer as it should: it may be back at any moment. Never above a minute, jitter included. */
const REACH_WAITS_MS = [15_000, 30_000, 50_000] as const

/** Waits before a part is sent again that a call left nothing of. The last one repeats. */
export const ABSENT_WAITS_MS = [0, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, 60 * MINUTE_MS] as const

/** When a provider is polled next for a call of this age: the age doubles from poll to poll. */
export function pollInMs(ageMs: number): number {
  return Math.min(Math.max(ageMs, 1_000), MINUTE_MS / 2)
}

/** The same where the poll failed on the adapter. */
export function pollAfterFaultMs(ageMs: number): number {
  return Math.min(Math.max(ageMs, 15_000), 15 * MINUTE_MS)
}

/** The wait at a place in a list whose last entry repeats. */
export function waitAt(waits: readonly number[], place: number): number {
  return waits[Math.min(place, waits.length - 1)] ?? 0
}

const unchanged = {
  part: 'pending',
  remoteId: null,
  releaseUrl: null,
  dueInMs: null,
  error: null,
  disconnects: false,
  pausesChannel: false,
  wait: null,
  endsThread: false,
} as const

/**
 * What the end of an attempt makes of its part and its destination. Pure; `jitter` is in [0, 1) and spreads waits, so
 * that work deferred together does not return together.
 */
export function decideOutcome(context: AttemptContext, conclusion: Conclusion, jitter: number): Outcome {
  const partOut = isPartOut(context.parts)
  switch (conclusion.is) {
    case 'published': {
      const last = context.partIndex === context.parts.length - 1
      const proof = {
        ...unchanged,
        part: 'published',
        remoteId: conclusion.remoteId,
        releaseUrl: conclusion.url,
      } as const
      if (last) return { ...proof, move: 'confirm' }
      // The next part may be out, too: it is held in its turn.
      if (context.restored === true) return { ...proof, move: null }
      // Out of `checking` the rest goes through the queue again: there is no lease to go on under.
      return context.status === 'publishing'
        ? { ...proof, move: null }
        : { ...proof, move: 'interrupt', dueInMs: 0 }
    }
    case 'rejected': {
      const error = rejection(context.provider, conclusion.code, conclusion.detail)
      const ended = { ...unchanged, part: 'failed', endsThread: true } as const
      return { ...ended, error, move: partOut ? 'interrupt' : 'reject' }
    }
    case 'deferred': {
      const dueInMs = deferralMs(conclusion, context.tries, jitter)
      const error = deferral(context.provider, conclusion.code)
      const pausesChannel = conclusion.code === 'rate_limited'
      const later = { ...unchanged, part: 'pending', error, dueInMs, pausesChannel } as const
      if (partOut)
        return { ...later, move: 'interrupt', wait: waitOf('partially_published', conclusion.code) }
      return context.status === 'checking'
        ? { ...later, error: null, move: 'requeue' }
        : { ...later, move: 'defer', wait: waitOf('delayed', conclusion.code) }
    }
    case 'reauthorize': {
      const error = unauthorised(context.provider)
      const blocked = { ...unchanged, part: 'pending', error, disconnects: true } as const
      if (partOut) return { ...blocked, move: 'interrupt' }
      if (context.status === 'checking') return { ...blocked, move: 'requeue', error: null, dueInMs: 0 }
      return { ...blocked, move: 'deauthorize' }
    }
    case 'absent':
      return {
        ...unchanged,
        part: 'pending',
        dueInMs: waitAt(ABSENT_WAITS_MS, context.rounds ?? 0),
        move: partOut ? 'interrupt' : 'requeue',
      }
    case 'unknown':
      return {
        ...unchanged,
        part: 'checking',
        error: doubt(context.provider),
        dueInMs: waitAt(LOOKUP_WAITS_MS, 0),
        move: 'lose',
      }
  }
}

/* ---- no call was made: the parts stay as they are ---- */

/** Queued again at once: nothing was begun of what is left. */
export function requeueUnstarted(parts: AttemptContext['parts']): Outcome {
  return { ...unchanged, dueInMs: 0, move: isPartOut(parts) ? 'interrupt' : 'requeue' }
}

/** The channel has to be reconnected first: no call is made. The channel has the reason. */
export function awaitReconnect(context: AttemptContext): Outcome {
  const outcome = decideOutcome(context, { is: 'reauthorize' }, 0)
  const message = 'Reconnect the channel. Publishing then resumes automatically.'
  return { ...outcome, error: outcome.error && { ...outcome.error, message } }
}

/** This server cannot decrypt the authorization. The provider is not asked, and the channel stays connected. */
export function awaitSecretKey(context: AttemptContext, jitter: number): Outcome {
  return decideOutcome(context, { is: 'deferred', code: 'secret_unreadable', afterMs: null }, jitter)
}

const PROVIDER_DISABLED_WAIT_MS = 5 * MINUTE_MS

/** The provider is disabled on this server, which a change of its configuration may end. */
export function awaitProvider({ provider, parts }: AttemptContext): Outcome {
  const [move, status] = isPartOut(parts)
    ? (['interrupt', 'partially_published'] as const)
    : (['defer', 'delayed'] as const)
  const wait = waitOf(status, 'provider_disabled')
  const error = providerDisabled(provider)
  return { ...unchanged, move, wait, error, dueInMs: PROVIDER_DISABLED_WAIT_MS }
}

/** What an accepted call waits for while this server cannot ask about it. */
export function awaitPolling(
  provider: string,
  code: 'provider_disabled' | 'secret_unreadable',
): { pollInMs: number; error: DestinationError } {
  const error = code === 'provider_disabled' ? providerDisabled(provider) : deferral(provider, code)
  return { pollInMs: PROVIDER_DISABLED_WAIT_MS, error: { ...error, retryable: false } }
}

function isPartOut(parts: AttemptContext['parts']): boolean {
  return parts.some((part) => part.status === 'published')
}

/*
 * ---- waits and words ----
 *
 * An error is `retryable` when the same content may succeed. It never is while a call was made whose result is not
 * known: that content must not be published again.
 */

/** The provider's own time where it named one (never earlier), else the next growing wait; jitter only adds. */
export function deferralMs(
  { code, afterMs }: Pick<Extract<Conclusion, { is: 'deferred' }>, 'code' | 'afterMs'>,
  tries: number,
  jitter: number,
): number {
  const base = afterMs ?? waitAt(isNetworkWait(code) ? REACH_WAITS_MS : RETRY_WAITS_MS, tries)
  return Math.ceil(base + jitter * Math.max(1_000, base * 0.1))
}

const fixable: Record<RejectionCode, boolean> = {
  content_refused: false,
  media_refused: false,
  duplicate_refused: false,
  parent_missing: false,
  permission_refused: true,
  processing_failed: true,
  not_published: true,
}

function rejection(provider: string, code: RejectionCode, detail: string): DestinationError {
  return { code, message: detail, provider, retryable: fixable[code] }
}

function deferral(provider: string, code: DelayCode): DestinationError {
  return { code, message: deferralMessages[code], provider, retryable: true }
}

/** What a destination says whose processing cannot be polled for a fault of the adapter. */
export function notPolled(provider: string): DestinationError {
  const message =
    'The network is processing the post. Asking for the result failed with an internal error and is retried automatically. The server log has the cause.'
  return { code: 'adapter_fault', message, provider, retryable: false }
}

function providerDisabled(provider: string): DestinationError {
  const message = 'The network is not enabled on this server. Publishing resumes automatically once it is.'
  return { code: 'provider_disabled', message, provider, retryable: true }
}

function unauthorised(provider: string): DestinationError {
  return {
    code: 'reconnect_required',
    message:
      "The network no longer accepts the channel's access. Reconnect the channel. Publishing then resumes automatically.",
    provider,
    retryable: true,
  }
}

/** What a destination in doubt says while its lookups fail on the adapter. */
export function doubtNotLookedUp(provider: string): DestinationError {
  return {
    code: 'adapter_fault',
    message:
      "The network did not confirm the post, and checking it failed with an internal error. The check is retried automatically. The post may be live, so don't publish it again.",
    provider,
    retryable: false,
  }
}

function doubt(provider: string): DestinationError {
  return {
    code: 'result_unproven',
    message: "The network did not confirm the post. It may be live, so don't publish it again.",
    provider,
    retryable: false,
  }
}
