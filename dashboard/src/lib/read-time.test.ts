import { de } from './words.de.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readTime, wordsOfLocal } from './read-time.ts'
import { instantsOf } from './time.ts'
import { localOf } from './zone-clock.ts'

/** Saturday, 23:30 in UTC: Sunday, 00:30 in Berlin. */
const now = new Date('2026-11-21T23:30:00Z')

function localIn(words: string, zone: string): string | null {
  const reading = readTime(words, zone, now)
  return reading.is === 'time' ? localOf(reading.at, zone) : null
}

test.each([
  ['tomorrow 9am', 'Europe/Berlin', '2026-11-23T09:00'],
  ['tomorrow 9am', 'America/New_York', '2026-11-22T09:00'],
  ['tomorrow', 'UTC', '2026-11-22T09:00'],
  ['Tomorrow at 9:30 a.m.', 'UTC', '2026-11-22T09:30'],
  ['tomorrow morning at 9', 'UTC', '2026-11-22T09:00'],
  ['tomorrow evening 8pm', 'UTC', '2026-11-22T20:00'],
  ['day after tomorrow noon', 'UTC', '2026-11-23T12:00'],
  ['next friday 14:30', 'UTC', '2026-11-27T14:30'],
  ['friday at 18', 'UTC', '2026-11-27T18:00'],
  ['Sat 23:45', 'UTC', '2026-11-21T23:45'],
  ['Sat 23:15', 'UTC', '2026-11-28T23:15'],
  ['today 23:45', 'UTC', '2026-11-21T23:45'],
  ['23:45', 'UTC', '2026-11-21T23:45'],
  ['9am', 'UTC', '2026-11-22T09:00'],
  ['14h30', 'UTC', '2026-11-22T14:30'],
  ['in 2 hours', 'Europe/Berlin', '2026-11-22T02:30'],
  ['in 1 hour and 15 minutes', 'UTC', '2026-11-22T00:45'],
  ['in 90 min', 'UTC', '2026-11-22T01:00'],
  ['in half an hour', 'UTC', '2026-11-22T00:00'],
  ['in 3 days 8am', 'UTC', '2026-11-24T08:00'],
  ['in two weeks', 'UTC', '2026-12-05T09:00'],
  ['2026-12-24 18:00', 'Asia/Kathmandu', '2026-12-24T18:00'],
  ['2026-12-24T18:00', 'UTC', '2026-12-24T18:00'],
  ['dec 24 18:00', 'UTC', '2026-12-24T18:00'],
  ['24 December 2026, 6pm', 'UTC', '2026-12-24T18:00'],
  ['the 24th of december at 6pm', 'UTC', '2026-12-24T18:00'],
  ['24.12. 18:00', 'UTC', '2026-12-24T18:00'],
  ['24.12.2027 18:00', 'UTC', '2027-12-24T18:00'],
  ['12/24 18:00', 'UTC', '2026-12-24T18:00'],
  ['Thu 24 Dec 18:00', 'UTC', '2026-12-24T18:00'],
  ['3 Feb', 'UTC', '2027-02-03T09:00'],
])('“%s” in %s is %s', (words, zone, local) => {
  expect(localIn(words, zone)).toBe(local)
})

test.each([
  ['tomorrow 9am EST', '2026-11-22T14:00:00.000Z', 'America/New_York'],
  ['tomorrow 9am ET', '2026-11-22T14:00:00.000Z', 'America/New_York'],
  ['tomorrow 9:00 CET', '2026-11-23T08:00:00.000Z', 'Europe/Berlin'],
  ['tomorrow 9am Berlin', '2026-11-23T08:00:00.000Z', 'Europe/Berlin'],
  ['tomorrow 9am in New York', '2026-11-22T14:00:00.000Z', 'America/New_York'],
  ['tomorrow 9am Europe/Berlin', '2026-11-23T08:00:00.000Z', 'Europe/Berlin'],
  ['tomorrow 9am san francisco time', '2026-11-22T17:00:00.000Z', 'America/Los_Angeles'],
  ['9:00 Kolkata', '2026-11-22T03:30:00.000Z', 'Asia/Kolkata'],
  ['2026-12-01 09:00 UTC', '2026-12-01T09:00:00.000Z', 'UTC'],
  ['2026-12-01T09:00Z', '2026-12-01T09:00:00.000Z', 'UTC'],
  // A distance from UTC has no name: it is shown in the usual zone.
  ['2026-12-01T09:00+02:00', '2026-12-01T07:00:00.000Z', 'Asia/Tokyo'],
  ['tomorrow 9am utc-5', '2026-11-22T14:00:00.000Z', 'Asia/Tokyo'],
  // The hour that comes twice, told apart.
  ['1 Dec 2027 02:30 CEST', null, null],
  ['31 Oct 2027 02:30 CEST', '2027-10-31T00:30:00.000Z', 'Europe/Berlin'],
  ['31 Oct 2027 02:30 CET', '2027-10-31T01:30:00.000Z', 'Europe/Berlin'],
])('“%s”, where Tokyo is usual, is %s', (words, at, zone) => {
  const reading = readTime(words, 'Asia/Tokyo', now)
  if (reading.is === 'time') expect([reading.at.toISOString(), reading.zone]).toEqual([at, zone])
  else expect([reading.is, at]).toEqual(['refused', null])
})

