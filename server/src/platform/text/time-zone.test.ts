import { describe, expect, test } from 'vitest'
import { beginOf, clockChanges, offsetAt } from './time-zone.ts'

const at = (text: string) => new Date(text)
const told = (changes: ReturnType<typeof clockChanges>) =>
  changes.map(({ since, offset }) => [since.toISOString().slice(0, 19), offset / 3_600])

describe('how the clocks of a zone go', () => {
  test('is one offset where they do not change', () => {
    expect(told(clockChanges(at('2026-11-01T00:00Z'), at('2026-12-31T00:00Z'), 'asia/calcutta'))).toEqual([
      ['2026-11-01T00:00:00', 5.5],
    ])
  })

  test.each([
    ['Europe/Kiev', '2026-10-20', '2026-11-01', [3, '2026-10-25T01:00:00', 2]],
    ['Australia/Lord_Howe', '2026-10-01', '2026-10-09', [10.5, '2026-10-03T15:30:00', 11]],
    // At one minute past midnight, to before it.
    ['America/St_Johns', '1990-10-20', '1990-11-01', [-2.5, '1990-10-28T02:31:00', -3.5]],
    // A day was left out.
    ['Pacific/Apia', '2011-12-20', '2012-01-05', [-10, '2011-12-30T10:00:00', 14]],
  ] as const)('%s from %s to %s changes once', (zone, from, to, [before, since, after]) => {
    expect(told(clockChanges(at(`${from}T00:00Z`), at(`${to}T00:00Z`), zone))).toEqual([
      [`${from}T00:00:00`, before],
      [since, after],
    ])
  })

  test('is as each instant shows it, in every zone', () => {
    const [from, to] = [at('2026-01-01T00:00Z'), at('2027-01-01T00:00Z')]
    for (const zone of Intl.supportedValuesOf('timeZone')) {
      const changes = clockChanges(from, to, zone)
      for (let instant = from.getTime(); instant < to.getTime(); instant += 131 * 3_600_000) {
        const change = changes.findLast(({ since }) => since.getTime() <= instant)
        expect({ zone, instant, offset: change?.offset }).toEqual({
          zone,
          instant,
          offset: offsetAt(instant, zone) / 1_000,
        })
      }
    }
  })
})

test('a day begins with its first moment, also where its midnight is left out or is there twice', () => {
  expect(beginOf('2026-03-29', 'us/eastern').toISOString()).toBe('2026-03-29T04:00:00.000Z')
  expect(beginOf('2018-11-04', 'America/Sao_Paulo').toISOString()).toBe('2018-11-04T03:00:00.000Z')
  expect(beginOf('2026-11-01', 'America/Havana').toISOString()).toBe('2026-11-01T04:00:00.000Z')
})
