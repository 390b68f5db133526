import { type CredentialLimits, noLimits } from '@postrider/contract'
import { expect, test } from 'vitest'
import { exceededLimit, type LimitedAct, readNetwork } from './credential-limits.ts'
import { dayOf } from '../../platform/text/time-zone.ts'

const now = new Date('2026-11-21T12:00:00Z')
const [mine, other] = ['0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11', '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a12']
const limitOf = (limits: Partial<CredentialLimits>, act: LimitedAct) =>
  exceededLimit({ ...noLimits, ...limits }, act, now)?.limit ?? null

test.each<[string, Partial<CredentialLimits>, LimitedAct, keyof CredentialLimits | null]>([
  ['nothing limits nothing', {}, { channelIds: [other], publishes: true, postsToday: 9 }, null],
  ['its own channel', { channelIds: [mine] }, { channelIds: [mine] }, null],
  ['one channel too many', { channelIds: [mine] }, { channelIds: [mine, other] }, 'channelIds'],
  ['a draft', { draftsOnly: true }, { publishes: false }, null],
  ['no draft', { draftsOnly: true }, { publishes: true }, 'draftsOnly'],
  ['the last moment', { publishWithinHours: 24 }, { publishAt: new Date('2026-11-22T12:00:00Z') }, null],
  [
    'after it',
    { publishWithinHours: 24 },
    { publishAt: new Date('2026-11-22T12:00:00.001Z') },
    'publishWithinHours',
  ],
  ['no time', { publishWithinHours: 24 }, { publishAt: null }, null],
  ['the last post of the day', { postsPerDay: 3 }, { postsToday: 2 }, null],
  ['one more', { postsPerDay: 3 }, { postsToday: 3 }, 'postsPerDay'],
  ['no create', { postsPerDay: 3 }, { publishes: true }, null],
  ['an address within', { networks: ['203.0.113.0/24'] }, { address: '203.0.113.9' }, null],
  ['the same over an IPv6 socket', { networks: ['203.0.113.0/24'] }, { address: '::ffff:203.0.113.9' }, null],
  ['an address beside', { networks: ['203.0.113.0/24'] }, { address: '203.0.114.1' }, 'networks'],
  ['IPv6 within', { networks: ['10.0.0.0/8', '2001:db8::/32'] }, { address: '2001:db8:1::1' }, null],
  ['IPv6 beside', { networks: ['2001:db8::/32'] }, { address: '2001:db9::1' }, 'networks'],
  ['IPv4 and a network of all IPv6', { networks: ['::/0'] }, { address: '203.0.113.9' }, 'networks'],
  ['an address of a link with its zone', { networks: ['fe80::/10'] }, { address: 'fe80::1%eth0' }, null],
  ['no address at all', { networks: ['0.0.0.0/0'] }, { address: 'unix' }, 'networks'],
])('%s', (_, limits, act, exceeded) => {
  expect(limitOf(limits, act)).toBe(exceeded)
})

test.each([
  ['203.0.113.7/24', '203.0.113.0/24'],
  ['2001:DB8:1::/32', '2001:db8::/32'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['::/0', '::/0'],
  ['203.0.113.7', null],
  ['203.0.113.0/33', null],
  ['203.0.113.0/', null],
  ['10/8', null],
  ['0x0a.0.0.0/8', null],
  ['::ffff:10.0.0.0/104', null],
  ['fe80::1%eth0/64', null],
  ['example.com/24', null],
])('%s is kept as %s', (text, kept) => {
  expect(readNetwork(text)).toBe(kept)
})

test.each([
  ['Europe/Vienna', '2026-11-21T22:30:00Z', '2026-11-20T23:00:00.000Z', '2026-11-21T23:00:00.000Z'],
  ['Europe/Vienna', '2026-11-21T23:30:00Z', '2026-11-21T23:00:00.000Z', '2026-11-22T23:00:00.000Z'],
  ['Europe/Vienna', '2026-03-29T10:00:00Z', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
  // Midnight did not exist on 4 November 2018, and came twice on 1 November 2026.
  ['America/Sao_Paulo', '2018-11-04T12:00:00Z', '2018-11-04T03:00:00.000Z', '2018-11-05T02:00:00.000Z'],
  ['America/Havana', '2026-11-01T12:00:00Z', '2026-11-01T04:00:00.000Z', '2026-11-02T05:00:00.000Z'],
  ['Pacific/Kiritimati', '2026-11-21T12:00:00Z', '2026-11-21T10:00:00.000Z', '2026-11-22T10:00:00.000Z'],
])('in %s the day of %s begins at %s and ends at %s', (zone, at, begins, ends) => {
  const day = dayOf(new Date(at), zone)
  expect([day.begins.toISOString(), day.ends.toISOString()]).toEqual([begins, ends])
})
