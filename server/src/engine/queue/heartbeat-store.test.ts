import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { aChannel, aPost, aWorkspace } from '../../../test/rigs/fixtures.ts'
import { armed, ending, leaseOf, published } from '../../../test/rigs/publishing-store.ts'
import { openWorld, type World } from '../../../test/rigs/world.ts'
import { codeOf, openDb, type Db } from '../../platform/postgres/db.ts'
import type { Conclusion, EngineStore, Work } from './work.ts'
import { publicationStore } from './engine-store.ts'
import { deregisterWorker } from '../../platform/postgres/worker-store.ts'
import { heartbeat } from './heartbeat-store.ts'

const leaseMs = 60_000

/** A worker with a session for its heartbeat, as a process of its own has one. */
function aWorker(world: World, pool: Db = world.db) {
  const identity = { id: uuidv7(), roles: ['publisher'], host: 'h', pid: 1 }
  const session = openDb({ ...world.connection, applicationName: 'test heartbeat', max: 1, permanent: true })
  const options = { workerId: identity.id, leaseMs, perWorkspace: 1_000, openAuthorization: () => ({}) }
  const store: EngineStore = publicationStore(pool, options)
  return {
    identity,
    store,
    sendHeartbeat: (works: readonly Work[] = []) => heartbeat(session, identity, works.map(leaseOf), leaseMs),
    /** The process dies: its connections close. */
    die: () => session.end(),
    [Symbol.asyncDispose]: () => session.end(),
  }
}

async function due(db: Db, channels: number): Promise<void> {
  const { workspaceId } = await aWorkspace(db)
  const channelIds = await Promise.all(Array.from({ length: channels }, () => aChannel(db, workspaceId)))
  const states = channelIds.map(() => 'scheduled' as const)
  await aPost(db, workspaceId, { states, channelIds, publishAt: new Date(Date.now() - 60_000) })
}

/** The workers have been silent for this long. */
async function letSilence(db: Db, ms: number): Promise<void> {
  await db`update worker set heartbeat_at = now() - ${ms} * interval '1 ms'`
}

/** The database was not started just now. */
async function untilRunning(db: Db): Promise<void> {
  const started = () => db`select where pg_postmaster_start_time() < now() - interval '3 seconds'`
  await expect.poll(async () => (await started()).length, { timeout: 10_000 }).toBe(1)
}

