import fc from 'fast-check'
import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { aChannel, aWorkspace } from '../../../test/rigs/fixtures.ts'
import {
  armed,
  duePost,
  endLeases,
  ending,
  leaseOf,
  published,
  storeOn,
  untilLocked,
} from '../../../test/rigs/publishing-store.ts'
import { openTwins, twinSteps } from '../../../test/simulation/store-twins.ts'
import { openWorld } from '../../../test/rigs/world.ts'
import type { EngineStore } from './work.ts'

test('the store in memory and the one on PostgreSQL do the same', { timeout: 600_000 }, async () => {
  await using world = await openWorld()
  await using twins = await openTwins(world)
  const count = { operations: 0, refused: 0 }
  const property = fc.asyncProperty(twinSteps, fc.integer({ min: 1, max: 3 }), (steps, perWorkspace) =>
    twins.run(steps, perWorkspace, count),
  )
  const numRuns = Number(process.env['STORE_RUNS'] ?? 50)
  await fc.assert(property, { numRuns })
  expect(count.operations).toBeGreaterThan(numRuns)
  expect(count.refused).toBeGreaterThan(numRuns / 10)
})

test('a worker whose lease is taken while its arming stands in line makes no call', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  const [id = ''] = await duePost(db, workspaceId, [await aChannel(db, workspaceId)])
  const store = storeOn(db)
  const [work] = await store.claim(1)

  // The other worker has taken the lease over, and has not committed yet.
  const other = await db.reserve()
  await other`begin`
  await other`update destination set fence = fence + 1 where id = ${id}`
  const arming = store.arm({ ...leaseOf(work!), attemptId: uuidv7(), partIndex: 0, key: uuidv7() })
  await untilLocked(db, 'with intent as')
  await other`commit`
  other.release()

  expect(await arming).toBe(false)
  expect(await db`select from attempt`).toHaveLength(0)
  expect(await db`select status from part`).toEqual([{ status: 'pending' }])
})

test('a worker that armed first keeps its attempt, and whoever takes the lease over finds it', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  await duePost(db, workspaceId, [await aChannel(db, workspaceId)])
  const [one, two] = [storeOn(db), storeOn(db)]
  const [work] = await one.claim(1)
  const attemptId = await armed(one, work!)
  await endLeases(db)

  const [orphan] = await two.claimOrphans(1)

  expect(orphan).toMatchObject({
    orphan: true,
    fence: work!.fence + 1,
    attempt: { id: attemptId, partIndex: 0 },
  })
  expect(await one.settle(ending(work!, attemptId, published))).toBe(false)
})

test('what was seen before a call is kept with its arming, before what comes of it', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  await duePost(db, workspaceId, [await aChannel(db, workspaceId)])
  const store = storeOn(db)
  const [work] = await store.claim(1)
  const attemptId = uuidv7()
  const lack = { by: 'card', of: 'card', why: 'refused', host: 'example.com', status: 403 }
  const intent = { ...leaseOf(work!), attemptId, partIndex: 0, key: uuidv7(), evidence: [lack] }
  expect(await store.arm(intent)).toBe(true)
  const evidence = async () => (await db`select evidence from attempt`)[0]?.['evidence']
  expect(await evidence()).toEqual([lack])
  await store.settle(ending(work!, attemptId, published))
  expect(await evidence()).toEqual([lack, { by: 'test' }])
})

test('a part has one call at most whose end is not known, however often it is armed at once', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  await duePost(db, workspaceId, [await aChannel(db, workspaceId)])
  const stores = [storeOn(db), storeOn(db), storeOn(db)]
  const [work] = await stores[0]!.claim(1)
  const arm = (store: EngineStore) =>
    store.arm({ ...leaseOf(work!), attemptId: uuidv7(), partIndex: 0, key: uuidv7() })

  const first = await Promise.all([...stores, ...stores].map(arm))
  const later = await arm(stores[0]!)

  expect(first.filter(Boolean)).toHaveLength(1)
  expect(later).toBe(false)
  expect(await db`select verdict from attempt`).toEqual([{ verdict: null }])
})

