import { afterAll, beforeAll, expect, test } from 'vitest'
import { aWorkspace } from '../../../test/rigs/fixtures.ts'
import { plantMany } from '../../../test/rigs/plant-many.ts'
import { storeOn } from '../../../test/rigs/publishing-store.ts'
import { explained, mostRows, statementOf } from '../../../test/rigs/query-plan.ts'
import { openWorld, type World } from '../../../test/rigs/world.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { nextDue } from '../queue/due-store.ts'

/*
 * What publishers do all the time beside claims reads as much as it changes, however much is held: thousands on one channel,
 * and on many; and however much waits that nothing holds.
 */

const away = 'https://away.example'

let world: World
beforeAll(async () => {
  world = await openWorld()
  const { db } = world
  const plant = async (of: { channels: number; each: number }) => {
    const { workspaceId } = await aWorkspace(db)
    await plantMany(db, workspaceId, of)
    return workspaceId
  }
  const many = await plant({ channels: 600, each: 2 })
  await db`update channel set provider_origin = ${away} where workspace_id = ${many}`
  await db`insert into network_outage (origin, probe_at) values (${away}, now())`
  const one = await plant({ channels: 1, each: 4_000 })
  await db`update channel set paused_until = now() + interval '1 hour' where workspace_id = ${one}`
  const late = await plant({ channels: 20, each: 60 })
  await db`update destination set expires_at = now() where workspace_id = ${late}`
  await plant({ channels: 200, each: 20 })
  await db`vacuum analyze`
})
afterAll(() => world[Symbol.asyncDispose]())

/** How many rows the first statement with this text in it reads, when it is carried out once more. */
async function rowsRead(marker: string, run: (db: Db) => Promise<unknown>): Promise<number> {
  return mostRows(await explained(world.db, await statementOf(world, marker, run), { byIndex: true }))
}

test('a probe reads no more of what is held than the destination that it takes', async () => {
  expect(
    await rowsRead('candidate as', (db) => storeOn(db, { perWorkspace: 200 }).claimProbes(8)),
  ).toBeLessThan(20)
})

test('what is past its allowed time is ended in batches, each of which reads what it ends', async () => {
  expect(
    await rowsRead('over as', (db) => storeOn(db, { perWorkspace: 200 }).expire(500)),
  ).toBeLessThanOrEqual(501)
})

test('when something is due next is read from the first entries of indexes', async () => {
  expect(await rowsRead('min(look_at)', nextDue)).toBeLessThanOrEqual(1)
})

test('what is held is announced in batches, each of which reads what it announces, and is never read again', async () => {
  const { db } = world
  const claims = storeOn(db, { perWorkspace: 200 })
  while ((await claims.claim(100)).length > 0);
  const held = await db`
    select from destination d
    join   channel c on c.workspace_id = d.workspace_id and c.id = d.channel_id
    where  d.status = 'scheduled' and d.expires_at > now() and (c.paused_until > now() or c.provider_origin = ${away})
    and    not exists (select from destination b where b.channel_id = c.id and b.status = 'publishing')`

  expect(
    await rowsRead('held as materialized', (one) => storeOn(one, { perWorkspace: 200 }).announceHolds(500)),
  ).toBeLessThan(1_100)
  let announced = 500
  for (let batch = 500; batch === 500; announced += batch)
    batch = await storeOn(db, { perWorkspace: 200 }).announceHolds(500)

  expect(announced).toBe(held.length)
  await db`vacuum analyze`
  expect(
    await rowsRead('announce_at <= now()', (one) => storeOn(one, { perWorkspace: 200 }).announceHolds(500)),
  ).toBe(0)
})
