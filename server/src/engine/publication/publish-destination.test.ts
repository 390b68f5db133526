import { expect, test } from 'vitest'
import {
  aFile,
  aLargeFile,
  anEngine,
  anImage,
  aWork,
  openResettingServer,
} from '../../../test/rigs/engine-rig.ts'
import { noOutages } from '../../../test/rigs/no-outages.ts'
import { TOO_LATE } from '../../platform/outbound/may-begin.ts'
import { sandboxShort } from '../../networks/providers/sandbox/sandbox.ts'
import type { Call, CallAnswer } from '../../networks/providers/port/calls.ts'
import type { Adapter } from '../../networks/providers/port/port.ts'
import { digest } from '../../networks/providers/port/procedure.ts'
import type { PreparedMedia } from './engine-port.ts'
import type { NetworkFailure } from '../queue/work.ts'
import { publishWork } from './publish-destination.ts'

const work = aWork(['one', 'two'])

/** An engine whose arming ends as told. */
function whoseArming(arm: (stop: () => void, pass: (ms: number) => void) => boolean) {
  const stopping = new AbortController()
  let now = 0
  const armNow = async () =>
    arm(
      () => stopping.abort(),
      (ms) => void (now += ms),
    )
  return anEngine({
    store: { arm: armNow },
    stopping: stopping.signal,
    clock: () => now,
    call: async (_request, _signal, mayBegin) => {
      if (mayBegin?.() !== false) throw new Error('nobody was to be called')
      return { arrived: false, maybeSent: false, reason: TOO_LATE, durationMs: 0 }
    },
  })
}

const noCall = { by: 'engine', maybeSent: false }

