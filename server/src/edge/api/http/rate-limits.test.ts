import { expect, test } from 'vitest'
import { openDatabaseProxy } from '../../../../test/rigs/database-proxy.ts'
import { openWorld } from '../../../../test/rigs/world.ts'
import { type Db, openDb } from '../../../platform/postgres/db.ts'
import { pruneRateCounts, sharedCounts } from './rate-count-store.ts'
import { type RateLimit, sharedRateLimit } from './rate-limits.ts'

/** As many processes as that, which share the database alone. */
function processesOn(db: Db, count: number, perMinute: number): RateLimit[] {
  return Array.from({ length: count }, () => sharedRateLimit('default', perMinute, sharedCounts(db)))
}

async function allowedOf(limit: RateLimit, count: number, name = 'a key'): Promise<number> {
  const taken = await Promise.all(Array.from({ length: count }, () => limit.take(name)))
  return taken.filter(({ allowed }) => allowed).length
}

async function usedOf(db: Db): Promise<number> {
  const [row] = await db<[{ used: number }]>`select used from rate_count`
  return row.used
}

/** The minute of every name ends. */
async function endMinutes(db: Db): Promise<void> {
  await db`update rate_count set ends_at = date_trunc('milliseconds', now()) - interval '1 second'`
}

test('processes allow the limit together, however they are asked, and no more', async () => {
  await using world = await openWorld()
  for (const perMinute of [1, 2, 10, 97, 400]) {
    const processes = processesOn(world.db, 3, perMinute)
    const allowed = await Promise.all(processes.map((limit) => allowedOf(limit, 500, `key of ${perMinute}`)))
    expect(allowed.reduce((sum, each) => sum + each)).toBe(perMinute)
  }
})

test('each name and each policy is counted by itself', async () => {
  await using world = await openWorld()
  const [requests] = processesOn(world.db, 1, 2)
  const writes = sharedRateLimit('writes', 1, sharedCounts(world.db))
  expect(await allowedOf(requests!, 5, 'one')).toBe(2)
  expect(await allowedOf(requests!, 5, 'other')).toBe(2)
  expect(await allowedOf(writes, 5, 'one')).toBe(1)
})

test('what is told to be left is what all processes leave', async () => {
  await using world = await openWorld()
  const [one, other] = processesOn(world.db, 2, 10)
  expect(one!.policy).toBe('"default";q=10;w=60')
  expect((await one!.take('key')).field).toBe('"default";r=9;t=60')
  expect((await other!.take('key')).field).toMatch(/^"default";r=8;t=(59|60)$/)
  // The other one used two since it was asked last, of which it is given one ahead.
  const { field } = await one!.take('key', 3)
  expect(field).toMatch(/^"default";r=5;t=/)
  expect(await allowedOf(other!, 20, 'key')).toBe(5)
  expect((await one!.take('key')).field).toMatch(/^"default";r=0;t=/)
})

test('more uses at once than are left are refused, and take what is left', async () => {
  await using world = await openWorld()
  const [limit] = processesOn(world.db, 1, 5)
  expect(await limit!.take('key', 4)).toMatchObject({ allowed: true })
  expect(await limit!.take('key', 3)).toMatchObject({ allowed: false })
  expect(await limit!.take('key')).toMatchObject({ allowed: false })
})

test('a busy credential asks the database seldom', async () => {
  await using world = await openWorld()
  let statements = 0
  await using own = Object.assign(
    openDb({ ...world.connection, applicationName: 'counting', onStatement: () => void (statements += 1) }),
    { [Symbol.asyncDispose]: () => own.end() },
  )
  const [limit] = processesOn(own, 1, 1_000_000)
  for (let n = 0; n < 5_000; n++) expect(await limit!.take('key')).toMatchObject({ allowed: true })
  expect(statements).toBeLessThan(100)
})

test('what was taken ahead and is not needed is given back within seconds', async () => {
  await using world = await openWorld()
  const [busy, later] = processesOn(world.db, 2, 1_000)
  for (let n = 0; n < 100; n++) await busy!.take('key')
  expect(await usedOf(world.db)).toBeGreaterThan(100)
  await expect.poll(() => usedOf(world.db), { timeout: 10_000 }).toBe(100)
  expect(await allowedOf(later!, 1_200, 'key')).toBe(900)
})

test('a new minute begins for all, and what is given back of the one before counts for nothing', async () => {
  await using world = await openWorld()
  const [one, other] = processesOn(world.db, 2, 50)
  for (let n = 0; n < 20; n++) await one!.take('key')
  expect(await allowedOf(other!, 60, 'key')).toBeGreaterThanOrEqual(25)
  await endMinutes(world.db)
  await expect.poll(async () => (await other!.take('key')).allowed, { timeout: 10_000 }).toBe(true)
  await expect.poll(() => usedOf(world.db), { timeout: 10_000 }).toBeLessThan(20)
  await endMinutes(world.db)
  expect(await pruneRateCounts(world.db, 10)).toBe(1)
})

test('a minute that ends later than one from now is over: the clock of the database was set back', async () => {
  await using world = await openWorld()
  const [one, other] = processesOn(world.db, 2, 5)
  expect(await allowedOf(one!, 6)).toBe(5)
  await world.db`update rate_count set ends_at = ends_at + interval '1 hour'`
  expect(await allowedOf(other!, 6)).toBe(5)
})

test('a database that does not answer holds up no request, and multiplies the limit by no more than the processes', async () => {
  await using world = await openWorld()
  await using proxy = await openDatabaseProxy(world.connection)
  await using slow = Object.assign(openDb({ url: proxy.url, applicationName: 'slow' }), {
    [Symbol.asyncDispose]: () => slow.end({ timeout: 0 }),
  })
  const [limit] = processesOn(slow, 1, 20)
  expect(await allowedOf(limit!, 5)).toBe(5)
  proxy.freeze()
  await expect.poll(async () => (await limit!.take('a key')).allowed, { interval: 1 }).toBe(false)
  expect(await allowedOf(limit!, 30, 'another key')).toBe(20)
  proxy.thaw()
  // What was allowed meanwhile is told.
  const told = () => world.db`select name from rate_count where name = 'another key' and used = 20`
  await expect
    .poll(async () => (await limit!.take('another key'), (await told()).length), { timeout: 10_000 })
    .toBe(1)
})

test('without a database, a process counts for itself', async () => {
  await using world = await openWorld()
  const gone = openDb({ ...world.connection, applicationName: 'gone' })
  await gone.end()
  const [limit] = processesOn(gone, 1, 20)
  expect(await allowedOf(limit!, 30)).toBe(20)
})