test('a part that is out is never armed again, though the lease goes on for the next one', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  await duePost(db, workspaceId, [await aChannel(db, workspaceId)], ['first', 'second'])
  const store = storeOn(db)
  const [work] = await store.claim(1)
  await store.settle(ending(work!, await armed(store, work!), published))
  const arm = (partIndex: number) =>
    store.arm({ ...leaseOf(work!), attemptId: uuidv7(), partIndex, key: uuidv7() })

  expect([await arm(0), await arm(1)]).toEqual([false, true])
  expect(await db`select part_index, verdict from attempt order by part_index`).toEqual([
    { part_index: 0, verdict: 'published' },
    { part_index: 1, verdict: null },
  ])
})

test('a call that was armed while its lease was taken over is never passed over', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  const silent = uuidv7()
  const [one, two, other] = [storeOn(db, { workerId: silent }), storeOn(db), storeOn(db)]
  await duePost(db, workspaceId, [await aChannel(db, workspaceId)])
  const [work] = await one.claim(1)
  await duePost(db, workspaceId, [await aChannel(db, workspaceId)])
  const [first] = await other.claim(1)
  await db`update destination set lease_until = now() + interval '30 seconds' where id = ${first!.destinationId}`
  // Just after a start of the database nobody is taken for dead.
  const running = () => db`select where pg_postmaster_start_time() < now() - interval '2 seconds'`
  await expect.poll(async () => (await running()).length).toBe(1)
  // The takeover asks at its first row who is dead, and here that takes a second: the rows after it are late.
  await db`
    insert into worker (id, roles, host, pid, heartbeat_at) values (${silent}, '{}', 'elsewhere', 1, now() - interval '1 hour')`
  await db`alter table worker rename to listed_worker`
  await db`create view worker as select w.* from listed_worker w cross join (select pg_sleep(1)) slow`

  const takeover = two.claimOrphans(10)
  const asleep = () => db`
    select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`
  await expect.poll(async () => (await asleep()).length, { interval: 5 }).toBe(1)
  const attemptId = await armed(one, work!)

  expect(await takeover).toMatchObject([
    { orphan: true, destinationId: work!.destinationId, attempt: { id: attemptId } },
  ])
})

test('looks that prove nothing are kept with their reasons, those that show the same as one', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  await duePost(db, workspaceId, [await aChannel(db, workspaceId)])
  const store = storeOn(db)
  const [work] = await store.claim(1)
  const attemptId = await armed(store, work!)
  await store.settle(ending(work!, attemptId, { is: 'unknown', detail: 'lost' }))
  const evidence = async () => {
    const [row] = await db<{ evidence: object[] }[]>`select evidence from attempt where id = ${attemptId}`
    return row!.evidence.slice(1)
  }
  await db`update destination set due_at = now()`
  const [doubt] = await store.claimDoubts(1)
  const look = { by: 'lookup', verdict: 'unavailable', detail: 'Too many.', httpStatus: 200, durationMs: 3 }

  await store.noteLook(doubt!, look)
  expect(await evidence()).toEqual([{ ...look, at: expect.any(String) }])
  await store.noteLook(doubt!, { ...look, durationMs: 4 })
  await store.noteLook(doubt!, { ...look, durationMs: 5 })
  expect(await evidence()).toEqual([{ ...look, at: expect.any(String), times: 3, until: expect.any(String) }])
  await store.noteLook(doubt!, { ...look, detail: 'Another.' })
  await store.noteLook(doubt!, look)
  expect(await evidence()).toMatchObject([{ times: 3 }, { detail: 'Another.' }, { detail: 'Too many.' }])

  await store.settle({ ...ending(work!, attemptId, published, true), fence: null })
  const settled = await evidence()
  await store.noteLook(doubt!, look)
  expect(await evidence()).toEqual(settled)
})
