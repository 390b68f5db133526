import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, type Db, openDb, urlOf } from '../src/platform/postgres/db.ts'
import { Secret } from '../src/platform/sealing/sealing.ts'
import { explainLostSessions } from '../src/platform/embedded-postgres/explain-lost-sessions.ts'
import { commandLineWith } from './rigs/command-line.ts'
import { failureOf } from './rigs/failure-of.ts'
import { openPooler, type Pooler } from './rigs/pooler.ts'
import { openEmptyWorld, type World } from './rigs/world.ts'

/* Through PgBouncer in transaction mode: each transaction has another session of PostgreSQL. */

let world: World
let pooler: Pooler
beforeAll(async () => {
  world = await openEmptyWorld()
  pooler = await openPooler(world.connection)
}, 240_000)
afterAll(async () => {
  await pooler[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

const openPooled = (options: { max?: number; statementTimeoutMs?: number } = {}) =>
  openDb({ url: pooler.url, listenUrl: world.databaseUrl, applicationName: 'pooled', ...options })

test('statements and transactions give the same answers in whichever session they run', async () => {
  await using db = disposable(openPooled({ max: 4 }))
  await db`create table item (n int primary key, text text)`

  const seen = await Promise.all(
    Array.from({ length: 60 }, (_, n) =>
      db.begin(async (tx) => {
        const [[before]] = await Promise.all([
          tx<{ pid: number }[]>`select pg_backend_pid() as pid`,
          tx`insert into item values (${n}, ${`text ${n}`})`,
        ])
        const [after] = await tx<{ pid: number; text: string }[]>`
          select pg_backend_pid() as pid, text from item where n = ${n}`
        expect(after).toEqual({ pid: before!.pid, text: `text ${n}` })
        return after!.pid
      }),
    ),
  )

  expect(new Set(seen).size).toBeGreaterThan(1)
  expect(await db`select count(*)::int as count from item`).toEqual([{ count: 60 }])
  expect(codeOf(await failureOf(db`insert into item values (1, 'twice')`))).toBe('23505')
  expect((await db`update item set text = 'new' where n < 10`).count).toBe(10)
})

test('time limits hold in each transaction, and stay in none of its sessions', async () => {
  await using limited = disposable(openPooled({ max: 1, statementTimeoutMs: 50 }))
  await using usual = disposable(openPooled({ max: 1 }))
  const limitIn = (sql: Pick<Db, 'begin'>) =>
    sql.begin((tx) => tx`select current_setting('statement_timeout')`)

  expect(codeOf(await failureOf(limited`select pg_sleep(10)`))).toBe('57014')
  expect(codeOf(await failureOf(limited.begin((tx) => tx`select pg_sleep(10)`)))).toBe('57014')
  const longer = { statementTimeoutMs: 20_000 }
  expect(await limited.begin((tx) => tx`select pg_sleep(0.1)`.then((rows) => rows.count), longer)).toBe(1)
  expect(await limitIn(usual)).toEqual([{ current_setting: '30s' }])
  await using outsider = disposable(
    openDb({ ...world.connection, applicationName: 'test', statementTimeoutMs: 0 }),
  )
  const left =
    await outsider`select from pg_stat_activity where application_name = 'pooled' and state like 'idle in%'`
  expect(left.count).toBe(0)
})

test('sessions and notifications bypass the pooler', async () => {
  await using db = disposable(openPooled({ max: 2 }))
  const heard = Promise.withResolvers<string>()
  await db.listen('news', heard.resolve)
  const session = await db.reserve({ statementTimeoutMs: 0 })
  await session`select pg_advisory_lock(7)`
  const isHeld = async () => (await db`select pg_try_advisory_xact_lock(7) as free`)[0]?.['free'] === false

  expect([await isHeld(), await isHeld(), await isHeld()]).toEqual([true, true, true])
  session.release()
  await expect.poll(isHeld).toBe(false)
  await db.notify('news', 'heard')
  expect(await heard.promise).toBe('heard')
})

describe('a pooler without DATABASE_LISTEN_URL', () => {
  /** Has it accept the settings that connections begin with, and drop them. */
  const lenient = { ignore_startup_parameters: 'statement_timeout,idle_in_transaction_session_timeout' }

  test('refuses the connection', async () => {
    await using db = disposable(openDb({ url: pooler.url, applicationName: 'test' }))

    expect(codeOf(await failureOf(db`select`))).toBe('08P01')
  })

  test.each([
    ['transaction', /^DATABASE_URL leads through a pooler in transaction mode. Set DATABASE_LISTEN_URL/],
    ['session', null],
  ])('that accepts every setting is detected in %s mode', async (mode, fault) => {
    for (const roundRobin of ['0', '1']) {
      await using other = await openPooler(world.connection, {
        ...lenient,
        pool_mode: mode,
        server_round_robin: roundRobin,
      })
      expect(await checked({ url: other.url })).toEqual(fault === null ? null : expect.stringMatching(fault))
    }
  })

  test('is found out behind DATABASE_LISTEN_URL, as is another database', async () => {
    await using other = await openPooler(world.connection, lenient)
    const postgres = urlOf({ ...world.connection, database: 'postgres' })

    expect(await checked({ url: pooler.url, listenUrl: other.url })).toMatch(
      /^DATABASE_LISTEN_URL leads through/,
    )
    expect(await checked({ url: pooler.url, listenUrl: postgres })).toMatch(
      /do not lead to the same database/,
    )
    expect(await checked({ url: pooler.url, listenUrl: world.databaseUrl })).toBeNull()
  })
})

test('doctor passes on what a pooler says whose database is gone, or takes no connection', async () => {
  await using own = await openEmptyWorld()
  await using admin = disposable(openDb({ ...own.connection, database: 'postgres', applicationName: 'test' }))
  await using front = await openPooler(own.connection, { server_login_retry: '15' })
  const doctor = async (url: string) =>
    (await commandLineWith({ DATABASE_URL: url, DATABASE_LISTEN_URL: own.databaseUrl })('doctor')).said
  expect(await doctor(front.url.replace(/[^/]+$/, 'not_there'))).toContain(
    'does not take the connection: database "not_there" does not exist. See whether',
  )

  const name = front.url.replace(/.*\//, '')
  await admin.script(`alter database ${name} allow_connections false`)
  await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`
  const said = await doctor(front.url)
  expect(said).toMatch(
    /does not take the connection: .*(not currently accepting connections|server)|pooler in front of it, has not answered in time/,
  )
  expect(said).not.toContain('set DATABASE_LISTEN_URL')
  await admin.script(`alter database ${name} allow_connections true`)
})

test('without DATABASE_LISTEN_URL, doctor says that it is missing', async () => {
  expect((await commandLineWith({ DATABASE_URL: pooler.url })('doctor')).said).toContain(
    'set DATABASE_LISTEN_URL to the same database without it',
  )
})

async function checked(place: { url: string; listenUrl?: string }): Promise<string | null> {
  await using db = disposable(openDb({ ...place, applicationName: 'test', max: 2 }))
  const listenUrl = place.listenUrl === undefined ? null : new Secret(place.listenUrl)
  return await explainLostSessions(
    { db, embedded: false },
    {
      database: { url: new Secret(place.url), listenUrl },
    },
  )
}

function disposable(db: Db): Db & AsyncDisposable {
  return Object.assign(db, { [Symbol.asyncDispose]: () => db.end({ timeout: 5 }) })
}
