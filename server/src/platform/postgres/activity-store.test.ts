import { expect, test } from 'vitest'
import { openWorld } from '../../../test/rigs/world.ts'
import { activityNotes, listActivity, noteActivity } from './activity-store.ts'

test('a part has one row, whichever process it works in, and its age is that of its latest work', async () => {
  await using world = await openWorld()
  const { db } = world
  await noteActivity(db, 'backup')
  await db`update activity set at = now() - interval '1 hour'`
  expect(Math.round((await listActivity(db))[0]!.ageSeconds)).toBe(3_600)
  await Promise.all([noteActivity(db, 'backup'), noteActivity(db, 'backup')])
  expect(await listActivity(db)).toEqual([{ part: 'backup', ageSeconds: expect.closeTo(0, 0) as number }])
})

test('a part that works all the time writes its work down at once, and then not for a while; a write that failed is made again', async () => {
  await using world = await openWorld()
  const { db } = world
  const note = activityNotes(db, 'webhooks')
  await db`alter table activity rename to away`
  await expect(note()).rejects.toThrow('activity')
  await db`alter table away rename to activity`
  await note()
  await db`update activity set at = now() - interval '1 hour'`
  await note()
  expect((await listActivity(db))[0]!.ageSeconds).toBeGreaterThan(3_000)
})
