import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findTimeZone, offsetAt } from '../../platform/text/time-zone.ts'
import { fromMinutes, isSlot, slotsBetween, toMinutes } from './posting-times.ts'

const RUNS = Number(process.env['SLOT_RUNS'] ?? 40)
const MINUTE = 60_000
const DAY = 86_400_000

const at = (weekday: 'sunday' | 'friday' | 'saturday' | 'monday', ...times: string[]) =>
  toMinutes(times.map((time) => ({ weekday, time })))

function slots(minutes: readonly number[], timeZone: string, from: string, days: number): string[] {
  const after = new Date(Date.parse(from) - 1)
  const before = new Date(Date.parse(from) + days * DAY)
  return [...slotsBetween(minutes, timeZone, { after, before })].map((slot) => slot.toISOString())
}

describe('posting times', () => {
  test('are those of a week in its zone, and none where there are none', () => {
    const times = [
      { weekday: 'friday', time: '18:00' },
      { weekday: 'monday', time: '09:30' },
    ] as const
    const minutes = toMinutes([...times])
    expect(fromMinutes(minutes)).toEqual([times[1], times[0]])
    expect(slots(minutes, 'Europe/Berlin', '2026-12-01T00:00Z', 14)).toEqual([
      '2026-12-04T17:00:00.000Z',
      '2026-12-07T08:30:00.000Z',
      '2026-12-11T17:00:00.000Z',
      '2026-12-14T08:30:00.000Z',
    ])
    expect(slots([], 'Europe/Berlin', '2026-12-01T00:00Z', 14)).toEqual([])
  })

  test('that the clocks leave out are as much later, and those shown twice the first', () => {
    const night = at('sunday', '01:30', '02:30', '03:30')
    // Berlin: 02:30 and 03:30 are one instant on that day.
    expect(slots(night, 'Europe/Berlin', '2027-03-27T12:00Z', 1)).toEqual([
      '2027-03-28T00:30:00.000Z',
      '2027-03-28T01:30:00.000Z',
    ])
    expect(slots(at('sunday', '02:30'), 'Europe/Berlin', '2026-10-24T12:00Z', 1)).toEqual([
      '2026-10-25T00:30:00.000Z',
    ])
    // Lord Howe changes by half an hour, at 02:00.
    expect(slots(at('sunday', '02:15'), 'Australia/Lord_Howe', '2026-10-03T00:00Z', 1)).toEqual([
      '2026-10-03T15:45:00.000Z',
    ])
    expect(slots(at('sunday', '01:45'), 'Australia/Lord_Howe', '2027-04-03T00:00Z', 1)).toEqual([
      '2027-04-03T14:45:00.000Z',
    ])
    // Troll changes by two hours.
    expect(slots(at('sunday', '02:30'), 'Antarctica/Troll', '2027-03-27T12:00Z', 1)).toEqual([
      '2027-03-28T02:30:00.000Z',
    ])
    // Morocco is put back for Ramadan, and forward after it.
    expect(slots(at('sunday', '02:30'), 'Africa/Casablanca', '2025-02-22T12:00Z', 1)).toEqual([
      '2025-02-23T01:30:00.000Z',
    ])
    // Samoa had no 30 December 2011, which was a Friday.
    expect(slots(at('friday', '09:00'), 'Pacific/Apia', '2011-12-29T00:00Z', 5)).toEqual([
      '2011-12-30T19:00:00.000Z',
    ])
    const both = [...at('friday', '09:00'), ...at('saturday', '09:00')]
    expect(slots(both, 'Pacific/Apia', '2011-12-29T00:00Z', 5)).toEqual(['2011-12-30T19:00:00.000Z'])
  })

  const zones = [
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'Pacific/Apia',
    'Antarctica/Troll',
    'Africa/Casablanca',
    'Asia/Kathmandu',
    'Pacific/Kiritimati',
    'America/St_Johns',
    'UTC',
  ].map((zone) => findTimeZone(zone) ?? 'UTC')

  /** What a clock on the wall shows, minute by minute: the plainest way to say the same. */
  function reference(minutes: readonly number[], timeZone: string, from: number, to: number): number[] {
    const shows = new Set<number>()
    const found = new Set<number>()
    let before = offsetAt(from - 3 * DAY, timeZone)
    for (let now = from - 3 * DAY; now < to; now += MINUTE) {
      const offset = offsetAt(now, timeZone)
      const jumped = now + offset - (now - MINUTE + before) - MINUTE
      // Minutes that were jumped over come as much later.
      for (let left = 0; left < jumped; left += MINUTE) {
        if (minutes.includes(weekMinute(now + before + left))) found.add(now + left)
      }
      const local = now + offset
      if (!shows.has(local) && minutes.includes(weekMinute(local))) found.add(now)
      shows.add(local)
      before = offset
    }
    return [...found].filter((slot) => slot >= from && slot < to).toSorted((a, b) => a - b)
  }

  function weekMinute(local: number): number {
    const minute = Math.floor(local / MINUTE)
    // 1 January 1970 was a Thursday.
    return (((minute + 3 * 1_440) % 10_080) + 10_080) % 10_080
  }

  test(
    'are the same as a clock on the wall shows, in any zone and around any change',
    { timeout: 600_000 },
    () => {
      const changes = [
        '2011-12-29',
        '2026-10-25',
        '2027-03-28',
        '2027-04-04',
        '2025-02-23',
        '2025-04-06',
        '2026-10-04',
      ]
      fc.assert(
        fc.property(
          fc.constantFrom(...zones),
          fc.constantFrom(...changes),
          fc.integer({ min: -5, max: 5 }),
          fc.uniqueArray(fc.integer({ min: 0, max: 10_079 }), { minLength: 1, maxLength: 100 }),
          (zone, change, days, unsorted) => {
            const minutes = unsorted.toSorted((a, b) => a - b)
            const from = Date.parse(`${change}T00:00Z`) + days * DAY
            const to = from + 3 * DAY
            const found = [
              ...slotsBetween(minutes, zone, { after: new Date(from - 1), before: new Date(to) }),
            ].map(Number)
            expect(found).toEqual(reference(minutes, zone, from, to))
            for (const slot of found.slice(0, 3)) {
              expect(isSlot(minutes, zone, new Date(slot))).toBe(true)
              expect(isSlot(minutes, zone, new Date(slot + 1))).toBe(false)
            }
          },
        ),
        { numRuns: RUNS },
      )
    },
  )

  test('go on without a gap for two years, wherever one begins to look', () => {
    const minutes = at('monday', '00:00', '23:59')
    const whole = slots(minutes, 'Europe/Berlin', '2026-01-01T00:00Z', 731)
    expect(whole).toHaveLength(2 * 104)
    for (const days of [13, 14, 15, 100]) {
      const from = new Date(Date.parse('2026-01-01T00:00Z') + days * DAY).toISOString()
      expect(slots(minutes, 'Europe/Berlin', from, 731 - days)).toEqual(whole.filter((slot) => slot >= from))
    }
  })
})
