import { expect, test } from 'vitest'
import { addDays, addMonths, byDay, daysOf, step, weekStart } from './grid.ts'

test('a month shows whole weeks, and no more of them than it needs', () => {
  const november = daysOf('month', '2026-11-21', 1)
  expect([november[0], november.at(-1), november.length]).toEqual(['2026-10-26', '2026-12-06', 42])
  expect(daysOf('month', '2027-02-10', 1)).toHaveLength(28)
  expect(daysOf('month', '2026-11-21', 7)[0]).toBe('2026-11-01')
})

test('a week has seven days, from the reader’s first day on', () => {
  expect(daysOf('week', '2026-11-22', 1)).toEqual(
    Array.from({ length: 7 }, (_, at) => addDays('2026-11-16', at)),
  )
  expect(weekStart('2026-11-22', 7)).toBe('2026-11-22')
})

test('going by months keeps within the month', () => {
  expect(addMonths('2026-01-31', 1)).toBe('2026-02-28')
  expect(step('month', '2026-01-31', -1)).toBe('2025-12-31')
  expect(step('week', '2026-11-21', 1)).toBe('2026-11-28')
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
