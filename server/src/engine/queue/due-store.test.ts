import { expect, test } from 'vitest'
import { aChannel, aPost, aWorkspace } from '../../../test/rigs/fixtures.ts'
import { openWorld } from '../../../test/rigs/world.ts'
import { nextDue } from './due-store.ts'

test('nothing that waits is told from something that is due at once', async () => {
  await using world = await openWorld()
  const { workspaceId } = await aWorkspace(world.db)
  await aPost(world.db, workspaceId, { states: ['draft', 'published', 'failed', 'checking'] })
  expect(await nextDue(world.db)).toEqual({ now: false, probe: false, inMs: null })
})

test('the earliest of what waits counts', async () => {
  await using world = await openWorld()
  const { workspaceId } = await aWorkspace(world.db)
  for (const aheadMs of [60_000, 30_000, 90_000]) {
    await aPost(world.db, workspaceId, { states: ['scheduled'], publishAt: new Date(Date.now() + aheadMs) })
  }
  const { now, inMs } = await nextDue(world.db)
  expect(now).toBe(false)
  expect(inMs).toBeGreaterThan(20_000)
  expect(inMs).toBeLessThanOrEqual(30_000)
})

test('what is due is told beside the earliest of what is not', async () => {
  await using world = await openWorld()
  const { workspaceId } = await aWorkspace(world.db)
  for (const aheadMs of [-60_000, 30_000]) {
    await aPost(world.db, workspaceId, { states: ['scheduled'], publishAt: new Date(Date.now() + aheadMs) })
  }
  const { now, inMs } = await nextDue(world.db)
  expect(now).toBe(true)
  expect(inMs).toBeGreaterThan(20_000)
})

test('the end of a pause and the time of a probe count, too; a probe whose time has come is told apart', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  const channelId = await aChannel(db, workspaceId)
  await db`update channel set paused_until = now() + interval '20 seconds' where id = ${channelId}`
  expect((await nextDue(db)).inMs).toBeGreaterThan(10_000)
  await db`insert into network_outage (origin, probe_at) values ('https://a.test', now() + interval '5 seconds')`
  const { inMs, probe } = await nextDue(db)
  expect(inMs).toBeLessThanOrEqual(5_000)
  expect(probe).toBe(false)
  await db`update network_outage set probe_at = now() - interval '1 hour'`
  expect((await nextDue(db)).probe).toBe(true)
  expect((await nextDue(db)).inMs).toBeGreaterThan(10_000)
})