describe('what is not understood as a whole is refused, with what would do', () => {
  test.each([
    ['foo', /does not understand “foo”/],
    ['gibberish xyz', /does not understand “gibberish xyz”/],
    ['foo tomorrow 9am', /does not understand “foo tomorrow”/],
    ['tomorrow 9am please', /does not understand/],
    ['tomorrow 9am Atlantis', /does not understand/],
    ['tomorrow 25:00', /“25:00” is not a time of day/],
    ['tomorrow 13pm', /“13pm” is not a time of day/],
    ['tomorrow 9', /9am.*9pm/],
    ['at 9', /9am.*9pm/],
    ['tomorrow evening', /At what time/],
    ['today', /At what time/],
    ['9pm in the morning', /two things/],
    ['midnight', /between two days/],
    ['next week', /On which day/],
    ['3/4 9am', /3 April or 4 March/],
    ['31 Feb 9:00', /no such day/],
    ['Mon 24 Dec 2026 9:00', /24 December is a Thursday/],
    ['tomorrow 9am IST', /India, Ireland or Israel/],
    ['1 Jul 2027 9am EST', /EST is UTC−5.*“09:00 New York”/],
    ['in 3 months', /does not understand/],
    ['tomorrow 9am 10am', /does not understand/],
    ['tomorrow friday 9am', /does not understand/],
  ])('“%s”', (words, why) => {
    expect(readTime(words, 'UTC', now)).toEqual({ is: 'refused', why: expect.stringMatching(why) })
  })

  test('a minute that does not exist, and one that comes twice', () => {
    const inBerlin = (words: string) => readTime(words, 'Europe/Berlin', now)
    expect(inBerlin('28 Mar 2027 02:30')).toMatchObject({ why: expect.stringMatching(/no 02:30 in Berlin/) })
    expect(inBerlin('31 Oct 2027 02:30')).toMatchObject({
      why: expect.stringMatching(/twice in Berlin.*“02:30 UTC\+2” or “02:30 UTC\+1”/),
    })
  })

  test('“next friday” where it has two meanings', () => {
    const monday = new Date('2026-11-23T10:00:00Z')
    expect(readTime('next friday 9am', 'UTC', monday)).toMatchObject({
      why: expect.stringMatching(/27 November or 4 December/),
    })
  })
})

test('nothing is no time, and no fault', () => {
  expect(readTime('  ', 'UTC', now)).toEqual({ is: 'none' })
})

const zones = fc.constantFrom(
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
)
const locals = fc
  .date({ min: new Date('2026-11-23'), max: new Date('2030-01-01'), noInvalidDate: true })
  .map((at) => at.toISOString().slice(0, 16))

test('each minute of each zone is written in words that mean just that minute', () => {
  fc.assert(
    fc.property(locals, zones, (local, zone) => {
      const instants = instantsOf(local, zone)
      const reading = readTime(wordsOfLocal(local), zone, now)
      if (instants.length === 1) expect(reading).toEqual({ is: 'time', at: instants[0], zone })
      else expect(reading.is).toBe('refused')
    }),
  )
})

test('no word that is added to a time is passed over', () => {
  const noise = fc.stringMatching(/^[b-ln-y]{4,9}$/)
  fc.assert(
    fc.property(noise, fc.constantFrom('tomorrow 9am', 'Fri 27 Nov 14:30', '24.12. 18:00'), (word, time) => {
      expect([
        readTime(`${word} ${time}`, 'UTC', now).is,
        readTime(`${time} ${word}`, 'UTC', now).is,
      ]).not.toContain('time')
    }),
  )
})

test('whatever is typed gets an answer', () => {
  const token = fc.constantFrom(
    ...'tomorrow today next fri friday 9 9am 14:30 24 dec 24.12. 12/24 in 2 hours at on noon berlin est utc+2 evening - : 2026-12-24 the of'.split(
      ' ',
    ),
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(token, fc.string()), { maxLength: 6 }), zones, (words, zone) => {
      expect(['none', 'refused', 'time']).toContain(readTime(words.join(' '), zone, now).is)
    }),
  )
})

test.each([
  ['morgen 9 uhr', 'tomorrow 9:00'],
  ['fr 14:30', 'fri 14:30'],
  ['am 24. dez um 18:30 uhr', 'on 24 dec at 18:30'],
  ['in 2 stunden', 'in 2 hours'],
  ['di 24. nov 2026 09:00', 'tuesday 24 nov 2026 09:00'],
  ['übermorgen 20:00', 'day after tomorrow 20:00'],
])('German “%s” is read as “%s”', (german, english) => {
  const now = new Date('2026-11-23T08:00Z')
  const read = readTime(de.inEnglish(german), 'Europe/Berlin', now)
  expect(read).toMatchObject({ is: 'time' })
  expect(read).toEqual(readTime(english, 'Europe/Berlin', now))
})
