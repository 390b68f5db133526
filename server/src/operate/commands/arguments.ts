import { parseInstant } from '../../platform/text/instant.ts'
import { findTimeZone } from '../../platform/text/time-zone.ts'
import { isUuid } from '../../platform/text/uuid.ts'
import { UsageError } from './command-fault.ts'

/** An ISO 8601 date-time with an offset, past or to come. Throws UsageError. */
export function parseTime(option: string, text: string): Date {
  const time = instantOf(text)
  if (time !== null) return time
  throw new UsageError(
    `${option} does not understand "${text}". Give an instant such as 2026-11-22T09:00:00Z.`,
  )
}

/** A number of hours above 0 and up to a year, not necessarily whole. Throws UsageError. */
export function parseHours(option: string, text: string): number {
  const hours = /^\d{1,4}(\.\d{1,4})?$/.test(text) ? Number(text) : 0
  if (hours > 0 && hours <= 8_760) return hours
  throw new UsageError(`${option} must be a number of hours such as 24 or 0.5, and "${text}" is not.`)
}

/** A whole number from 1. Throws UsageError. */
export function parseWhole(option: string, text: string, max: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (number >= 1 && number <= max) return number
  throw new UsageError(`${option} must be a whole number from 1 to ${max}, and "${text}" is not.`)
}

/** An IANA time zone that this system knows. */
export function parseTimeZone(text: string): string {
  if (findTimeZone(text) !== null) return text
  throw new UsageError(`--time-zone does not know "${text}". Give a name such as Europe/Vienna or UTC.`)
}

export function parseId(name: string, text: string): string {
  const id = text.toLowerCase()
  if (isUuid(id)) return id
  throw new UsageError(
    `${name} must be an id such as 0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11, and "${text}" is not.`,
  )
}

/** An instant whose seconds may be left out: people type these. */
function instantOf(text: string): Date | null {
  return parseInstant(text.replace(/(T\d\d:\d\d)(?=Z|[+-])/i, '$1:00'))
}
