import type { TimeInput } from '@postrider/contract'
import { parseInstant, parseLocal } from '../../../platform/text/instant.ts'
import type { RefusalFacts } from '../../../edge/operations/refusal.ts'
import { findTimeZone, meaningOf } from '../../../platform/text/time-zone.ts'

/** What is wrong with one field of a request. */
export type FieldError = NonNullable<RefusalFacts['errors']>[number]

/** A wish for a posting time of a channel: the next in its queue, the first that is free, or this one. */
export type QueueRequest = { readonly queue: 'next' | 'first' | Date }

type Unreadable = { readonly error: FieldError }

/** Reads a `publishAt` that has passed its schema: an instant, a local time that means exactly one, or a wish. */
export function readPublishAt(sent: TimeInput): Date | QueueRequest | Unreadable {
  if (typeof sent === 'string') return readInstant(sent, '/publishAt')
  if ('local' in sent) return readLocal(sent)
  const { queue } = sent
  if (queue === 'next' || queue === 'first') return { queue }
  const at = readInstant(queue, '/publishAt/queue')
  return at instanceof Date ? { queue: at } : at
}

function readInstant(sent: string, pointer: string): Date | Unreadable {
  const instant = parseInstant(sent)
  if (instant !== null) return instant
  const detail = '`publishAt` is not a date-time that exists.'
  return { error: { pointer, code: 'malformed', detail } }
}

function readLocal({ local, timeZone }: Extract<TimeInput, { local: string }>): Date | Unreadable {
  if (findTimeZone(timeZone) === null) {
    const detail = `\`timeZone\` must be the IANA name of a time zone, such as \`Europe/Berlin\`; \`${timeZone}\` is none.`
    return { error: { pointer: '/publishAt/timeZone', code: 'unknown_time_zone', detail } }
  }
  const pointer = '/publishAt/local'
  const time = parseLocal(local)
  if (time === null) {
    const detail =
      '`local` is not a date-time that exists, to the millisecond at most, such as `2026-12-01T09:00`.'
    return { error: { pointer, code: 'malformed', detail } }
  }
  const meaning = meaningOf(time, timeZone)
  if (meaning.is === 'instant') return meaning.at
  const candidates = meaning.candidates.map((at) => at.toISOString())
  const why =
    meaning.is === 'missing'
      ? 'does not exist: the clocks are put forward'
      : 'exists twice: the clocks are put back'
  const detail = `\`${local}\` in ${timeZone} ${why}. Choose one of ${candidates.join(', ')}.`
  return { error: { pointer, code: `${meaning.is}_local_time`, detail, candidates } }
}
