import { expect, test } from 'vitest'
import { noOutages } from '../../test/no-outages.ts'
import { noMedia } from '../../test/no-media.ts'
import { sandboxShort } from '../providers/sandbox/sandbox.ts'
import type { Engine, EngineStore, NetworkFailure, Settlement, Work } from './engine-port.ts'
import { publishWork } from './publish-destination.ts'

const work: Work = {
  ...{ workspaceId: 'w', destinationId: 'd', postId: 'p', channelId: 'c', provider: 'sandbox-short' },
  ...{ connected: true, connection: 'first', settings: {}, tries: 0, fence: 1, orphan: false, attempt: null },
  grant: { baseUrl: 'http://network.test', accessToken: 't', accountId: 'a' },
  ...{ lateMs: 0, probe: null, upload: null, suspected: false, origin: 'http://network.test' },
  parts: ['one', 'two'].map((text, index) => ({
    ...{ index, status: 'pending', text, media: [], remoteId: null },
  })),
}

/** An engine whose arming ends as told. What it settles is kept; a call is an error. */
function anEngine(arm: (stop: () => void, pass: (ms: number) => void) => boolean) {
  const settled: Settlement[] = []
  const stopping = new AbortController()
  let now = 0
  const engine: Engine = {
    store: {
      arm: async () =>
        arm(
          () => stopping.abort(),
          (ms) => void (now += ms),
        ),
      settle: async (settlement: Settlement) => settled.push(settlement) > 0,
    } as Partial<EngineStore> as EngineStore,
    providers: new Map([['sandbox-short', sandboxShort]]),
    call: () => Promise.reject(new Error('nobody was to be called')),
    media: noMedia,
    clock: () => now,
    wait: async () => undefined,
    random: () => 0,
    newId: () => 'attempt',
    outages: noOutages,
    onFault: () => undefined,
    stopping: stopping.signal,
    observe: () => undefined,
    onAdapterFault: () => undefined,
    ...{ armWindowMs: 5_000, callTimeoutMs: 30_000, settlingMs: 30_000, processingMs: 1_800_000 },
  }
  return { engine, settled }
}

const noCall = { by: 'engine', maybeSent: false }

test('stopped between arming and calling: no call is made, and the work is queued again without a delay', async () => {
  const { engine, settled } = anEngine((stop) => {
    stop()
    return true
  })
  await publishWork(engine, work)
  expect(settled).toMatchObject([
    {
      attempt: { id: 'attempt', conclusion: 'absent', evidence: noCall },
      outcome: { move: 'requeue', part: 'pending', error: null, dueInMs: 0 },
    },
  ])
})

test.each([
  ['too late', (_: () => void, pass: (ms: number) => void) => (pass(5_001), true)],
  [
    'not known to be done',
    () => {
      throw new Error('the database is away')
    },
  ],
])('where arming is %s, no call is made, and the work is delayed', async (_, arm) => {
  const { engine, settled } = anEngine(arm)
  await publishWork(engine, work)
  expect(settled).toMatchObject([
    { attempt: { conclusion: 'deferred', evidence: noCall }, outcome: { move: 'defer', part: 'pending' } },
  ])
})

test('where the lease is lost, nothing is called or settled', async () => {
  const { engine, settled } = anEngine(() => false)
  await publishWork(engine, work)
  expect(settled).toEqual([])
})

test('an authorisation that cannot be decrypted here delays the work, asks nobody, and leaves the channel connected', async () => {
  const { engine, settled } = anEngine(() => expect.unreachable('armed'))
  await publishWork(engine, { ...work, grant: {}, grantUnreadable: true })
  expect(settled).toMatchObject([
    {
      attempt: null,
      outcome: {
        ...{ move: 'defer', part: 'pending', disconnects: false },
        error: { code: 'secret_unreadable', message: expect.stringContaining("This server's secret keys") },
      },
    },
  ])
})

test('a grant that cannot be refreshed for want of an answer counts against the network', async () => {
  const { engine, settled } = anEngine(() => expect.unreachable('armed'))
  const sandbox = await sandboxShort.load()
  const grantTimes = () => ({ accessEndsAt: new Date(0), grantEndsAt: null })
  const adapter = { ...sandbox, grantTimes, refresh: sandbox.publish as never }
  const failures: NetworkFailure[] = []
  await publishWork(
    {
      ...engine,
      providers: new Map([['sandbox-short', { ...sandboxShort, load: async () => adapter }]]),
      networks: {
        refresh: async () => ({ is: 'unavailable', detail: 'The network did not answer.' }),
        readCard: () => expect.unreachable('read a card'),
        now: () => new Date(1),
      },
      outages: {
        ...noOutages,
        recordFailure: async (failure) => void failures.push(failure),
        returnProbe: () => expect.unreachable('returned the probe'),
      },
    },
    { ...work, probe: 'o' },
  )
  expect(settled).toMatchObject([{ outcome: { move: 'defer', error: { code: 'provider_unavailable' } } }])
  const { workspaceId, channelId } = work
  expect(failures).toEqual([{ origin: 'http://network.test', workspaceId, channelId, probe: 'o' }])
})

test('a channel that has to be reconnected says so without naming somebody to blame', async () => {
  const { engine, settled } = anEngine(() => expect.unreachable('armed'))
  await publishWork(engine, { ...work, connected: false })
  expect(settled).toMatchObject([
    {
      outcome: {
        move: 'deauthorize',
        error: { code: 'reconnect_required', message: expect.not.stringContaining('provider') },
      },
    },
  ])
})
