import { eventTypeNames, permissionNames } from '@postrider/contract'
import { expect, test } from 'vitest'
import {
  parseEventTypes,
  parseExpiry,
  parseId,
  parsePermissions,
  parseSince,
  parseTimeZone,
} from './arguments.ts'
import { UsageError } from './command-fault.ts'

const now = new Date('2026-11-21T09:00:00Z')

test.each([
  ['45m', '2026-11-21T09:45:00.000Z'],
  ['12h', '2026-11-21T21:00:00.000Z'],
  ['30d', '2026-12-21T09:00:00.000Z'],
  ['2027-01-31T00:00:00+01:00', '2027-01-30T23:00:00.000Z'],
  ['2027-01-31T00:00Z', '2027-01-31T00:00:00.000Z'],
])('a key that expires %s ends at %s', (text, instant) => {
  expect(parseExpiry(text, now).toISOString()).toBe(instant)
})

test.each([
  '',
  'soon',
  '30',
  '0d',
  '-1d',
  '2027-01-31',
  '2027-01-31T00:00:00',
  '2020-01-01T00:00:00Z',
  '2027-13-01T00:00Z',
])('the expiry "%s" is refused', (text) => {
  expect(() => parseExpiry(text, now)).toThrow(UsageError)
})

test('permissions are names or all, each once', () => {
  expect(parsePermissions('all')).toEqual(permissionNames.filter((name) => name !== 'webhooks:write'))
  expect(parsePermissions('posts:write, posts:read,posts:read')).toEqual(['posts:read', 'posts:write'])
  expect(() => parsePermissions('posts:read,posts:wirte')).toThrow('does not know "posts:wirte"')
  expect(() => parsePermissions('')).toThrow(UsageError)
})

test('event types are names or all, each once, and mean the same to every command', () => {
  expect(parseEventTypes('all')).toEqual(eventTypeNames)
  expect(parseEventTypes('post.failed, post.published,post.failed')).toEqual([
    'post.published',
    'post.failed',
  ])
  for (const text of ['post.pubished', '', 'post.failed,'])
    expect(() => parseEventTypes(text)).toThrow('--events does not know')
})

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

test('since is a time before now', () => {
  expect(parseSince('45m', now).toISOString()).toBe('2026-11-21T08:15:00.000Z')
  expect(parseSince('2026-11-20T09:00:00+01:00', now).toISOString()).toBe('2026-11-20T08:00:00.000Z')
  for (const text of ['', 'yesterday', '2026-11-20', '2026-11-21T09:00:01Z'])
    expect(() => parseSince(text, now)).toThrow(UsageError)
})
