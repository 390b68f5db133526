/* What the clocks of a zone show, without a word of any language. */

import { knownZone } from '@postrider/contract/names'

/** `2026-11-21T09:00`: the zone's date and minute at an instant, as a `datetime-local` input has them. */
export function localOf(instant: Date, zone: string): string {
  const parts = partsFormat(zone).formatToParts(instant)
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? '00'
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}`
}

/** `2026-11-21`: the zone's date at an instant. */
export function dateOf(instant: Date, zone: string): string {
  return localOf(instant, zone).slice(0, 10)
}

/** The name by which the clocks of this browser know a zone: it may be older than the name. */
export function clockZone(zone: string): string {
  return knownZone(zone) ?? zone
}

const numeric = new Map<string, Intl.DateTimeFormat>()

function partsFormat(zone: string): Intl.DateTimeFormat {
  const known = numeric.get(zone)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat('en-GB', {
    timeZone: clockZone(zone),
    calendar: 'iso8601',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  })
  numeric.set(zone, made)
  return made
}
