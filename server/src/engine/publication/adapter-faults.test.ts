import { expect, test } from 'vitest'
import { aFile, anEngine, anImage, aSubject, aWork } from '../../../test/rigs/engine-rig.ts'
import { sandboxShort } from '../../networks/providers/sandbox/sandbox.ts'
import type { Adapter } from '../../networks/providers/port/port.ts'
import type { Doubt } from '../queue/work.ts'
import type { AdapterFault } from './engine-port.ts'
import { publishWork } from './publish-destination.ts'
import { resolveDoubt } from './resolve-doubt.ts'

const picture = { ...anImage, sizeBytes: 3 }
const work = aWork(['one'], {
  parts: [
    { index: 0, firstComment: false, status: 'pending', text: 'one', media: [picture], remoteId: null },
  ],
})
const attempt = { id: 'a', partIndex: 0, armedAt: new Date(0), ageMs: 3_600_000, handle: null, media: [] }
const doubt: Doubt = {
  ...aSubject,
  expired: false,
  rounds: 0,
  knownRemoteIds: [],
  attempt,
  parts: [{ index: 0, firstComment: false, status: 'checking', text: 'one', media: [], remoteId: null }],
}

const { publish, poll, upload, lookup, ...rest } = await sandboxShort.load()
const sound: Adapter = { ...rest, publish, poll, upload, lookup }
const refreshable: Adapter = { ...sound, refresh: upload as never }

/** Adapters of which one function throws. */
const faulty = {
  load: sound,
  check: { ...sound, check: fail },
  origin: { ...sound, origin: fail },
  authorizationTimes: { ...refreshable, authorizationTimes: fail },
  upload: { ...sound, upload: fail },
  'publish.request': { ...sound, publish: { ...publish, request: fail } },
  'publish.judge': { ...sound, publish: { ...publish, judge: fail } },
  'poll.request': { ...sound, poll: poll && { ...poll, request: fail } },
  'poll.judge': { ...sound, poll: poll && { ...poll, judge: fail } },
  lookup: { ...sound, lookup: fail },
} satisfies Record<string, Adapter>

/** An engine whose adapter throws in one of its functions. The network answers whatever it is asked. */
function engineWith(broken: keyof typeof faulty) {
  const faults: AdapterFault[] = []
  const noted: string[] = []
  const waits: (string | undefined)[] = []
  let calls = 0
  const adapter = faulty[broken]
  const { engine, settled } = anEngine({
    store: {
      awaitProcessing: async (_intent, { error }) => waits.push(error?.code) > 0,
      noteDoubt: async (_doubt, { code }) => void noted.push(code),
    },
    providers: new Map([
      ['sandbox-short', { ...adapter, load: async () => (broken === 'load' ? fail() : adapter) }],
    ]),
    networks: {
      refresh: async () => ({ is: 'ended' }),
      readCard: async () => ({ card: null, lack: null, done: async () => undefined }),
      now: () => new Date(0),
    },
    async call({ url }) {
      calls += 1
      const upload = url.pathname.endsWith('/media')
      const body = JSON.stringify(upload ? { id: 'med_1', contentType: 'image/png' } : { items: [] })
      return { arrived: true, response: { status: upload ? 201 : 200, headers: {}, body }, durationMs: 1 }
    },
    media: { prepare: async () => aFile('abc') },
    onAdapterFault: (fault) => void faults.push(fault),
  })
  return { engine, faults, settled, noted, waits, calls: () => calls }
}

function fail(): never {
  throw new TypeError('broken')
}

test.each([
  ['load', 0],
  ['check', 0],
  ['origin', 0],
  ['authorizationTimes', 0],
  ['upload', 0],
  ['publish.request', 1],
] as const)(
  'where %s throws, nothing was published: the work is delayed, and says why',
  async (broken, calls) => {
    const rig = engineWith(broken)
    await publishWork(rig.engine, work)

    expect(rig.calls()).toBe(calls)
    expect(rig.faults).toMatchObject([
      { provider: 'sandbox-short', adapterFunction: broken, cause: { message: 'broken' } },
    ])
    expect(rig.settled).toMatchObject([
      {
        attempt: null,
        outcome: { move: 'defer', part: 'pending', dueInMs: 15_000, error: { code: 'adapter_fault' } },
      },
    ])
  },
)

test('each time that it throws again it is waited for longer', async () => {
  const rig = engineWith('publish.request')
  for (const tries of [0, 1, 2]) await publishWork(rig.engine, { ...work, tries })
  expect(rig.settled.map(({ outcome }) => outcome.dueInMs)).toEqual([15_000, 30_000, 60_000])
})

test('where publish.judge throws, the call was made: its result is unknown', async () => {
  const rig = engineWith('publish.judge')
  await publishWork(rig.engine, work)
  expect(rig.calls()).toBe(2)
  expect(rig.faults).toMatchObject([{ adapterFunction: 'publish.judge' }])
  expect(rig.settled).toMatchObject([
    {
      attempt: { conclusion: 'unknown', evidence: { httpStatus: 200 } },
      outcome: { move: 'lose', error: { code: 'result_unproven' } },
    },
  ])
})

test.each(['load', 'poll.request', 'poll.judge'] as const)(
  'where %s throws, what the provider is processing waits on, and says why it is not polled',
  async (broken) => {
    const rig = engineWith(broken)
    const processing = { ...attempt, ageMs: 60_000, handle: 'job' }
    await publishWork(rig.engine, { ...work, attempt: processing })
    expect(rig.faults).toMatchObject([{ adapterFunction: broken }])
    expect(rig.settled).toEqual([])
    expect(rig.waits).toEqual(['adapter_fault'])
  },
)

test.each([
  ['load', null],
  ['lookup', null],
  ['poll.request', 'job'],
  ['poll.judge', 'job'],
] as const)('where %s throws, the doubt stays and says why it is not resolved', async (broken, handle) => {
  const rig = engineWith(broken)
  await resolveDoubt(rig.engine, { ...doubt, attempt: { ...attempt, handle } }, 0)
  expect(rig.faults).toMatchObject([{ adapterFunction: broken }])
  expect(rig.settled).toEqual([])
  expect(rig.noted).toEqual(['adapter_fault'])
})
