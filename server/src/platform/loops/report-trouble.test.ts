import { expect, test } from 'vitest'
import { troubleReporter } from './report-trouble.ts'

const away = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
const full = Object.assign(new Error('full'), { code: '53100' })

test('what is the matter with the database is said once in half a minute of each kind of work', () => {
  const said: string[] = []
  let nowMs = 0
  const warn = ((facts: { doing: string }, message: string) =>
    void said.push(`${facts.doing}: ${message}`)) as never
  const report = troubleReporter({ warn }, () => nowMs)
  const everySecond = (seconds: number) => {
    for (let n = 0; n < seconds; n++, nowMs += 1_000) {
      expect(report(away, 'claim')).toBe(true)
      expect(report(away, 'orphans')).toBe(true)
    }
  }
  everySecond(30)
  expect(said).toEqual(['claim: the database is away', 'orphans: the database is away'])
  expect(report(full, 'claim')).toBe(true)
  expect(said.at(-1)).toBe('claim: the database has no room left')
  everySecond(1)
  expect(said).toHaveLength(5)
})

test('what the database is not to blame for is left to who asks', () => {
  const report = troubleReporter({ warn: () => expect.unreachable() })
  expect(report(new Error('ours'), 'claim')).toBe(false)
})
