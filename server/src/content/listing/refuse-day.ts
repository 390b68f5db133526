import { refuse, type Refusal } from '../../edge/operations/refusal.ts'
import { parseInstant } from '../../platform/text/instant.ts'

/** A day `from` which something is to be shown, and that no calendar has. */
export function refuseDay(from: string): Refusal<'validation_failed'> | null {
  if (parseInstant(`${from}T00:00:00Z`) !== null) return null
  const detail = '`from` is not a day that exists.'
  return refuse('validation_failed', detail, { errors: [{ pointer: '?from', code: 'malformed', detail }] })
}
