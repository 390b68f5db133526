import { expect, test } from 'vitest'
import {
  type Finding,
  judgeClock,
  judgeConnections,
  judgeDisk,
  judgeFetching,
  judgeMedia,
  judgeReplication,
  judgeSchema,
  judgeSecretKeys,
  judgeWorkers,
  judgeWrites,
} from './doctor-findings.ts'

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
  expect(finding.fix === '').toBe(status === 'ok')
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
      detail: `Instagram and Threads fetch media from this server, and ${at} is no public address`,
      fix: expect.stringContaining('BASE_URL'),
    },
  ])
  expect(judge(null, null)).toMatchObject([{ status: 'warn', detail: expect.stringContaining('looked up') }])
  expect(judge(null, ['10.0.0.7', 'fd00::1'])).toMatchObject([
    { status: 'warn', detail: expect.stringContaining('10.0.0.7') },
  ])
})
