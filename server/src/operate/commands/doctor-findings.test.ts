import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { faults, type FaultCode } from '../monitoring/finding-table.ts'
import {
  judgeChannels,
  type Finding,
  judgeClock,
  judgeConnections,
  judgeDisk,
  judgeFetching,
  judgeLocks,
  judgeMedia,
  judgeReplication,
  judgeSchema,
  judgeSecretKeys,
  judgeVersions,
  judgeWorkers,
  judgeWrites,
} from './doctor-findings.ts'
import { joined, ours, say } from './said.ts'

const MIB = 1024 * 1024
const useOf = (keyId: string) => ({ keyId, values: [{ name: 'channel authorization', count: 2 }] })
const durable = { standbys: 0, synchronous: 0, hidden: 0, fsync: 'on', commit: 'on' }
const stored = { location: '/d', isOurs: true, files: 1, missing: 0, damaged: [], ofOthers: 0, users: [] }
const another = {
  installationId: 'i',
  address: 'https://a.example',
  host: 'h',
  at: new Date(0),
  isThis: false,
}
const blocker = {
  pid: 7,
  application: 'psql',
  state: 'active',
  transactionSeconds: 40,
  statement: 'UPDATE',
  waiting: 1,
}
/** To a user without the right to see more. */
const unseen = { ...blocker, application: null, state: null, transactionSeconds: null, statement: null }
const unfit = { detail: 'unfit', fix: 'Do something.' }
const publisher = { roles: ['api', 'publisher'], host: 'one', pid: 7, heartbeatAgeMs: 4_000 }

test.each<readonly [Finding, Finding['status']]>([
  [judgeSchema({ status: 'current', detail: 'current', fix: '' }), 'ok'],
  [judgeSchema({ status: 'behind', ...unfit }), 'fail'],
  [judgeSchema({ status: 'newer', ...unfit }), 'warn'],
  [judgeSchema({ status: 'too_new', ...unfit }), 'fail'],
  [judgeSchema({ status: 'foreign', ...unfit }), 'fail'],
  [judgeReplication(durable), 'ok'],
  [judgeReplication({ ...durable, standbys: 2, synchronous: 1 }), 'ok'],
  [judgeReplication({ ...durable, standbys: 1 }), 'warn'],
  [judgeReplication({ ...durable, standbys: 1, hidden: 1 }), 'warn'],
  [judgeReplication({ ...durable, standbys: 1, synchronous: 1, commit: 'local' }), 'warn'],
  [judgeReplication({ ...durable, commit: 'off' }), 'warn'],
  [judgeReplication({ ...durable, fsync: 'off' }), 'warn'],
  [judgeConnections(97, 97), 'ok'],
  [judgeConnections(98, 97), 'warn'],
  [judgeClock(-1_999), 'ok'],
  [judgeClock(2_000), 'warn'],
  [judgeClock(-60_000), 'fail'],
  [judgeDisk(1024 * MIB, '/d'), 'ok'],
  [judgeDisk(1023 * MIB, '/d'), 'warn'],
  [judgeDisk(127 * MIB, '/d'), 'fail'],
  ...judgeLocks([]).map((each) => [each, 'ok'] as const),
  ...judgeLocks([blocker, { ...blocker, pid: 0 }, unseen]).map((each) => [each, 'warn'] as const),
  [judgeWrites(999), 'ok'],
  [judgeWrites(1_000), 'warn'],
  [judgeWrites(null), 'fail'],
  [judgeSecretKeys('SECRET_KEYS', ['new'], [], []), 'ok'],
  [judgeSecretKeys('SECRET_KEYS', ['new', 'old'], [useOf('new')], []), 'ok'],
  [judgeSecretKeys('SECRET_KEYS', ['new', 'old'], [useOf('new'), useOf('old')], []), 'warn'],
  [judgeSecretKeys('SECRET_KEYS', ['new'], [useOf('new'), useOf('old')], []), 'fail'],
  [judgeSecretKeys('SECRET_KEYS', [], [useOf('old')], []), 'fail'],
  [judgeSecretKeys('/d/secret-keys', ['new'], [useOf('new')], [], true), 'warn'],
  [judgeSecretKeys('SECRET_KEYS', ['new'], [useOf('new')], ['channel.authorization_sealed 1']), 'fail'],
  [judgeWorkers([publisher]), 'ok'],
  [judgeWorkers([]), 'warn'],
  [judgeWorkers([{ ...publisher, roles: ['api'] }]), 'warn'],
  [judgeWorkers([{ ...publisher, heartbeatAgeMs: 61_000 }]), 'warn'],
  [judgeWorkers([{ ...publisher, heartbeatAgeMs: 61_000 }, publisher]), 'ok'],
  ...judgeMedia(stored).map((finding) => [finding, 'ok'] as const),
  ...judgeMedia({ ...stored, missing: 1 }).map((finding) => [finding, 'fail'] as const),
  [judgeMedia({ ...stored, ofOthers: 1 })[1]!, 'warn'],
  [judgeMedia({ ...stored, users: [another] })[1]!, 'warn'],
])('%o is %s', (finding, status) => {
  expect(finding.status).toBe(status)
  expect(finding.fix.text === '').toBe(status === 'ok')
})

