import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aWorkspace } from '../../test/fixtures.ts'
import { plantMany } from '../../test/plant-many.ts'
import { explained, mostRows, statementOf } from '../../test/query-plan.ts'
import { openWorld, type World } from '../../test/world.ts'
import type { Db } from '../platform/db.ts'
import type { EngineStore } from './engine-port.ts'
import { publicationStore } from './publication-store.ts'

/*
 * What publishers do all the time beside claims reads as much as it changes, however much is held: thousands on one channel,
 * and on many; and however much waits that nothing holds.
 */

const away = 'https://away.example'
const held = { channels: 600, each: 2 }
const onOne = { channels: 1, each: 4_000 }
const free = { channels: 200, each: 20 }

let world: World
beforeAll(async () => {
  world = await openWorld()
  const { db } = world
  const [many, one, other] = [await aWorkspace(db), await aWorkspace(db), await aWorkspace(db)]
  await plantMany(db, many.workspaceId, held)
  await plantMany(db, one.workspaceId, onOne)
  await plantMany(db, other.workspaceId, free)
  await db`update channel set provider_origin = ${away} where workspace_id = ${many.workspaceId}`
  await db`insert into network_outage (origin, probe_at) values (${away}, now() + interval '1 hour')`
  await db`update channel set paused_until = now() + interval '1 hour' where workspace_id = ${one.workspaceId}`
  await db`vacuum analyze`
}, 60_000)
afterAll(() => world[Symbol.asyncDispose]())

function storeOn(db: Db): EngineStore {
  return publicationStore(db, {
    workerId: uuidv7(),
    leaseMs: 60_000,
    perWorkspace: free.channels,
    openGrant: () => ({}),
  })
}

/** How many rows the first statement with this text in it reads, when it is carried out once more. */
async function rowsRead(marker: string, run: (db: Db) => Promise<unknown>): Promise<number> {
  return mostRows(await explained(world.db, await statementOf(world, marker, run), { byIndex: true }))
}

test('what is held is announced in batches, each of which reads what it announces, and is never read again', async () => {
  const { db } = world
  const claims = storeOn(db)
  while ((await claims.claim(100)).length > 0);

  expect(await rowsRead('held as materialized', (one) => storeOn(one).announceHolds(500))).toBeLessThan(1_100)
  let announced = 500
  for (let batch = 500; batch === 500; announced += batch) batch = await storeOn(db).announceHolds(500)

  expect(announced).toBe(held.channels * held.each + onOne.each)
  await db`vacuum analyze`
  expect(await rowsRead('announce_at <= now()', (one) => storeOn(one).announceHolds(500))).toBe(0)
})
