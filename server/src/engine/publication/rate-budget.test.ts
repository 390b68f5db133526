import { expect, test } from 'vitest'
import { aFile, anEngine, anImage, aWork, type EngineChange } from '../../../test/rigs/engine-rig.ts'
import type { HttpRequest } from '../../networks/providers/port/calls.ts'
import type { Adapter, CallPurpose, RateBudget } from '../../networks/providers/port/port.ts'
import { sandboxShort } from '../../networks/providers/sandbox/sandbox.ts'
import type { Work } from '../queue/work.ts'
import { publishWork } from './publish-destination.ts'

/** Publishes on the sandbox network as if its answers told of these rate limits, by what they are about. */
async function publishUnder(
  told: Partial<Record<CallPurpose, RateBudget>>,
  work: Work,
  { store, ...change }: EngineChange = {},
) {
  const calls: string[] = []
  const paused: number[] = []
  const sandbox = await sandboxShort.load()
  const adapter: Adapter = { ...sandbox, budget: (_response, purpose) => told[purpose] ?? null }
  const { engine, settled } = anEngine({
    store: { pauseChannel: async (_channel, forMs) => void paused.push(forMs), ...store },
    providers: new Map([['sandbox-short', { ...sandboxShort, load: async () => adapter }]]),
    media: { prepare: async () => aFile('abcdef') },
    networks: {
      refresh: () => expect.unreachable('refreshed'),
      readCard: () => expect.unreachable('read a card'),
      now: () => new Date(0),
    },
    call: async (request) => {
      calls.push(request.url.pathname.split('/').at(-1)!)
      return { arrived: true, response: answerTo(request), durationMs: 1 }
    },
    ...change,
  })
  await publishWork(engine, work)
  return { calls, paused, settled }
}

function answerTo({ url, json }: HttpRequest) {
  if (url.pathname.endsWith('/media')) {
    return { status: 201, headers: {}, body: JSON.stringify({ id: 'med_1', contentType: 'image/png' }) }
  }
  const { text, inReplyTo = null, mediaIds = [] } = json as Record<string, unknown>
  const said = { text, inReplyTo, mediaIds, createdAt: new Date(0).toISOString(), account: { id: 'a' } }
  const body = JSON.stringify({ id: 'r1', url: 'http://network.test/r1', ...said })
  return { status: 201, headers: {}, body }
}

const spent = { remaining: 0, resetsInMs: 60_000 }

test('a thread stops where the limit is spent: the next part waits for the reset, and no call is made for it', async () => {
  const { calls, paused, settled } = await publishUnder({ publish: spent }, aWork(['one', 'two']))
  expect(calls).toEqual(['posts'])
  expect(paused).toEqual([60_000])
  expect(settled).toMatchObject([
    { attempt: { conclusion: 'published' }, outcome: { move: null } },
    {
      attempt: null,
      outcome: { move: 'interrupt', dueInMs: 60_000, pausesChannel: true, error: { code: 'rate_limited' } },
    },
  ])
})

test('the channel is held before the lease of its last part ends', async () => {
  const order: string[] = []
  await publishUnder({ publish: spent }, aWork(['one']), {
    store: {
      pauseChannel: async () => void order.push('pause'),
      settle: async () => order.push('settle') > 0,
    },
  })
  expect(order).toEqual(['pause', 'settle'])
})

test('uploads wait where their limit is spent; what needs no more of them goes on', async () => {
  const work = (...media: (typeof anImage)[]) =>
    aWork([], {
      parts: [{ index: 0, firstComment: false, status: 'pending', text: 'Look', media, remoteId: null }],
    })
  const one = await publishUnder({ upload: spent }, work(anImage))
  expect(one.calls).toEqual(['media', 'posts'])
  expect(one.paused).toEqual([60_000])
  const two = await publishUnder({ upload: spent }, work(anImage, { ...anImage, mediaId: 'n' }))
  expect(two.calls).toEqual(['media'])
  expect(two.settled).toMatchObject([
    { attempt: null, outcome: { move: 'defer', dueInMs: 60_000, error: { code: 'rate_limited' } } },
  ])
})

test.each([
  ['something is left', { remaining: 1, resetsInMs: 60_000 }],
  ['it resets at once', { remaining: 0, resetsInMs: 0 }],
])('nothing waits where %s', async (_, publish) => {
  const { calls, paused } = await publishUnder({ publish }, aWork(['one', 'two']))
  expect(calls).toEqual(['posts', 'posts'])
  expect(paused).toEqual([])
})

test('a reset in a distant future holds the channel for a day at most', async () => {
  const publish = { remaining: 0, resetsInMs: 1e15 }
  expect((await publishUnder({ publish }, aWork(['one']))).paused).toEqual([86_400_000])
})

test('a pause that cannot be stored keeps no result from being stored', async () => {
  const faults: string[] = []
  const { settled } = await publishUnder({ publish: spent }, aWork(['one']), {
    store: { pauseChannel: () => Promise.reject(new Error('the database is away')) },
    onFault: (_fault, doing) => void faults.push(doing),
  })
  expect(faults).toEqual(['rate limit'])
  expect(settled).toMatchObject([{ outcome: { move: 'confirm' } }])
})