test('a server that networks cannot reach is found before they try to fetch media from it', () => {
  const at = 'https://post.example.com'
  type Why = 'not_public' | 'not_https' | null
  const judge = (why: Why, addresses: readonly string[] | null, networks = ['Threads']) =>
    judgeFetching(networks, at, { unreachable: why === null ? null : { why, baseUrl: at }, addresses })
  expect(judge('not_https', [], [])).toEqual([])
  expect(judge(null, ['203.0.114.7'])).toMatchObject([{ status: 'ok' }])
  expect(judge(null, ['10.0.0.7', '203.0.114.7'])).toMatchObject([{ status: 'ok' }])
  expect(judge('not_public', [], ['Instagram', 'Threads'])).toMatchObject([
    {
      status: 'warn',
      detail: { text: `Instagram and Threads fetch media from this server, and ${at} is no public address` },
      fix: { text: expect.stringContaining('BASE_URL') as string },
    },
  ])
  expect(judge(null, null)).toMatchObject([
    { status: 'warn', detail: { text: expect.stringContaining('looked up') as string } },
  ])
  expect(judge(null, ['10.0.0.7', 'fd00::1'])).toMatchObject([
    { status: 'warn', detail: { text: expect.stringContaining('10.0.0.7') as string } },
  ])
})

test('a version that its network ends is told a month before, by name and day', () => {
  const ends = [{ provider: 'linkedin', name: '202609', endsOn: '2027-09-15' }]
  expect(judgeVersions(ends, new Date('2027-08-14'))).toMatchObject({ status: 'ok' })
  expect(judgeVersions(ends, new Date('2027-08-16'))).toMatchObject({
    code: 'network_versions_ending',
    detail: { redacted: 'LinkedIn can end 202609 from 2027-09-15 on' },
  })
})

test('a report has what is ours and the numbers, and nothing that may name a host, a person or a key', () => {
  const name = 'hush'
  const use = { keyId: name, values: [{ name: 'channel authorization', count: 2 }] }
  const other = { installationId: name, address: name, host: name, at: new Date(0), isThis: false }
  const place = {
    location: name,
    isOurs: true,
    files: 3,
    missing: 1,
    damaged: [name],
    ofOthers: 1,
    users: [other],
  }
  const findings = [
    judgeDisk(0, name),
    judgeSecretKeys(name, [name, 'hush 2'], [use, { ...use, keyId: 'hush 2' }], []),
    judgeSecretKeys(name, [], [use], []),
    judgeSecretKeys(name, [name], [use], [name], true),
    judgeSecretKeys(name, [name], [use], [], true),
    ...judgeMedia(place),
    ...judgeMedia({ ...place, users: [] }),
    ...judgeMedia({ ...place, isOurs: false }),
    ...judgeFetching(['Threads'], name, { unreachable: null, addresses: null }),
    ...judgeFetching(['Threads'], name, { unreachable: null, addresses: ['10.0.0.7'] }),
    ...judgeFetching(['Threads'], name, { unreachable: { why: 'not_https', baseUrl: name }, addresses: [] }),
    judgeChannels({ channels: 9, lapsed: Array.from({ length: 6 }, () => name), ending: [name] }),
    judgeWorkers([{ ...publisher, host: name }]),
  ]
  for (const { detail, fix } of findings)
    expect(`${detail.redacted} ${fix.redacted}`).not.toMatch(/hush|10\.0/)
  expect(findings.map(({ detail }) => detail.text).join()).toContain('hush')
  expect(judgeWorkers([{ ...publisher, host: name }]).detail).toEqual({
    text: 'last heartbeat 4 s ago, by process 7 on hush',
    redacted: 'last heartbeat 4 s ago, by process 7 on …',
  })
  expect(say`${2} of ${name} ${joined([say`${1}`, say`${name}`], ' and ')} ${ours('in all')}`).toEqual({
    text: '2 of hush 1 and hush in all',
    redacted: '2 of … 1 and … in all',
  })
})

test('every code of the list can be found', () => {
  const source = ['doctor.ts', 'doctor-findings.ts', '../monitoring/judge-situation.ts']
    .map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'))
    .join('')
  const patterns = [...source.matchAll(/['`]([a-z_]*)(?:\$\{\w+\})?([a-z_]*)['`]/g)].map(
    ([all, before, after]) =>
      all.includes('$') ? new RegExp(`^${before}\\w+${after}$`) : new RegExp(`^${before}${after}$`),
  )
  const unused = (Object.keys(faults) as FaultCode[]).filter(
    (code) => !patterns.some((pattern) => pattern.test(code)),
  )
  expect(unused).toEqual([])
  for (const [code, { of: subject }] of Object.entries(faults))
    expect(code.startsWith(`${subject}_`)).toBe(true)
})
