import { expect, test } from 'vitest'
import { parseId, parseTimeZone } from './arguments.ts'
import { UsageError } from './command-fault.ts'

test('a time zone must be known', () => {
  expect(parseTimeZone('Europe/Vienna')).toBe('Europe/Vienna')
  expect(() => parseTimeZone('Europe/Wien')).toThrow(UsageError)
})

test('an id must be a UUID', () => {
  expect(parseId('keyId', '0199C1DE-7c3a-7b52-9d0e-5f1f0c3b9a11')).toBe(
    '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11',
  )
  expect(() => parseId('keyId', 'pr_abc')).toThrow('keyId must be an id')
})
