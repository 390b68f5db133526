import {
  allEventTypeNames,
  type AnyEventType,
  eventTypeNames,
  permissionNames,
  type Permission,
  presetPermissions,
} from '@postrider/contract/names'
import { parseInstant } from '../platform/instant.ts'
import { findTimeZone } from '../platform/time-zone.ts'
import { isUuid } from '../platform/uuid.ts'
import { UsageError } from './command-fault.ts'

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `all`, which leaves out what is given by name only, or names separated by commas. Throws UsageError on a name that is none. */
export function parsePermissions(text: string): Permission[] {
  return text === 'all' ? [...presetPermissions] : parseNames('--permissions', text, permissionNames)
}

/** `all`, which is those of destinations, or event types separated by commas. Throws UsageError on a name that is none. */
export function parseEventTypes(text: string): AnyEventType[] {
  return text === 'all' ? [...eventTypeNames] : parseNames('--events', text, allEventTypeNames)
}

function parseNames<Name extends string>(option: string, text: string, known: readonly Name[]): Name[] {
  if (text === 'all') return [...known]
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.filter((name) => !known.some((one) => one === name))
  if (unknown.length > 0)
    throw new UsageError(
      `${option} does not know ${unknown.map((name) => `"${name}"`).join(', ')}. ` +
        `Give "all", or some of ${known.join(',')}.`,
    )
  return known.filter((name) => names.includes(name))
}

/** A time from now (`30m`, `12h`, `90d`) or an ISO 8601 date-time with an offset. Throws UsageError when it is past. */
export function parseExpiry(text: string, now: Date): Date {
  const span = spanOf(text)
  const expiry = span === null ? instantOf(text) : new Date(now.getTime() + span)
  if (expiry === null) {
    throw new UsageError(
      `--expires does not understand "${text}". Give a time from now such as 30d, 12h or 45m, or an instant such as 2027-01-31T00:00:00Z.`,
    )
  }
  if (expiry <= now) throw new UsageError(`--expires ${text} is in the past.`)
  return expiry
}

/** A time before now (`30m`, `12h`, `7d`) or an ISO 8601 date-time with an offset. Throws UsageError when it is not past. */
export function parseSince(text: string, now: Date): Date {
  const span = spanOf(text)
  const since = span === null ? instantOf(text) : new Date(now.getTime() - span)
  if (since === null) {
    throw new UsageError(
      `--since does not understand "${text}". Give a time before now such as 45m, 12h or 7d, or an instant such as 2026-11-21T09:00:00Z.`,
    )
  }
  if (since > now) throw new UsageError(`--since ${text} is in the future.`)
  return since
}

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

/** A span of time (`30m`, `12h`, `30d`) in milliseconds, above 0. Throws UsageError. */
export function parseSpan(option: string, text: string): number {
  const spanMs = spanOf(text) ?? 0
  if (spanMs > 0 && spanMs <= 3_650 * 86_400_000) return spanMs
  throw new UsageError(`${option} must be a span such as 30d, 12h or 45m, and "${text}" is not.`)
}

/** A whole number from 1. Throws UsageError. */
export function parseWhole(option: string, text: string, max: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (number >= 1 && number <= max) return number
  throw new UsageError(`${option} must be a whole number from 1 to ${max}, and "${text}" is not.`)
}

/** An IANA time zone that this system knows. */
export function parseTimeZone(text: string): string {
  const zone = findTimeZone(text)
  if (zone !== null) return zone
  throw new UsageError(`--time-zone does not know "${text}". Give a name such as Europe/Vienna or UTC.`)
}

export function parseId(name: string, text: string): string {
  const id = text.toLowerCase()
  if (isUuid(id)) return id
  throw new UsageError(
    `${name} must be an id such as 0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11, and "${text}" is not.`,
  )
}

/** `30m`, `12h` or `90d` in milliseconds. */
function spanOf(text: string): number | null {
  const [, amount, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? []
  const unitMs = UNIT_MS[unit ?? '']
  return unitMs === undefined ? null : Number(amount) * unitMs
}

/** An instant whose seconds may be left out: people type these. */
function instantOf(text: string): Date | null {
  return parseInstant(text.replace(/(T\d\d:\d\d)(?=Z|[+-])/i, '$1:00'))
}
