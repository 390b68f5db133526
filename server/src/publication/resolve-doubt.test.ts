import Type from 'typebox'
import { expect, test } from 'vitest'
import { noMedia } from '../../test/no-media.ts'
import type { Adapter, LookupResult } from '../providers/port.ts'
import type { Doubt, EngineStore, Settlement } from './engine-port.ts'
import type { Engine } from './engine.ts'
import { resolveDoubt } from './resolve-doubt.ts'

/** A doubt whose call is long over, and a provider that shows these pages one after the other. */
function rig(pages: readonly LookupResult[], known: readonly string[] = []) {
  const asked: (string | null)[] = []
  const settled: Settlement[] = []
  const disconnected: string[] = []
  const adapter = {
    provider: 'paged',
    repeatable: null,
    poll: null,
    settings: Type.Object({}),
    lookup: {
      request({ page }) {
        asked.push(page)
        return { method: 'GET', url: new URL('https://paged.test/'), headers: {} }
      },
      judge: () => pages[asked.length - 1] ?? { is: 'unavailable', detail: 'no such page' },
    },
  } as Partial<Adapter> as Adapter
  const doubt: Doubt = {
    ...{
      workspaceId: 'w',
      destinationId: 'd',
      postId: 'p',
      channelId: 'c',
      provider: 'paged',
      connected: true,
      connection: 'first',
    },
    ...{ grant: {}, settings: {}, tries: 3, expired: false, knownRemoteIds: known },
    parts: [{ index: 0, status: 'checking', text: 'Hello', media: [], remoteId: null }],
    attempt: { id: 'a', partIndex: 0, armedAt: new Date(0), ageMs: 3_600_000, handle: null, media: [] },
  }
  const engine: Engine = {
    store: {
      settle: async (settlement: Settlement) => settled.push(settlement) > 0,
      disconnect: async ({ channelId, connection }) => void disconnected.push(`${channelId} ${connection}`),
    } as Partial<EngineStore> as EngineStore,
    providers: new Map([['paged', adapter]]),
    call: async () => ({ arrived: true, response: { status: 200, headers: {}, body: '' }, durationMs: 1 }),
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
  return { asked, settled, disconnected, look: () => resolveDoubt(engine, doubt, 0) }
}

const page = (ids: readonly string[], more: string | null): LookupResult => ({
  is: 'page',
  candidates: ids.map((remoteId) => ({ remoteId, url: null })),
  more,
})

test('what stands on a later page is found', async () => {
  const { asked, settled, look } = rig([page([], 'x'), page([], 'y'), page(['7'], null)])
  await look()
  expect(asked).toEqual([null, 'x', 'y'])
  expect(settled).toMatchObject([{ attempt: { conclusion: 'published' }, outcome: { remoteId: '7' } }])
})

test('equal posts that are known to be others prove no absence while the list goes on', async () => {
  const { asked, settled, look } = rig([page(['1', '2'], 'x'), page(['7'], null)], ['1', '2'])
  await look()
  expect(asked).toEqual([null, 'x'])
  expect(settled).toMatchObject([{ outcome: { remoteId: '7' } }])
})

test('it is absent once the list was read to its end', async () => {
  const { settled, look } = rig([page(['1'], 'x'), page([], null)], ['1'])
  await look()
  expect(settled).toMatchObject([
    { attempt: { conclusion: 'absent', inferred: true }, outcome: { move: 'requeue' } },
  ])
})

test.each<[string, LookupResult[]]>([
  ['a page cannot be read', [page([], 'x'), { is: 'unavailable', detail: 'down' }]],
  ['the list does not end', Array.from({ length: 60 }, (_, n) => page([], String(n)))],
])('nothing is proven when %s', async (_why, pages) => {
  const { asked, settled, look } = rig(pages)
  await look()
  expect(settled).toEqual([])
  expect(asked.length).toBeLessThanOrEqual(50)
})

test('a look that is refused for want of a grant proves nothing, and has the channel reconnected', async () => {
  const { settled, disconnected, look } = rig([{ is: 'reauthorize' }])
  await look()
  expect(settled).toEqual([])
  expect(disconnected).toEqual(['c first'])
})
