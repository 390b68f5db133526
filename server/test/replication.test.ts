import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeOf, type Db, openDb } from '../src/platform/db.ts'
import { openReplicatedCluster, type ReplicatedCluster } from './replicated-cluster.ts'

let cluster: ReplicatedCluster
beforeAll(async () => {
  cluster = await openReplicatedCluster()
  await cluster.world.db`create table thing (n int)`
}, 60_000)
afterAll(() => cluster[Symbol.asyncDispose]())

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

async function failureOf(work: PromiseLike<unknown>): Promise<unknown> {
  try {
    await work
    return null
  } catch (error) {
    return error
  }
}
