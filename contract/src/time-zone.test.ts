import { expect, test } from 'vitest'
import { knownZone } from './time-zone.ts'

test('a machine that is older than the name of a zone reads it by the name that it knows', () => {
  const older = (name: string) => (/^(?:Europe\/Kiev|America\/Godthab)$/.test(name) ? name : null)
  expect(knownZone('Europe/Kyiv', older)).toBe('Europe/Kiev')
  expect(knownZone('AMERICA/nuuk', older)).toBe('America/Godthab')
  expect(knownZone('Europe/Kiev', older)).toBe('Europe/Kiev')
  expect(knownZone('Europe/Berlin', older)).toBeNull()
})

test.each(['Asia/Yangon', 'America/Nuuk', 'Pacific/Kanton', 'Europe/Kyiv'])(
  '%s has the clocks here of the name that it had before',
  (name) => {
    const knowsOld = (one: string) => (one === name ? null : knownZone(one))
    expect(knownZone(name, knowsOld)).not.toBeNull()
    expect(knownZone(name, knowsOld)).toBe(knownZone(name))
  },
)

test('neither a distance from UTC nor an abbreviation is the name of a zone', () => {
  for (const name of ['', '+01:00', '-5', 'IST', 'bst', 'CST', 'SystemV/PST8', 'Europe/Atlantis'])
    expect(knownZone(name)).toBeNull()
  for (const name of ['UTC', 'gmt', 'GB', 'nz', 'CET', 'Est', 'PRC', 'europe/BERLIN'])
    expect(knownZone(name)).not.toBeNull()
})
