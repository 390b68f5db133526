import { expect, test } from 'vitest'
import { databaseOutage } from './errors.ts'

const withCode = (code: string) => Object.assign(new Error('x'), { code })

test.each([
  ['57P01', 'the database is away'],
  ['ECONNREFUSED', 'the database is away'],
  ['53300', 'the database is away'],
  ['53100', 'the database has no room left'],
  ['53200', 'the database has no room left'],
  ['58030', 'the database has no room left'],
  ['42P01', null],
])('%s is a trouble of the database: %s', (code, trouble) => {
  expect(databaseOutage(withCode(code))).toBe(trouble)
})
