import { decideOutcome, inHand } from './decide-outcome.ts'
import type { Outcome, Work, WorkPart } from './engine-port.ts'

/* What becomes of a destination for which no call was made. Its parts stay as they are. */

const unchanged = {
  part: 'pending',
  remoteId: null,
  releaseUrl: null,
  dueInMs: 0,
  error: null,
  disconnects: false,
  pausesChannel: false,
} as const

/** It is queued again: nobody has begun with what is left of it. */
export function notBegun(parts: readonly WorkPart[]): Outcome {
  return { ...unchanged, move: parts.some((part) => part.status === 'published') ? 'interrupt' : 'requeue' }
}

/** Its channel has to be reconnected first: the provider need not be asked. Why, the channel itself says. */
export function notConnected(work: Work): Outcome {
  const outcome = decideOutcome(inHand(work, 0), { is: 'reauthorize' }, 0)
  const message = 'The channel has to be reconnected; publishing then resumes automatically.'
  return { ...outcome, error: outcome.error && { ...outcome.error, message } }
}

/** This server cannot decrypt the grant. The provider is not asked, and the channel stays connected. */
export function grantUnreadable(work: Work, jitter: number): Outcome {
  const conclusion = { is: 'deferred', code: 'secret_unreadable', afterMs: null } as const
  return decideOutcome(inHand(work, 0), conclusion, jitter)
}

/** The provider is down: the work waits, spread over some time, so that it does not all return at once. */
export function heldBack(work: Work, heldMs: number, jitter: number): Outcome {
  const conclusion = { is: 'deferred', code: 'provider_unavailable', afterMs: heldMs } as const
  return decideOutcome(inHand(work, 0), conclusion, jitter)
}

const providerDisabledAgainAfterMs = 5 * 60_000

/** This server does not speak to the provider: it may again after a change of its configuration. */
export function providerDisabled(work: Work): Outcome {
  return {
    ...unchanged,
    move: work.parts.some((part) => part.status === 'published') ? 'interrupt' : 'defer',
    dueInMs: providerDisabledAgainAfterMs,
    error: {
      code: 'provider_disabled',
      message: 'The provider is not enabled on this server; publishing goes on once it is.',
      provider: work.provider,
      retryable: false,
    },
  }
}
