import { expect, test } from 'vitest'
import { anEngine, aSubject } from '../../../test/rigs/engine-rig.ts'
import { sandboxShort } from '../../networks/providers/sandbox/sandbox.ts'
import type { Adapter, DiscardVerdict } from '../../networks/providers/port/port.ts'
import { call } from '../../networks/providers/port/procedure.ts'
import type { Leftover } from '../queue/work.ts'
import { discardLeftover, noteDrafts } from './leftovers.ts'

/** Tries once, with an adapter that ends like this: what is stored of it. */
async function tried(
  outcome: DiscardVerdict | 'throws' | 'silent' | 'no such',
  change: Partial<Leftover> = {},
): Promise<readonly string[]> {
  const stored: string[] = []
  const adapter: Adapter = {
    ...(await sandboxShort.load()),
    leftovers:
      outcome === 'no such'
        ? null
        : {
            named: () => [],
            *discard() {
              if (outcome === 'throws') throw new Error('a fault of the adapter')
              if (outcome !== 'silent') return outcome
              yield* call({ method: 'GET', url: new URL('http://network.test') })
              return { is: 'removed' }
            },
          },
  }
  const { engine } = anEngine({
    providers: new Map([['sandbox-short', { ...sandboxShort, load: async () => adapter }]]),
    call: async () => ({ arrived: false, maybeSent: true, reason: 'TIMEOUT', durationMs: 1 }),
    store: {
      endLeftover: async (_leftover, end) => void stored.push(end),
      disconnect: async () => void stored.push('disconnected'),
    },
  })
  await discardLeftover(engine, { ...aSubject, parts: [], name: 'video:7', tried: 1, ...change })
  return stored
}

test.each(['removed', 'gone', 'used'] as const)('what is %s has ended', async (is) => {
  expect(await tried({ is })).toEqual([is])
})

test.each(['throws', 'silent', 'no such', { is: 'unavailable' }, { is: 'expired' }] as const)(
  'after %j it is tried again, and given up with the eighth try',
  async (outcome) => {
    expect(await tried(outcome)).toEqual([])
    expect(await tried(outcome, { tried: 7 })).toEqual([])
    expect(await tried(outcome, { tried: 8 })).toEqual(['failed'])
  },
)

test('nothing is called without access, and an access that is over is told of', async () => {
  expect(await tried({ is: 'removed' }, { connected: false })).toEqual([])
  expect(await tried({ is: 'removed' }, { authorizationUnreadable: true })).toEqual([])
  expect(await tried({ is: 'reauthorize' })).toEqual(['disconnected'])
})

test('what is noted is noted once, and again until the store has it', async () => {
  const noted: unknown[] = []
  let faults = 1
  const { engine } = anEngine({
    store: {
      async noteDrafts(_intent, names) {
        if (faults-- > 0) throw new Error('no database')
        noted.push(names)
      },
    },
  })
  const intent = { workspaceId: 'w', destinationId: 'd', fence: 1, attemptId: 'a' }
  const named = ({ checkpoint }: { checkpoint: unknown }) =>
    checkpoint === null ? ([] as const) : (['video:7', 'video:7'] as const)
  const leftovers = { named, discard: () => null as never }
  await noteDrafts(engine, { leftovers }, intent, { checkpoint: 'half' })
  await noteDrafts(engine, { leftovers }, intent, {})
  await noteDrafts(engine, { leftovers: null }, intent, { checkpoint: 'half' })
  expect(noted).toEqual([['video:7']])
})
