import { expect, test } from 'vitest'
import { aPost, aWorkspace } from '../../test/fixtures.ts'
import { openWorld } from '../../test/world.ts'
import { nextDueInMs } from './due-store.ts'

test('nothing that waits is told from something that is due at once', async () => {
  await using world = await openWorld()
  const { workspaceId } = await aWorkspace(world.db)
  await aPost(world.db, workspaceId, { states: ['draft', 'published', 'failed', 'checking'] })
  expect(await nextDueInMs(world.db)).toBeNull()
})

test('the earliest of what waits counts', async () => {
  await using world = await openWorld()
  const { workspaceId } = await aWorkspace(world.db)
  for (const aheadMs of [60_000, 30_000, 90_000]) {
    await aPost(world.db, workspaceId, { states: ['scheduled'], publishAt: new Date(Date.now() + aheadMs) })
  }
  const dueInMs = await nextDueInMs(world.db)
  expect(dueInMs).toBeGreaterThan(20_000)
  expect(dueInMs).toBeLessThanOrEqual(30_000)
})