/** A worker that sends heartbeats and holds what was due, and another one, which would take it over. */
async function openHolder() {
  await using opened = new AsyncDisposableStack()
  const world = opened.use(await openWorld())
  await untilRunning(world.db)
  const worker = opened.use(aWorker(world))
  const other = opened.use(aWorker(world))
  await due(world.db, 1)
  await worker.sendHeartbeat()
  const [work] = await worker.store.claim(1)
  const running = opened.move()
  return { db: world.db, worker, other, work: work!, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

test.each([
  ['was a moment ago', 1_600],
  ['lies ahead, since the clock was set back', -3_600_000],
])(
  'what a dead worker held, whose last heartbeat %s, is taken over although its lease goes on',
  async (_, silentMs) => {
    await using holder = await openHolder()
    const { db, worker, other, work } = holder
    await worker.die()
    await letSilence(db, silentMs)

    const taken = () => other.store.claimOrphans(10)
    const orphans: Work[] = []
    await expect.poll(async () => orphans.push(...(await taken())), { timeout: 10_000 }).toBe(1)
    expect(orphans[0]).toMatchObject({ orphan: true, fence: work.fence + 1, attempt: null })
  },
)

test.each([
  ['whose session lives, however long it is silent', 3_600_000, false],
  ['whose session was lost, as long as it was heard of just now', 0, true],
])('a worker %s is not taken for dead', async (_, silentMs, sessionLost) => {
  await using holder = await openHolder()
  const { db, worker, other } = holder
  if (sessionLost) await worker.die()
  await letSilence(db, silentMs)
  expect(await other.store.claimOrphans(10)).toEqual([])
})

test('a worker that was cut off and sends heartbeats again is alive', async () => {
  await using holder = await openHolder()
  const { db, worker, other } = holder
  await db`
    select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where  application_name = 'test heartbeat' and datname = current_database()`
  await expect
    .poll(() => worker.sendHeartbeat().catch(() => 'away'), { timeout: 10_000 })
    .toMatchObject({ renewed: 0 })
  await letSilence(db, 3_600_000)
  expect(await other.store.claimOrphans(10)).toEqual([])
})

test('what a worker held that is not on the list waits for its lease', async () => {
  await using holder = await openHolder()
  const { db, worker, other } = holder
  await deregisterWorker(db, worker.identity.id)
  expect(await other.store.claimOrphans(10)).toEqual([])
  await db`update destination set lease_until = now()`
  expect(await other.store.claimOrphans(10)).toHaveLength(1)
})

test('a heartbeat renews the leases that have lost a third of their time, and no others', async () => {
  await using world = await openWorld()
  const { db } = world
  await using worker = aWorker(world)
  await due(db, 3)
  const works = await worker.store.claim(3)
  expect(await worker.sendHeartbeat(works)).toMatchObject({ renewed: 0 })
  await db`update destination set lease_until = now() + interval '30 seconds' where id <> ${works[0]!.destinationId}`
  await db`update destination set fence = fence + 1 where id = ${works[2]!.destinationId}`
  expect(await worker.sendHeartbeat(works)).toMatchObject({ renewed: 1 })
  const [renewed] = await db`
    select lease_until > now() + interval '50 seconds' as renewed
    from   destination where id = ${works[1]!.destinationId}`
  expect(renewed).toEqual({ renewed: true })
})

test('a heartbeat says whether any worker holds a lease, so that orphans are looked for only then', async () => {
  await using holder = await openHolder()
  const { worker, other, work } = holder
  await worker.die()
  expect(await other.sendHeartbeat()).toMatchObject({ leased: true })
  expect(await worker.store.settle(ending(work, await armed(worker.store, work), published))).toBe(true)
  expect(await other.sendHeartbeat()).toMatchObject({ leased: false })
})

/* ---- locks ---- */

const endings: readonly Conclusion[] = [
  { is: 'deferred', code: 'rate_limited', afterMs: 0 },
  { is: 'reauthorize' },
  { is: 'deferred', code: 'not_reached', afterMs: 0 },
]

test(
  'heartbeats, armings and settlements of the same destinations never lock each other out',
  { timeout: 120_000 },
  async () => {
    await using world = await openWorld()
    const { db } = world
    await using worker = aWorker(world)
    const sessions = [0, 1, 2].map(() =>
      openDb({ ...world.connection, applicationName: 'test heartbeat', max: 1, permanent: true }),
    )
    await due(db, 150)
    const failures: unknown[] = []
    const settledBy: boolean[] = []

    for (let turn = 0; turn < 20; turn += 1) {
      const works = await worker.store.claim(150)
      expect(works).toHaveLength(150)
      const inOtherOrders = [works.toReversed(), works.toSorted(() => Math.random() - 0.5), works]
      let over = false
      const sending = sessions.map(async (session, place) => {
        const leases = inOtherOrders[place]!.map(leaseOf)
        while (!over) {
          // Every lease is to be renewed, so that every row is locked.
          await heartbeat(session, worker.identity, leases, leaseMs + turn * 1_000_000 + 10_000_000)
        }
      })
      const working = inOtherOrders[1]!.map(async (work) => {
        const attemptId = uuidv7()
        if (!(await worker.store.arm({ ...leaseOf(work), attemptId, partIndex: 0, key: uuidv7() }))) return
        settledBy.push(await worker.store.settle(ending(work, attemptId, endings[turn % endings.length]!)))
      })
      failures.push(...(await failuresOf(working)))
      over = true
      failures.push(...(await failuresOf(sending)))
      await db`
        update destination set status = 'scheduled', due_at = now() - interval '1 minute', check_again_at = null`
      await db`update channel set connection_status = 'connected', paused_until = null`
    }
    await Promise.all(sessions.map((session) => session.end()))

    expect(failures.map(codeOf)).toEqual([])
    expect(settledBy).toHaveLength(20 * 150)
    expect(settledBy).not.toContain(false)
    const [counted] = await db<{ deadlocks: number }[]>`
      select deadlocks::int from pg_stat_database where datname = current_database()`
    expect(counted).toEqual({ deadlocks: 0 })
  },
)

async function failuresOf(tasks: readonly Promise<unknown>[]): Promise<unknown[]> {
  const results = await Promise.allSettled(tasks)
  return results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
}
