import { describe, expect, test } from 'vitest'
import { relativeTime } from './relative-time.ts'

const HOUR_MS = 3_600_000

const dateIn = (timeZone: string) => {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' })
  return (instant: Date) => format.format(instant)
}
const said = (at: string, now: string, zone: string, language = 'en') => {
  const { value, unit } = relativeTime(new Date(at), new Date(now), dateIn(zone))
  return new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(value, unit)
}

test.each([
  ['2026-11-30T08:15+01:00', '2026-11-28T21:26+01:00', 'in 2 days', 'übermorgen'],
  ['2026-11-29T20:00+01:00', '2026-11-28T21:26+01:00', 'tomorrow', 'morgen'],
  ['2026-11-29T02:00+01:00', '2026-11-28T21:26+01:00', 'in 5 hours', 'in 5 Stunden'],
  ['2026-11-28T22:05+01:00', '2026-11-28T06:05+01:00', 'in 16 hours', 'in 16 Stunden'],
  ['2026-11-28T21:26:59+01:00', '2026-11-28T21:26+01:00', 'in 59 seconds', 'in 59 Sekunden'],
  ['2026-11-28T22:25:50+01:00', '2026-11-28T21:26+01:00', 'in 1 hour', 'in 1 Stunde'],
  ['2026-11-27T00:10+01:00', '2026-11-28T21:26+01:00', 'yesterday', 'gestern'],
  ['2026-11-26T23:50+01:00', '2026-11-28T21:26+01:00', '2 days ago', 'vorgestern'],
])('%s is, at %s, %s', (at, now, english, german) => {
  expect(said(at, now, 'Europe/Berlin')).toBe(english)
  expect(said(at, now, 'Europe/Berlin', 'de')).toBe(german)
})

describe.each(['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia', 'Asia/Kathmandu'])(
  'in %s',
  (zone) => {
    const dateOf = dateIn(zone)

    test('a day away is the next date of the calendar, over each hour of a year and both changes of the clock', () => {
      const first = Date.parse('2026-01-01T00:00Z')
      for (let hour = 0; hour < 365 * 24; hour++) {
        const now = new Date(first + hour * HOUR_MS)
        for (const ahead of [1, 11, 12, 13, 23, 24, 25, 34, 36, 47, 49, 71]) {
          const at = new Date(now.getTime() + ahead * HOUR_MS)
          const { value, unit } = relativeTime(at, now, dateOf)
          const days = (Date.parse(dateOf(at)) - Date.parse(dateOf(now))) / (24 * HOUR_MS)
          expect([value, unit]).toEqual(ahead >= 12 && days !== 0 ? [days, 'day'] : [ahead, 'hour'])
          // Back from there it is as far.
          expect(Math.abs(relativeTime(now, at, dateOf).value)).toBe(value)
        }
      }
    })
  },
)
