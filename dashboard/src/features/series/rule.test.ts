import { expect, test } from 'vitest'
import { repeatOf, ruleOf, ruleWords } from './rule.ts'

const startsAt = { local: '2027-01-04T09:00', timeZone: 'UTC' }

test.each([
  'FREQ=DAILY;COUNT=3',
  'FREQ=WEEKLY;COUNT=10',
  'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH;UNTIL=20271231',
  'RRULE:FREQ=WEEKLY;BYDAY=MO,FR;WKST=MO;COUNT=4',
  'FREQ=MONTHLY;UNTIL=20271231',
  'FREQ=MONTHLY;BYMONTHDAY=4;COUNT=12',
])('%s can be chosen, and what is chosen then says the same', (rule) => {
  const repeat = repeatOf({ rule, startsAt, except: ['2027-01-11'] })!
  expect(repeat.except).toEqual(['2027-01-11'])
  const chosen = ruleOf(repeat, startsAt.local)!
  expect(ruleWords({ rule: chosen, startsAt })).toBe(ruleWords({ rule, startsAt }))
})

test.each([
  'FREQ=MONTHLY;BYDAY=1MO;COUNT=3',
  'FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=3',
  'FREQ=MONTHLY;BYMONTHDAY=4,5;COUNT=3',
  'FREQ=DAILY;BYDAY=MO;COUNT=3',
  'FREQ=WEEKLY;INTERVAL=2;WKST=SU;COUNT=3',
])('%s says more than can be chosen', (rule) => {
  expect(repeatOf({ rule, startsAt, except: [] })).toBe(null)
})
