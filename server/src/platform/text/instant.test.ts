import { describe, expect, test } from 'vitest'
import { parseInstant, parseLocal } from './instant.ts'
import { findTimeZone, meaningOf } from './time-zone.ts'

test.each([
  ['2026-12-01T09:00:00Z', '2026-12-01T09:00:00.000Z'],
  ['2026-12-01t09:00:00z', '2026-12-01T09:00:00.000Z'],
  ['2026-12-01T09:00:00.5+01:00', '2026-12-01T08:00:00.500Z'],
  ['2026-12-01T09:00:00.120000000-05:30', '2026-12-01T14:30:00.120Z'],
  ['2026-12-01T09:00:00-00:00', '2026-12-01T09:00:00.000Z'],
  ['2026-12-31T23:59:60Z', '2027-01-01T00:00:00.000Z'],
  ['2026-06-30T16:59:60.250-07:00', '2026-07-01T00:00:00.250Z'],
  ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
  ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
])('%s is %s', (text, instant) => {
  expect(parseInstant(text)?.toISOString()).toBe(instant)
})

test.each([
  '2026-12-01T09:00:00',
  '2026-12-01 09:00:00Z',
  '2026-12-01T09:00Z',
  '2026-12-01',
  '2026-12-01T09:00:00.1234Z',
  '2026-12-01T09:00:00.000001Z',
  '2026-12-01T09:00:00.Z',
  '2026-12-01T09:00:61Z',
  '2026-12-01T09:60:00Z',
  '2026-12-01T24:00:00Z',
  '2026-12-01T09:00:00+24:00',
  '2026-12-01T09:00:00+01:60',
  '2026-12-01T09:00:00+0100',
  '2026-02-30T09:00:00Z',
  '2027-02-29T09:00:00Z',
  '2026-13-01T09:00:00Z',
  '1969-12-31T23:59:59Z',
  '9999-12-31T23:59:60Z',
  '+02026-12-01T09:00:00Z',
  '٢٠٢٦-12-01T09:00:00Z',
  '',
])('%j is no instant', (text) => {
  expect(parseInstant(text)).toBeNull()
})

describe('a local time', () => {
  const meaning = (local: string, timeZone: string) => {
    const found = meaningOf(parseLocal(local) ?? Number.NaN, timeZone)
    return found.is === 'instant'
      ? found.at.toISOString()
      : { [found.is]: found.candidates.map((at) => at.toISOString()) }
  }

  test.each([
    ['2026-12-01T09:00', 'Europe/Berlin', '2026-12-01T08:00:00.000Z'],
    ['2026-07-01T09:00:30.250', 'Europe/Berlin', '2026-07-01T07:00:30.250Z'],
    ['2026-07-01T09:00', 'UTC', '2026-07-01T09:00:00.000Z'],
    ['2026-07-01T00:15', 'Asia/Kathmandu', '2026-06-30T18:30:00.000Z'],
    ['2026-07-01T00:15', 'Pacific/Kiritimati', '2026-06-30T10:15:00.000Z'],
    ['2026-07-01T23:00', 'Pacific/Pago_Pago', '2026-07-02T10:00:00.000Z'],
    // The minutes around a change are themselves again.
    ['2026-03-29T01:59:59.999', 'Europe/Berlin', '2026-03-29T00:59:59.999Z'],
    ['2026-03-29T03:00', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
    ['2026-10-25T01:59:59.999', 'Europe/Berlin', '2026-10-24T23:59:59.999Z'],
    ['2026-10-25T03:00', 'Europe/Berlin', '2026-10-25T02:00:00.000Z'],
    ['2026-12-31T23:59:60', 'America/New_York', '2027-01-01T05:00:00.000Z'],
  ])('%s in %s is %s', (local, zone, instant) => {
    expect(meaning(local, zone)).toBe(instant)
  })

  test('that the clocks leave out is what it would be before the change, or after it', () => {
    expect(meaning('2026-03-29T02:30', 'Europe/Berlin')).toEqual({
      missing: ['2026-03-29T00:30:00.000Z', '2026-03-29T01:30:00.000Z'],
    })
    expect(meaning('2026-03-08T02:00', 'America/New_York')).toEqual({
      missing: ['2026-03-08T06:00:00.000Z', '2026-03-08T07:00:00.000Z'],
    })
    // Half an hour is left out here, and a whole day there.
    expect(meaning('2026-10-04T02:15', 'Australia/Lord_Howe')).toEqual({
      missing: ['2026-10-03T15:15:00.000Z', '2026-10-03T15:45:00.000Z'],
    })
    expect(meaning('2011-12-30T12:00', 'Pacific/Apia')).toEqual({
      missing: ['2011-12-29T22:00:00.000Z', '2011-12-30T22:00:00.000Z'],
    })
  })

  test('that the clocks show twice is either', () => {
    expect(meaning('2026-10-25T02:30', 'Europe/Berlin')).toEqual({
      ambiguous: ['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z'],
    })
    expect(meaning('2026-10-25T02:00', 'Europe/Berlin')).toEqual({
      ambiguous: ['2026-10-25T00:00:00.000Z', '2026-10-25T01:00:00.000Z'],
    })
    expect(meaning('2026-04-05T01:45', 'Australia/Lord_Howe')).toEqual({
      ambiguous: ['2026-04-04T14:45:00.000Z', '2026-04-04T15:15:00.000Z'],
    })
  })

  test.each([
    '2026-12-01T09',
    '2026-12-01T09:00Z',
    '2026-12-01T09:00+01:00',
    '2026-02-30T09:00',
    '0000-02-28T09:00',
    '0099-02-28T09:00',
    '2026-12-01T25:00',
    '2026-12-01T09:00:00.0001',
    '2026-12-01',
  ])('is not written %s', (text) => expect(parseLocal(text)).toBeNull())
})

test.each([
  ['Europe/Berlin', 'Europe/Berlin'],
  ['europe/BERLIN', 'Europe/Berlin'],
  ['UTC', 'UTC'],
  ['Europe/Atlantis', null],
  ['+01:00', null],
  ['', null],
  ['../../etc/localtime', null],
])('the time zone %j is %j', (name, zone) => {
  expect(findTimeZone(name)).toBe(zone)
})
