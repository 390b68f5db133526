import { languageOfReader } from './language.ts'
import { clockZone } from './time-zone.ts'

/* Times as people read them on pages and in mails, in their language. */

const localeOfReader = () => (languageOfReader() === 'de' ? 'de' : 'en-GB')

/** `27 Nov 2026, 10:12 (Berlin)`. */
export function moment(instant: Date, timeZone: string): string {
  const time = new Intl.DateTimeFormat(localeOfReader(), {
    timeZone: clockZone(timeZone),
    dateStyle: 'medium',
    timeStyle: 'short',
  } as const)
  const place = (timeZone.split('/').at(-1) ?? timeZone).replaceAll('_', ' ')
  return `${time.format(instant)} (${place})`
}

/** `2026-11-27`: the date that clocks in a zone show. */
export function dateIn(instant: Date, timeZone: string): string {
  return new Intl.DateTimeFormat('en-CA', {
    timeZone: clockZone(timeZone),
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).format(instant)
}

/** `Harbour News, Quay Street and 3 more`. */
export function listed(names: readonly string[]): string {
  return new Intl.ListFormat(localeOfReader()).format(names)
}
