import { expect, test } from 'vitest'
import { allTime, rangeOf } from './results-range.ts'

const now = new Date('2026-11-27T23:30:00Z')
const own = (from: string, to: string) => rangeOf({ span: 'own', from, to }, 'Europe/Berlin', now)

test('a range has whole days by the clocks of the workspace, the last one included', () => {
  expect(rangeOf(allTime, 'UTC', now)).toBe(null)
  // In Berlin it is the 28th.
  expect(rangeOf({ ...allTime, span: '7' }, 'Europe/Berlin', now)).toEqual({
    from: '2026-11-21T23:00:00.000Z',
    to: '2026-11-28T23:00:00.000Z',
  })
  expect(own('2026-10-25', '2026-10-25')).toEqual({
    from: '2026-10-24T22:00:00.000Z',
    to: '2026-10-25T23:00:00.000Z',
  })
  expect(rangeOf({ span: 'own', from: '2026-09-06', to: '2026-09-06' }, 'America/Santiago', now)).toEqual({
    from: '2026-09-06T04:00:00.000Z',
    to: '2026-09-07T03:00:00.000Z',
  })
})

test('days that are missing, are none, or stand the other way round are no range', () => {
  for (const [from, to] of [
    ['', '2026-11-27'],
    ['2026-11-27', ''],
    ['2026-02-30', '2026-11-27'],
    ['2026-11-28', '2026-11-27'],
  ] as const)
    expect(own(from, to)).toBe(undefined)
})
