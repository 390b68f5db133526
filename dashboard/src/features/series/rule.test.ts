import { expect, test } from 'vitest'
import { changedRepeat, repeatOf, ruleChange, ruleOf, ruleWords, usualRepeat } from './rule.ts'

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

const weekly = { rule: 'FREQ=WEEKLY;INTERVAL=1;BYDAY=MO;COUNT=60', startsAt, except: ['2027-12-27'] }
const known = repeatOf(weekly)!
const { except } = weekly

test('a day that a series leaves out stays so when its rule is changed, and changed back', () => {
  const other = changedRepeat(known, { interval: 2 }, except)
  expect(ruleChange(weekly, other)).toEqual({ rule: 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;COUNT=60' })
  expect(ruleChange(weekly, changedRepeat(other, { interval: 1 }, except))).toEqual({})
  const unknown = { ...weekly, rule: 'FREQ=MONTHLY;BYDAY=1MO;COUNT=3' }
  expect(ruleChange(unknown, changedRepeat({ ...usualRepeat, except }, { times: 5 }, except))).toEqual({
    rule: 'FREQ=WEEKLY;INTERVAL=1;BYDAY=MO;COUNT=5',
  })
})

test('a day that a person puts back comes back, also with another rule', () => {
  const back = { ...known, except: [] }
  expect(ruleChange(weekly, back)).toEqual({ except: [] })
  expect(ruleChange(weekly, changedRepeat(back, { interval: 2 }, except))).toMatchObject({ except: [] })
})

test('days that clocks had left out of another rule are not left out of this', () => {
  const left = { ...known, except: [...except, '2027-03-29'] }
  expect(changedRepeat(left, { every: 'DAILY' }, except).except).toEqual(except)
  expect(changedRepeat(left, { every: 'DAILY' }, []).except).toEqual([])
})
