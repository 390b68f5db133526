import { expect, test } from 'vitest'
import { unreachableAt } from './reachable-address.ts'

const nothing = { trustedOrigins: [] }

test.each([
  ['https://post.example.com', null],
  ['https://post.example.com:8443', null],
  ['https://203.0.114.7', null],
  ['http://post.example.com', 'not_https'],
  ['http://localhost:4000', 'not_public'],
  ['https://localhost', 'not_public'],
  ['https://postrider', 'not_public'],
  ['https://postrider.lan', 'not_public'],
  ['https://10.0.0.7', 'not_public'],
  ['https://[fd00::1]', 'not_public'],
])('of a server at %s is said: %s', (baseUrl, why) => {
  expect(unreachableAt(baseUrl, nothing)).toEqual(why === null ? null : { why, baseUrl })
})

test('what the operator trusts is taken to be reached', () => {
  const rules = { trustedOrigins: ['http://10.0.0.7:4000'] }
  expect(unreachableAt('http://10.0.0.7:4000', rules)).toBeNull()
  expect(unreachableAt('http://10.0.0.7:4001', rules)).toMatchObject({ why: 'not_public' })
  expect(unreachableAt('http://10.0.0.7:4001', { trustedOrigins: 'any' })).toBeNull()
})
