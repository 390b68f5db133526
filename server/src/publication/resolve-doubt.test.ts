import Type from 'typebox'
import { expect, test } from 'vitest'
import { noMedia } from '../../test/no-media.ts'
import type { Adapter, LookupResult } from '../providers/port.ts'
import { call } from '../providers/procedure.ts'
import type { Doubt, EngineStore, Settlement } from './engine-port.ts'
import type { Engine } from './engine.ts'
import { resolveDoubt } from './resolve-doubt.ts'

/** A doubt whose call is long over, and a provider whose look-ups end like this, each after so many calls. */
function rig(result: LookupResult, calls = 1, more: Partial<Doubt> = {}) {
  let asked = 0
  const settled: Settlement[] = []
  const disconnected: string[] = []
  const adapter = {
    provider: 'listed',
    repeatable: null,
    poll: null,
    settings: Type.Object({}),
    *lookup() {
      for (let made = 0; made < calls; made++) {
        yield* call({ method: 'GET', url: new URL('https://listed.test/'), headers: {} })
      }
      return result
    },
  } as Partial<Adapter> as Adapter
  const doubt: Doubt = {
    ...{
      workspaceId: 'w',
      destinationId: 'd',
      postId: 'p',
      channelId: 'c',
      provider: 'listed',
      connected: true,
      connection: 'first',
    },
    ...{ grant: {}, settings: {}, tries: 3, expired: false, knownRemoteIds: [] },
    parts: [{ index: 0, status: 'checking', text: 'Hello', media: [], remoteId: null }],
    attempt: { id: 'a', partIndex: 0, armedAt: new Date(0), ageMs: 3_600_000, handle: null, media: [] },
    ...more,
  }
  const engine: Engine = {
    store: {
      settle: async (settlement: Settlement) => settled.push(settlement) > 0,
      disconnect: async ({ channelId, connection }) => void disconnected.push(`${channelId} ${connection}`),
    } as Partial<EngineStore> as EngineStore,
    providers: new Map([['listed', { ...adapter, load: async () => adapter }]]),
    call: async () => {
      asked++
      return { arrived: true, response: { status: 200, headers: {}, body: '' }, durationMs: 1 }
    },
    media: noMedia,
    clock: () => 0,
    wait: async () => undefined,
    random: () => 0,
    newId: () => 'unused',
    breaker: { heldMs: () => 0, told: () => undefined },
    stopping: new AbortController().signal,
    observe: () => undefined,
    onAdapterFault: () => undefined,
    ...{ armWindowMs: 1, callTimeoutMs: 1, settlingMs: 1 },
  }
  return { asked: () => asked, settled, disconnected, look: () => resolveDoubt(engine, doubt, 0) }
}

const found = { is: 'found', remoteId: '7', url: null, exact: true } as const

test.each([true, false])('what is found is published; exactly (%s) or by what it says', async (exact) => {
  const { settled, look } = rig({ ...found, exact }, 3)
  await look()
  expect(settled).toMatchObject([
    { attempt: { conclusion: 'published', inferred: !exact }, outcome: { remoteId: '7' } },
  ])
})

test('it is absent once it was looked for in vain', async () => {
  const { settled, look } = rig({ is: 'absent' })
  await look()
  expect(settled).toMatchObject([
    { attempt: { conclusion: 'absent', inferred: true }, outcome: { move: 'requeue' } },
  ])
})

test.each<[string, LookupResult, number]>([
  ['the network cannot be asked', { is: 'unavailable', detail: 'down' }, 1],
  ['the look takes more calls than it may', found, 60],
])('nothing is proven when %s', async (_why, result, calls) => {
  const { asked, settled, look } = rig(result, calls)
  await look()
  expect(settled).toEqual([])
  expect(asked()).toBeLessThanOrEqual(50)
})

test('a look that is refused for want of a grant proves nothing, and has the channel reconnected', async () => {
  const { settled, disconnected, look } = rig({ is: 'reauthorize' })
  await look()
  expect(settled).toEqual([])
  expect(disconnected).toEqual(['c first'])
})

test('nobody is asked about a doubt whose authorisation cannot be decrypted here', async () => {
  const { asked, settled, disconnected, look } = rig({ is: 'reauthorize' }, 1, { grantUnreadable: true })
  await look()
  expect([asked(), settled, disconnected]).toEqual([0, [], []])
})
