import { expect, test } from 'vitest'
import { answered, unreachable } from '../../../test/rigs/database-faults.ts'
import { DatabaseAway, databaseTrouble, isReadOnly } from './errors.ts'

const coded = (code: string) => Object.assign(new Error('x'), { code })

test.each([
  ['57P01', 'away'],
  ['53300', 'away'],
  ['08006', 'away'],
  ['25006', 'away'],
  ['57014', 'slow'],
  ['55P03', 'slow'],
  ['40P01', 'slow'],
  ['40001', 'slow'],
  ['53100', 'full'],
  ['53200', 'full'],
  ['58030', 'full'],
  ['42P01', undefined],
  ['23505', undefined],
])('%s of PostgreSQL: %s', (code, is) => {
  expect(databaseTrouble(answered(code))?.is).toBe(is)
})

test('what the system says of the way to the database', () => {
  expect(databaseTrouble(unreachable('ECONNREFUSED'))).toEqual({
    is: 'away',
    code: 'ECONNREFUSED',
  })
  expect(databaseTrouble(DatabaseAway.because(new Error('Connection terminated')))).toEqual({
    is: 'away',
    code: 'CONNECTION_CLOSED',
  })
  expect(databaseTrouble(new DatabaseAway('POOL_TIMEOUT'))).toEqual({
    is: 'slow',
    code: 'POOL_TIMEOUT',
    cause: 'pool',
  })
  // Of this process, which has none left.
  expect(databaseTrouble(unreachable('EMFILE'))).toBeNull()
})

test('what others have said with the same code is nothing of the database', () => {
  for (const code of ['ECONNREFUSED', 'ENOTFOUND', 'ECONNRESET', '53100', '57014'])
    expect(databaseTrouble(coded(code))).toBeNull()
  expect(isReadOnly(coded('25006'))).toBe(false)
  expect(databaseTrouble('no error at all')).toBeNull()
})

test('a fault is sorted by what caused it', () => {
  const cause = answered('40P01')
  expect(databaseTrouble(new Error('could not', { cause: new Error('since', { cause }) }))?.is).toBe('slow')
})
