import { expect, test } from 'vitest'
import { differs, instantsOf } from './time.ts'
import { dateOf, localOf } from './zone-clock.ts'

test.each([
  ['an ordinary minute', '2026-11-21T09:00', 'Europe/Berlin', ['2026-11-21T08:00:00.000Z']],
  ['a minute in the gap of spring', '2026-03-29T02:30', 'Europe/Berlin', []],
  [
    'a minute that comes twice',
    '2026-10-25T02:30',
    'Europe/Berlin',
    ['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z'],
  ],
  ['a gap of half an hour', '2026-10-04T02:15', 'Australia/Lord_Howe', []],
  ['a zone off by a quarter', '2026-06-01T12:00', 'Asia/Kathmandu', ['2026-06-01T06:15:00.000Z']],
  ['a day that was skipped', '2011-12-30T12:00', 'Pacific/Apia', []],
  ['what is no time', 'soon', 'UTC', []],
])('%s is %s in %s', (_what, local, zone, instants) => {
  expect(instantsOf(local, zone).map((instant) => instant.toISOString())).toEqual(instants)
})

test('an instant is shown as the zone’s own date and minute', () => {
  const instant = new Date('2026-12-31T23:30:00Z')
  expect(localOf(instant, 'Europe/Berlin')).toBe('2027-01-01T00:30')
  expect(dateOf(instant, 'America/New_York')).toBe('2026-12-31')
})

test('zones with the same clock do not differ', () => {
  expect(differs('2026-01-15T12:00:00Z', 'Europe/Berlin', 'Europe/Paris')).toBe(false)
  expect(differs('2026-01-15T12:00:00Z', 'Europe/Berlin', 'Europe/London')).toBe(true)
})
