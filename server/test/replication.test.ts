import { afterAll, beforeAll, expect, test } from 'vitest'
import { watchReadiness } from '../src/edge/api/http/readiness.ts'
import { readServerSettings } from '../src/platform/postgres/database-facts.ts'
import { codeOf, type Db, openDb } from '../src/platform/postgres/db.ts'
import { failureOf } from './rigs/failure-of.ts'
import { openReplicatedCluster, type ReplicatedCluster } from './rigs/replicated-cluster.ts'

let cluster: ReplicatedCluster
beforeAll(async () => {
  cluster = await openReplicatedCluster()
  await cluster.world.db`create table thing (n int)`
})
afterAll(() => cluster[Symbol.asyncDispose]())

test('whether a standby is synchronous is known, to users who may see it', async () => {
  const { db } = cluster.world
  await db`create role plain`
  const session = await db.reserve()
  await session`set role plain`

  const [seen, hidden] = [await readServerSettings(db), await readServerSettings(session)]
  await session`reset role`
  session.release()

  expect(seen).toMatchObject({ standbys: 1, synchronous: 1, hidden: 0 })
  expect(hidden).toMatchObject({ standbys: 1, synchronous: 0, hidden: 1 })
})

test('a commit that no standby has is not taken for done, although PostgreSQL says so', async () => {
  const { db } = cluster.world
  await cluster.standby.kill()
  const commit = failureOf(db.begin((tx) => tx`insert into thing values (1)`))
  const waiting = () => db<{ pid: number }[]>`
    select pid from pg_stat_activity where wait_event = 'SyncRep' and query = 'commit'`
  await expect.poll(waiting, { timeout: 30_000 }).toHaveLength(1)

  const [backend] = await waiting()
  await db`select pg_cancel_backend(${backend!.pid})`

  expect(codeOf(await commit)).toBe('NOT_REPLICATED')
  expect(await db`select n from thing`).toEqual([{ n: 1 }])
  await cluster.standby.start()
})

test('while only a standby answers, the database is not writable, and not out of reach', async () => {
  const { db } = cluster.world
  await cluster.primary.kill()
  const statesOf = async () => {
    const { status, database } = await watchReadiness(db)()
    return { status, database }
  }

  await expect.poll(statesOf, { timeout: 30_000 }).toEqual({ status: 'not_ready', database: 'not_writable' })

  await cluster.primary.start()
  await expect.poll(statesOf, { timeout: 30_000 }).toEqual({ status: 'ready', database: 'reachable' })
})

test('a former primary that comes back is not written to by who has seen its successor', async () => {
  const url = cluster.world.databaseUrl
  const db = openDb({ url, applicationName: 'test', max: 2 })
  expect(await isWritable(db)).toBe(true)
  await cluster.promoteStandby()
  await expect.poll(() => isWritable(db), { timeout: 30_000 }).toBe(true)

  // The former primary; without the setting it takes writes by itself.
  await cluster.standby.start({ synchronous_standby_names: '' })
  await cluster.primary.kill()

  await expect.poll(async () => codeOf(await failureOf(insert(db))), { timeout: 30_000 }).toBe('OLD_TIMELINE')
  const newcomer = openDb({ url, applicationName: 'test', max: 1 })
  expect(await isWritable(newcomer)).toBe(true)
  await Promise.all([db.end(), newcomer.end()])
})

const insert = (db: Db) => db.begin((tx) => tx`insert into thing values (2)`)

async function isWritable(db: Db): Promise<boolean> {
  return (await failureOf(insert(db))) === null
}
