import { refuse, type Refusal } from '../../edge/operations/refusal.ts'
import type { DayUse } from './generation-store.ts'

export type TokenBudget = {
  readonly tokensPerDay: number
  /** What a model may write in one call at most. */
  readonly maxOutputTokens: number
}

export type ImageBudget = { readonly imagesPerDay: number }

/** Whether the workspace may have one more image made today. */
export function allowImage({ imagesPerDay }: ImageBudget, use: DayUse): Refusal<'rate_limited'> | null {
  if (use.images + use.reservedImages < imagesPerDay) return null
  if (use.images < imagesPerDay) {
    const detail = `Running requests have reserved the rest of the ${imagesPerDay} images that this workspace has for today. Try again in ${RESERVATION_SECONDS} seconds.`
    return refuse('rate_limited', detail, { retryAfterSeconds: RESERVATION_SECONDS })
  }
  const detail = `This workspace has used its ${imagesPerDay} images for today. The budget resets at ${use.resetsAt.toISOString()}.`
  return refuse('rate_limited', detail, { retryAfterSeconds: use.secondsLeft })
}

/** With less room than this for its answer, a model is not asked. */
const MIN_OUTPUT = 1_000

/** How soon to try again when others' reservations are all that stands in the way. */
const RESERVATION_SECONDS = 15

/**
 * How many tokens the next call may write, so that the budget holds whatever it does: the usual number, or what is
 * left of the day when that is less.
 */
export function allowOutput(
  { tokensPerDay, maxOutputTokens }: TokenBudget,
  use: DayUse,
  inputTokens: number,
): number | Refusal<'rate_limited'> {
  const least = inputTokens + Math.min(MIN_OUTPUT, maxOutputTokens)
  const left = tokensPerDay - use.tokens
  if (left - use.reservedTokens >= least) {
    return Math.min(maxOutputTokens, left - use.reservedTokens - inputTokens)
  }
  if (left >= least) {
    return refuse(
      'rate_limited',
      `Running requests have reserved the rest of the ${tokensPerDay} AI tokens that this workspace has for today. Try again in ${RESERVATION_SECONDS} seconds.`,
      { retryAfterSeconds: RESERVATION_SECONDS },
    )
  }
  const detail = `Of the ${tokensPerDay} AI tokens of this workspace for today ${Math.max(left, 0)} are left, and this needs about ${least}. The budget is reset at ${use.resetsAt.toISOString()}.`
  return refuse('rate_limited', detail, { retryAfterSeconds: use.secondsLeft })
}
