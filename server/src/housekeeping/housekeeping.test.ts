import { afterEach, beforeEach, expect, test } from 'vitest'
import { v7 as uuidv7 } from 'uuid'
import { aWorkspace } from '../../test/fixtures.ts'
import { openWorld, type World } from '../../test/world.ts'
import { generateOnce, type Work } from '../ai/generate-once.ts'
import { insertGeneration, readDayUse } from '../ai/generation-store.ts'
import { keepHouse } from './housekeeping.ts'
import { fingerprintOf } from '../platform/idempotency.ts'
import { createLog } from '../platform/log.ts'

let world: World
let workspaceId: string
beforeEach(async () => {
  world = await openWorld()
  ;({ workspaceId } = await aWorkspace(world.db))
})
afterEach(() => world[Symbol.asyncDispose]())

const log = createLog({ level: 'silent' })
const requestOf = (key: string) => ({
  ...{ workspaceId, operation: 'generatePostDrafts', key },
  fingerprint: fingerprintOf('generatePostDrafts', '/', {}),
})

/** One round of cleaning, from its begin to its end. */
async function clean(idempotencyDays: number): Promise<void> {
  const faults: unknown[] = []
  const last = `last-${uuidv7()}`
  await generation({ key: last, begun: '400 days', status: 'failed' })
  const house = keepHouse(world.db, { idempotencyDays, sweep: async () => 0 }, (fault) => faults.push(fault))
  await expect.poll(async () => (await keys()).includes(last)).toBe(false)
  await house.stop()
  expect(faults).toEqual([])
}

type Past = {
  key: string
  begun: string
  status: 'running' | 'succeeded' | 'failed' | 'lost'
  alive?: boolean
}

async function generation({ key, begun, status, alive = false }: Past): Promise<void> {
  const generationId = uuidv7()
  await world.db.begin((tx) =>
    insertGeneration(tx, {
      ...{
        workspaceId,
        generationId,
        request: requestOf(key),
        credentialId: uuidv7(),
        model: 'openai/writer',
      },
      ...{ reserved: { tokens: 0, images: 0 }, leaseMs: alive ? 60_000 : -1 },
    }),
  )
  await world.db`
    update ai_generation
    set    begun_at = now() - ${begun}::interval, status = ${status}, input_tokens = 10, images = 1,
           lease_until = case when ${status === 'running'} then lease_until end,
           settled_at = case when ${status !== 'running'} then now() - ${begun}::interval end,
           failure = case when ${status === 'failed'} then 'timeout' end
    where  id = ${generationId}`
}

async function keys(): Promise<string[]> {
  const rows = await world.db<{ key: string }[]>`select key from ai_generation order by key`
  return rows.map(({ key }) => key)
}

test('generations are forgotten after the days of their key, whatever became of them', async () => {
  for (const status of ['running', 'succeeded', 'failed', 'lost'] as const) {
    await generation({ key: `old ${status}`, begun: '7 days 1 minute', status })
    await generation({ key: `young ${status}`, begun: '6 days 23 hours', status })
  }
  await generation({ key: 'old alive', begun: '8 days', status: 'running', alive: true })
  await clean(7)
  expect(await keys()).toEqual([
    'old alive',
    'young failed',
    'young lost',
    'young running',
    'young succeeded',
  ])
})

test('the budget of the day counts the same after cleaning, however short the days are', async () => {
  const today = "(now() at time zone 'UTC')::time::interval - interval '1 millisecond'"
  const [row] = await world.db.unsafe<{ since: string }[]>(
    `select greatest(${today}, interval '0')::text as since`,
  )
  await generation({ key: 'at midnight', begun: row!.since, status: 'failed' })
  await generation({ key: 'now', begun: '0 seconds', status: 'succeeded' })
  await generation({ key: 'the day before', begun: '25 hours', status: 'succeeded' })
  const before = await readDayUse(world.db, workspaceId)
  expect(before).toMatchObject({ tokens: 20, images: 2 })
  await clean(1)
  const { tokens, images } = await readDayUse(world.db, workspaceId)
  expect({ tokens, images, keys: await keys() }).toEqual({
    tokens: 20,
    images: 2,
    keys: ['at midnight', 'now'],
  })
})

test('within the days of a key, no cleaning makes a repeat ask the model', async () => {
  let asked = 0
  const work: Work<null, string, 'ai_failed'> = {
    prepare: async () => ({ plan: null, model: 'openai/writer', reserved: { tokens: 0, images: 0 } }),
    carryOut: async () => {
      asked += 1
      return { store: async () => 'written' }
    },
  }
  const send = (key: string) =>
    generateOnce(
      { db: world.db, log, timeoutMs: 5_000, leaseMs: 5_000 },
      {
        ...{ request: requestOf(key), credentialId: uuidv7(), gone: new AbortController().signal },
        render: (body) => ({ status: 200, body }),
      },
      work,
    )
  expect(await send('answered')).toMatchObject({ status: 200, replayed: false })
  await world.db`update ai_generation set begun_at = now() - interval '6 days 23 hours'`
  await world.db`update idempotency_record set created_at = now() - interval '6 days 23 hours'`
  await generation({ key: 'died', begun: '6 days 23 hours', status: 'running' })
  await clean(7)
  expect(await send('answered')).toMatchObject({ status: 200, replayed: true })
  expect(await send('died')).toMatchObject({ refused: 'ai_failed' })
  expect(asked).toBe(1)
})
