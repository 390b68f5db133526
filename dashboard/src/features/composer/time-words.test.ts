import { expect, test } from 'vitest'
import { readTimeWords } from './time-words.ts'

/** Saturday, 23:30 in UTC: Sunday, 00:30 in Berlin. */
const now = new Date('2026-11-21T23:30:00Z')

test.each([
  ['tomorrow 9am', 'Europe/Berlin', '2026-11-23T09:00'],
  ['tomorrow 9am', 'America/New_York', '2026-11-22T09:00'],
  ['tomorrow', 'UTC', '2026-11-22T09:00'],
  ['next friday 14:30', 'UTC', '2026-11-27T14:30'],
  ['in 2 hours', 'Europe/Berlin', '2026-11-22T02:30'],
  ['2026-12-24 18:00', 'Asia/Kathmandu', '2026-12-24T18:00'],
])('“%s” in %s is %s', async (words, zone, local) => {
  expect((await readTimeWords(words, zone, now))?.local).toBe(local)
})

test.each(['', 'hello there'])('“%s” names no time', async (words) => {
  expect(await readTimeWords(words, 'UTC', now)).toBeNull()
})
