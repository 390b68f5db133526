import { refuse, type Refusal } from '../../../edge/operations/refusal.ts'
import { parseInstant } from '../../../platform/text/instant.ts'
import type { FieldError } from './publish-time.ts'

const MOST_DAYS = 62
const DAY_MS = 24 * 60 * 60_000
const INVALID = new Date(Number.NaN)

export type Range = { readonly from: Date; readonly to: Date }

/** Reads [from, to), of 62 days at most, or of so many. It is measured in exact time, whatever the clocks did in between. */
export function readRange(
  sent: { readonly from: string; readonly to: string },
  mostDays: number = MOST_DAYS,
): Range | Refusal<'validation_failed'> {
  const [from, to] = [parseInstant(sent.from) ?? INVALID, parseInstant(sent.to) ?? INVALID]
  const error = rangeError(from, to, mostDays)
  return error === null ? { from, to } : refuse('validation_failed', error.detail, { errors: [error] })
}

function rangeError(from: Date, to: Date, mostDays: number): FieldError | null {
  const length = to.getTime() - from.getTime()
  if (Number.isNaN(length)) {
    const pointer = Number.isNaN(from.getTime()) ? '?from' : '?to'
    return { pointer, code: 'malformed', detail: `\`${pointer.slice(1)}\` is not a date-time that exists.` }
  }
  if (length <= 0) return { pointer: '?to', code: 'out_of_range', detail: '`to` must be later than `from`.' }
  if (length <= mostDays * DAY_MS) return null
  return {
    pointer: '?to',
    code: 'out_of_range',
    detail: `\`to\` can be at most ${mostDays} days after \`from\`. Ask for shorter ranges, one after the other.`,
  }
}