test('stopped between arming and calling: no call is made, and the work is queued again without a delay', async () => {
  const { engine, settled } = whoseArming((stop) => {
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
])(
  'where arming is %s, no call is made, and the work is delayed by this server and not by its network',
  async (_, arm) => {
    const { engine, settled } = whoseArming(arm)
    await publishWork(engine, work)
    expect(settled).toMatchObject([
      {
        attempt: { conclusion: 'deferred', evidence: noCall },
        outcome: { move: 'defer', part: 'pending', error: { code: 'not_recorded' } },
      },
    ])
  },
)

test('a result that cannot be stored for a second is told while it is tried again, once', async () => {
  const told: [unknown, string][] = []
  const full = new Error('the disk is full')
  let tries = 0
  const { engine, settled } = anEngine({
    store: {
      arm: async () => false,
      settle: async () => {
        if (++tries <= 20) throw full
        return true
      },
    },
    onFault: (fault, doing) => void told.push([fault, doing]),
    wait: async () => undefined,
  })
  await publishWork(engine, { ...work, authorization: {}, authorizationUnreadable: true })
  expect(tries).toBe(21)
  expect(told).toEqual([[full, 'publish']])
  expect(settled).toEqual([])
})

test('where the lease is lost, nothing is called or settled', async () => {
  const { engine, settled } = whoseArming(() => false)
  await publishWork(engine, work)
  expect(settled).toEqual([])
})

test('an authorization that cannot be decrypted here delays the work, asks nobody, and leaves the channel connected', async () => {
  const { engine, settled } = whoseArming(() => expect.unreachable('armed'))
  await publishWork(engine, { ...work, authorization: {}, authorizationUnreadable: true })
  expect(settled).toMatchObject([
    {
      attempt: null,
      outcome: {
        move: 'defer',
        part: 'pending',
        disconnects: false,
        error: { code: 'secret_unreadable', message: expect.stringContaining("This server can't decrypt") },
      },
    },
  ])
})

test.each([
  ['for want of an answer counts against the network', {}, 'provider_unavailable', 1],
  ['since its address is refused here does not', { refusedTarget: true }, 'target_refused', 0],
] as const)('an authorization that cannot be refreshed %s', async (_, more, code, count) => {
  const { engine, settled } = whoseArming(() => expect.unreachable('armed'))
  const sandbox = await sandboxShort.load()
  const authorizationTimes = () => ({ accessEndsAt: new Date(0), authorizationEndsAt: null })
  const adapter = { ...sandbox, authorizationTimes, refresh: sandbox.publish as never }
  const failures: NetworkFailure[] = []
  const returned: string[] = []
  await publishWork(
    {
      ...engine,
      providers: new Map([['sandbox-short', { ...sandboxShort, load: async () => adapter }]]),
      networks: {
        refresh: async () => ({ is: 'unavailable', detail: 'It was not refreshed.', ...more }),
        readCard: () => expect.unreachable('read a card'),
        now: () => new Date(1),
      },
      outages: {
        ...noOutages,
        recordFailure: async (failure) => void failures.push(failure),
        returnProbe: async (outageId) => void returned.push(outageId),
      },
    },
    { ...work, probe: 'o' },
  )
  expect(settled).toMatchObject([{ outcome: { move: 'defer', error: { code } } }])
  const { workspaceId, channelId } = work
  const failure = { origin: 'http://network.test', workspaceId, channelId, probe: 'o' }
  expect(failures).toEqual(count === 1 ? [failure] : [])
  expect(returned).toEqual(count === 1 ? [] : ['o'])
})

test.each(['TARGET_REFUSED', 'ADDRESS_REFUSED'])(
  'a call that this server does not make (%s) is said to be one, and counts neither for nor against the network',
  async (reason) => {
    const counted: unknown[] = []
    const count = async (what: unknown) => void counted.push(what)
    const { engine, settled } = anEngine({
      call: async () => ({ arrived: false, maybeSent: false, reason, durationMs: 0 }),
      outages: { ...noOutages, recordFailure: count, recordSuccess: count },
    })
    await publishWork(engine, { ...work, suspected: true })
    expect(counted).toEqual([])
    expect(settled).toMatchObject([
      {
        attempt: { evidence: { maybeSent: false, silence: reason } },
        outcome: {
          move: 'defer',
          part: 'pending',
          error: { code: 'target_refused', message: expect.stringContaining('TRUSTED_ORIGINS') },
        },
      },
    ])
  },
)

test.each([
  ['and the network may have ended the old token: the work waits', { lost: true } as const, []],
  ['and the old token still holds: the work goes on with it', {}, ['armed']],
])('an authorization that is about to end is not refreshed, %s', async (_, lost, done) => {
  const steps: string[] = []
  const { engine } = whoseArming(() => steps.push('armed') < 0)
  const sandbox = await sandboxShort.load()
  const authorizationTimes = () => ({ accessEndsAt: new Date(30_000), authorizationEndsAt: null })
  const adapter = { ...sandbox, authorizationTimes, refresh: sandbox.publish as never }
  await publishWork(
    {
      ...engine,
      providers: new Map([['sandbox-short', { ...sandboxShort, load: async () => adapter }]]),
      networks: {
        refresh: async () => ({ is: 'unavailable', detail: 'The network did not answer.', ...lost }),
        readCard: () => expect.unreachable('read a card'),
        now: () => new Date(0),
      },
    },
    work,
  )
  expect(steps).toEqual(done)
})

test('a channel that has to be reconnected says so without naming somebody to blame', async () => {
  const { engine, settled } = whoseArming(() => expect.unreachable('armed'))
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

/** Publishes two images at a network whose publish call carries the files. What was called is kept. */
async function publishWithFiles(
  prepare: (mediaId: string) => Promise<PreparedMedia>,
  answer: CallAnswer | { readonly call: Call },
) {
  const sandbox = await sandboxShort.load()
  const adapter: Adapter = {
    ...sandbox,
    upload: null,
    sendsFiles: true,
    publish: {
      request: ({ files }) => ({
        method: 'POST',
        url: new URL('http://network.test/'),
        headers: {},
        multipart: {
          boundary: 'b',
          parts: files.map((file, place) => ({
            name: `file${place}`,
            fileName: `${file.kind} ${file.width} ${file.altText}`,
            file,
          })),
        },
      }),
      judge: () => ({ is: 'published', remoteId: 'r1', url: null }),
    },
  }
  const sent: string[] = []
  const failures: NetworkFailure[] = []
  let released = 0
  const { engine, settled } = anEngine({
    providers: new Map([['sandbox-short', { ...sandboxShort, load: async () => adapter }]]),
    media: {
      async prepare({ mediaId }) {
        const prepared = await prepare(mediaId)
        return { ...prepared, release: async () => void (released += 1) }
      },
    },
    outages: { ...noOutages, recordFailure: async (failure) => void failures.push(failure) },
    async call(request) {
      if ('call' in answer) return answer.call(request)
      for (const part of request.multipart?.parts ?? []) {
        if (!('file' in part)) continue
        const bytes = await Array.fromAsync(part.file.open()).catch(() => null)
        if (bytes === null) return { arrived: false, maybeSent: true, reason: 'ECONNRESET', durationMs: 1 }
        sent.push(`${part.fileName}: ${Buffer.concat(bytes).toString()}`)
      }
      return answer
    },
  })
  const media = [anImage, { ...anImage, mediaId: 'n', altText: 'Two' }]
  const parts = [
    { index: 0, firstComment: false, status: 'pending', text: 'Look', media, remoteId: null },
  ] as const
  await publishWork(engine, aWork([], { parts }))
  return { sent, released, failures, settled }
}

const answered = {
  arrived: true,
  response: { status: 200, headers: {}, body: '' },
  durationMs: 1,
} as const

test('where the publish call carries the files, it has all of them in order, with what is said of each', async () => {
  const { sent, released, settled } = await publishWithFiles(
    async (mediaId) => ({ ...aFile(`bytes of ${mediaId}`), width: mediaId === 'm' ? 10 : 20 }),
    answered,
  )
  expect(sent).toEqual(['image 10 null: bytes of m', 'image 20 Two: bytes of n'])
  expect(released).toBe(2)
  expect(settled).toMatchObject([{ attempt: { conclusion: 'published' }, outcome: { move: 'confirm' } }])
})

test('one of these files that cannot be had keeps the call from being made', async () => {
  const { sent, released, settled } = await publishWithFiles(
    async (mediaId) => (mediaId === 'n' ? Promise.reject(new Error('is missing')) : aFile('a')),
    answered,
  )
  expect({ sent, released }).toEqual({ sent: [], released: 1 })
  expect(settled).toMatchObject([{ attempt: null, outcome: { error: { code: 'media_unavailable' } } }])
})

test('one that breaks off within the call is no doubt: the network had no whole request', async () => {
  const { released, settled } = await publishWithFiles(
    async (mediaId) => aFile('abc', ...(mediaId === 'n' ? [new Error('the storage went away')] : [])),
    answered,
  )
  expect(released).toBe(2)
  expect(settled).toMatchObject([
    { attempt: { conclusion: 'deferred' }, outcome: { move: 'defer', error: { code: 'media_unavailable' } } },
  ])
})

test('a network that breaks off in the middle of such a call is away, and is no doubt', async () => {
  await using network = await openResettingServer('beginning')
  const { failures, settled } = await publishWithFiles(async () => aLargeFile(), network)
  expect(settled).toMatchObject([
    {
      attempt: { conclusion: 'deferred', evidence: { maybeSent: true, unfinished: true } },
      outcome: { move: 'defer', error: { code: 'provider_unavailable' } },
    },
  ])
  expect(failures).toHaveLength(1)
})

test('where all of the files was handed over, what became of the call is not known', async () => {
  await using network = await openResettingServer('end')
  const { settled } = await publishWithFiles(async () => aFile('abcdef'), network)
  expect(settled).toMatchObject([{ attempt: { conclusion: 'unknown' } }])
})

test('uploads that a network keeps are uploaded once, where a stop or the end of a worker comes between', async () => {
  const stopping = new AbortController()
  const sandbox = await sandboxShort.load()
  let uploads = 0
  const adapter: Adapter = {
    ...sandbox,
    keepsUploads: true,
    *upload({ file }) {
      yield* digest(file)
      if (++uploads === 2) stopping.abort()
      return { is: 'uploaded', media: { remoteId: `med_${uploads}` } }
    },
  }
  const { engine, settled } = anEngine({
    providers: new Map([['sandbox-short', { ...sandboxShort, load: async () => adapter }]]),
    media: { prepare: async () => aFile('abcdef') },
    stopping: stopping.signal,
  })
  const media = [anImage, { ...anImage, mediaId: 'n' }]
  const whole = aWork(['one'])
  const claimed = { ...whole, parts: whole.parts.map((part) => ({ ...part, media })) }
  await publishWork(engine, claimed)
  expect(settled).toMatchObject([
    { outcome: { move: 'requeue' }, upload: { partIndex: 0, uploaded: [{ remoteId: 'med_1' }] } },
  ])
  const { upload } = settled[0]!
  await publishWork(engine, { ...claimed, upload: upload!, orphan: true })
  expect(settled[1]).toMatchObject({ outcome: { move: 'requeue' }, upload })
  await publishWork(engine, { ...claimed, upload: upload! })
  expect(settled[2]).toMatchObject({ outcome: { move: 'requeue' }, upload })
  expect(uploads).toBe(2)
})
