import { expect, test } from 'vitest'
import { addDays, byDay, daysOf, minutesBetween, shiftLocal, step, weekStart } from './grid.ts'

test('a month shows five whole weeks, of which one is over', () => {
  const days = daysOf('month', '2026-11-25', 1)
  expect([days[0], days.at(-1), days.length]).toEqual(['2026-11-16', '2026-12-20', 35])
  expect(daysOf('month', '2026-11-25', 7)[0]).toBe('2026-11-15')
})

test('a week has seven days, from the reader’s first day on', () => {
  expect(daysOf('week', '2026-11-22', 1)).toEqual(
    Array.from({ length: 7 }, (_, at) => addDays('2026-11-16', at)),
  )
  expect(weekStart('2026-11-22', 7)).toBe('2026-11-22')
})

test('going on and back leads over as many days as are seen, and back to where it began', () => {
  expect(step('month', '2026-01-31', -1)).toBe('2026-01-03')
  expect(step('week', '2026-11-21', 1)).toBe('2026-11-28')
  expect(step('month', step('month', '2026-11-21', 1), -1)).toBe('2026-11-21')
})

test('times of day are moved on a clock, across midnight and whatever it is changed by', () => {
  expect(shiftLocal('2026-11-21T23:45', 30)).toBe('2026-11-22T00:15')
  expect(shiftLocal('2026-03-28T09:00', 24 * 60)).toBe('2026-03-29T09:00')
  expect(minutesBetween('2026-11-21T09:00', '2026-11-20T09:15')).toBe(15 - 24 * 60)
})

test('an entry stands on the day that the zone has at its time, in order', () => {
  const entries = [
    { id: 'b', publishAt: '2026-11-21T23:30:00.000Z', publishedAt: null },
    { id: 'a', publishAt: '2026-11-21T10:00:00.000Z', publishedAt: '2026-11-21T23:10:00.000Z' },
    { id: 'draft', publishAt: null, publishedAt: null },
  ]
  expect([...byDay(entries, 'Europe/Berlin')].map(([day, list]) => [day, list.map(({ id }) => id)])).toEqual([
    ['2026-11-22', ['a', 'b']],
  ])
})
