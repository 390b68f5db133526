import type { DestinationError } from '@postrider/contract'
import type { RejectionCode } from '../providers/port.ts'
import type { Conclusion, DelayCode, Outcome, Subject, WorkPart } from './engine-port.ts'

/** Where the destination stands when an attempt at one of its parts ends. */
export type Standing = {
  readonly status: 'publishing' | 'checking'
  readonly provider: string
  readonly parts: readonly Omit<WorkPart, 'media'>[]
  readonly partIndex: number
  readonly tries: number
}

/** How a destination in the hands of a worker stands, with one of its parts at the end of an attempt. */
export function inHand({ provider, parts, tries }: Subject, partIndex: number): Standing {
  return { status: 'publishing', provider, parts, partIndex, tries }
}

const minute = 60_000

/** Waits between safe tries, when the provider names no time of its own. The last one repeats. */
export const tryAgainAfterMs = [
  15_000,
  30_000,
  minute,
  2 * minute,
  5 * minute,
  10 * minute,
  15 * minute,
] as const

/** Waits between looks at a doubtful result. The last one repeats. */
export const lookAgainAfterMs = [2_000, 5_000, 15_000, minute, 5 * minute, 15 * minute, 60 * minute] as const

/** The wait at a place in a list whose last entry repeats. */
export function waitAt(waits: readonly number[], place: number): number {
  return waits[Math.min(place, waits.length - 1)] ?? 0
}

/**
 * The whole policy of the engine: what the end of an attempt makes of its part and its destination.
 * Pure; `jitter` is in [0, 1) and spreads waits, so that work put off together does not return together.
 */
export function decideOutcome(standing: Standing, conclusion: Conclusion, jitter: number): Outcome {
  const partOut = standing.parts.some((part) => part.status === 'published')
  const nothing = {
    remoteId: null,
    releaseUrl: null,
    dueInMs: null,
    error: null,
    disconnects: false,
    pausesChannel: false,
  } as const

  switch (conclusion.is) {
    case 'published': {
      const last = standing.partIndex === standing.parts.length - 1
      const proof = {
        ...nothing,
        part: 'published',
        remoteId: conclusion.remoteId,
        releaseUrl: conclusion.url,
      } as const
      if (last) return { ...proof, move: 'confirm' }
      // Out of `checking` the rest goes through the queue again: there is no lease to go on under.
      return standing.status === 'publishing'
        ? { ...proof, move: null }
        : { ...proof, move: 'interrupt', dueInMs: 0 }
    }
    case 'rejected': {
      const error = rejection(standing.provider, conclusion.code, conclusion.detail)
      if (!partOut) return { ...nothing, part: 'failed', error, move: 'reject' }
      // The retry command is for what has failed as a whole.
      return { ...nothing, part: 'failed', error: { ...error, retryable: false }, move: 'interrupt' }
    }
    case 'deferred': {
      const dueInMs = deferralMs(standing.tries, conclusion.afterMs, jitter)
      const error = deferral(standing.provider, conclusion.code)
      const pausesChannel = conclusion.code === 'rate_limited'
      const later = { ...nothing, part: 'pending', error, dueInMs, pausesChannel } as const
      if (partOut) return { ...later, move: 'interrupt' }
      return standing.status === 'checking'
        ? { ...later, error: null, move: 'requeue' }
        : { ...later, move: 'defer' }
    }
    case 'reauthorize': {
      const error = unauthorised(standing.provider)
      const blocked = { ...nothing, part: 'pending', error, disconnects: true } as const
      if (partOut) return { ...blocked, move: 'interrupt' }
      if (standing.status === 'checking') return { ...blocked, move: 'requeue', error: null, dueInMs: 0 }
      return { ...blocked, move: 'deauthorize' }
    }
    case 'absent':
      return { ...nothing, part: 'pending', dueInMs: 0, move: partOut ? 'interrupt' : 'requeue' }
    case 'unknown':
      return {
        ...nothing,
        part: 'checking',
        error: doubt(standing.provider),
        dueInMs: waitAt(lookAgainAfterMs, 0),
        move: 'lose',
      }
  }
}

/** The provider's own time where it named one (never earlier), else the next growing wait; jitter only adds. */
export function deferralMs(tries: number, afterMs: number | null, jitter: number): number {
  const base = afterMs ?? waitAt(tryAgainAfterMs, tries)
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

const deferralWords: Record<DelayCode, string> = {
  rate_limited: 'The provider asked for a pause; publishing goes on by itself.',
  provider_unavailable: 'The provider is not available; publishing goes on by itself.',
  media_unavailable:
    'A media file of the post cannot be read at the moment, and nothing was sent. If it is lost, upload the same file again: publishing then resumes automatically.',
  not_reached: 'The provider could not be reached, and nothing was sent; publishing goes on by itself.',
  access_renewed:
    'The access to the account had to be renewed, and nothing was published yet; publishing goes on by itself.',
  adapter_fault:
    'The part of this server that speaks to the provider failed, and nothing was sent. It is tried again by itself; its operator finds the cause in the log.',
  secret_unreadable:
    "This server's secret keys do not decrypt the channel's authorisation, and nothing was sent. It is retried automatically; `postrider doctor` tells its operator which key is missing.",
}

function deferral(provider: string, code: DelayCode): DestinationError {
  return { code, message: deferralWords[code], provider, retryable: false }
}

function unauthorised(provider: string): DestinationError {
  return {
    code: 'reconnect_required',
    message:
      "The provider no longer accepts the channel's authorisation. Reconnect the channel; publishing then goes on.",
    provider,
    retryable: false,
  }
}

/** What a destination in doubt says while its lookups fail on the adapter. */
export function doubtNotLookedUp(provider: string): DestinationError {
  return {
    code: 'adapter_fault',
    message:
      'The call was made, and its result cannot be proven: the part of this server that speaks to the provider failed over looking it up. It is tried again by itself. Do not publish this again: it may be out already.',
    provider,
    retryable: false,
  }
}

function doubt(provider: string): DestinationError {
  return {
    code: 'result_unproven',
    message:
      'The call was made, and its result cannot be proven. Do not publish this again: it may be out already.',
    provider,
    retryable: false,
  }
}
