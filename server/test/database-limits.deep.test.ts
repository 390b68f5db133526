import { expect, test } from 'vitest'
import { openCluster } from './rigs/cluster.ts'
import type { Db } from '../src/platform/postgres/db.ts'
import { aChannel, aPost, aWorkspace, openTransaction } from './rigs/fixtures.ts'
import { aKey, dumpTables, openRunningApp } from './rigs/running-app.ts'

/*
 * What a database that is slow, stuck or frozen may cost those who ask: a clear answer in time, and never the turn of
 * somebody else.
 */

test('searches of one workspace that take too long say so, and hold up nobody else', async () => {
  await using app = await openRunningApp({ env: { DATABASE_TIMEOUT_SECONDS: '3', DATABASE_POOL_API: '4' } })
  const other = await aKey(app.db, await aWorkspace(app.db))
  const lock = await openTransaction(app.db)
  await lock.tx`lock table post_search in access exclusive mode`

  let answered = 0
  const searches = Array.from({ length: 40 }, async () => {
    const answer = await app.ask('GET', '/agent/v1/posts?q=anything')
    answered += 1
    return answer
  })
  await expect
    .poll(
      () =>
        app.db`select from pg_stat_activity where application_name = 'postrider api' and wait_event_type = 'Lock'`,
    )
    .toHaveLength(3)
  const me = await app.ask('GET', '/agent/v1/me', { key: other })

  expect(me.status).toBe(200)
  expect(answered).toBe(0)
  const answers = await Promise.all(searches)
  const codes = new Set(answers.map(({ status, body }) => `${status} ${body.code}`))
  expect(codes).toContain('422 search_too_broad')
  // Those that waited in line for longer than that were not even begun.
  codes.delete('503 not_ready')
  expect(codes).toEqual(new Set(['422 search_too_broad']))
  await lock.rollback()
  expect((await app.ask('GET', '/agent/v1/posts?q=anything')).status).toBe(200)
})

test('requests that hold every connection they may have hold up neither publishing nor readiness', async () => {
  await using app = await openRunningApp({
    roles: 'api,publisher',
    env: { DATABASE_TIMEOUT_SECONDS: '60', DATABASE_POOL_API: '2' },
  })
  const { db } = app
  const other = await aKey(db, await aWorkspace(db))
  const lock = await openTransaction(db)
  await lock.tx`lock table audit_entry, idempotency_record in access exclusive mode`
  const body = { confirmed: true, idempotencyKey: 'k', state: 'draft', text: 'Hello' }
  const held = [app.key, other].map((key) => app.ask('POST', '/agent/v1/posts', { key, body }))
  await expect
    .poll(
      () =>
        db`select from pg_stat_activity where application_name = 'postrider api' and wait_event_type = 'Lock'`,
    )
    .toHaveLength(2)

  const { destinationIds } = await aPost(db, app.workspace.workspaceId, {
    states: ['scheduled'],
    publishAt: new Date(),
  })
  await db`update destination set due_at = now() where id = any(${destinationIds}::uuid[])`
  await db.notify('postrider_due', '')

  await expect
    .poll(
      () => db`select from destination where id = any(${destinationIds}::uuid[]) and status <> 'scheduled'`,
      {
        timeout: 20_000,
      },
    )
    .toHaveLength(1)
  expect((await app.ask('GET', '/readyz', { key: null })).status).toBe(200)
  await lock.rollback()
  await Promise.all(held)
})

test('what else takes too long is answered with not_ready', async () => {
  await using app = await openRunningApp({ env: { DATABASE_TIMEOUT_SECONDS: '1' } })
  const lock = await openTransaction(app.db)
  await lock.tx`lock table destination in access exclusive mode`

  const answer = await app.ask('GET', '/agent/v1/posts')

  expect(answer).toMatchObject({ status: 503, body: { code: 'not_ready', retryAfterSeconds: 5 } })
  await lock.rollback()
  expect((await app.ask('GET', '/agent/v1/posts')).status).toBe(200)
})

test('a frozen database keeps no request waiting, and goes on being used when it thaws', async () => {
  await using cluster = await openCluster()
  await using app = await openRunningApp({ world: cluster.world, env: { DATABASE_TIMEOUT_SECONDS: '1' } })
  const ask = () => app.ask('GET', '/agent/v1/me')
  expect(await Promise.all([ask(), ask(), ask()])).toMatchObject([1, 2, 3].map(() => ({ status: 200 })))

  cluster.freeze()
  const frozen = await Promise.all(Array.from({ length: 30 }, ask))
  const readiness = await app.ask('GET', '/readyz', { key: null })
  cluster.thaw()

  expect(new Set(frozen.map(({ status, body }) => `${status} ${body.code}`))).toEqual(
    new Set(['503 not_ready']),
  )
  expect(readiness).toMatchObject({ status: 503, body: { database: 'unreachable' } })
  await expect.poll(async () => (await ask()).status, { timeout: 20_000 }).toBe(200)
  await expect
    .poll(async () => (await app.ask('GET', '/readyz', { key: null })).status, { timeout: 20_000 })
    .toBe(200)
})

test.each([
  ['has no room for a temporary file', 'temp_file_limit = 0', 'temp_file_limit'],
  ['takes no writes', 'default_transaction_read_only = on', 'default_transaction_read_only'],
])('a database that %s is not ready, until it can write again', async (_, setting, name) => {
  await using app = await openRunningApp()
  const readiness = () => app.ask('GET', '/readyz', { key: null })
  const { database = '' } = 'database' in app.world.connection ? app.world.connection : {}
  await expect.poll(async () => (await readiness()).status).toBe(200)

  await administer(app.db, `alter database "${database}" set ${setting}`)
  await expect.poll(readiness, { timeout: 20_000 }).toMatchObject({
    status: 503,
    body: { status: 'not_ready', database: 'not_writable' },
  })

  await administer(app.db, `alter database "${database}" reset ${name}`)
  await expect.poll(readiness, { timeout: 20_000 }).toMatchObject({
    status: 200,
    body: { status: 'ready', database: 'reachable' },
  })
})

test('a database whose commits do not end is not ready, though it answers every question', async () => {
  await using cluster = await openCluster()
  const { db } = cluster.world
  await using app = await openRunningApp({ world: cluster.world })
  const readiness = () => app.ask('GET', '/readyz', { key: null })
  await expect.poll(async () => (await readiness()).status).toBe(200)

  // As with a disk that hangs, a commit waits for what does not come.
  await db`alter system set synchronous_standby_names = 'gone'`
  await db`select pg_reload_conf()`
  await expect.poll(readiness, { timeout: 20_000 }).toMatchObject({
    status: 503,
    body: {
      status: 'not_ready',
      database: 'not_writable',
      schema: 'current',
      reason: 'The database has not stored a write within 2 seconds.',
    },
  })

  await db`alter system reset synchronous_standby_names`
  await db`select pg_reload_conf()`
  await expect.poll(async () => (await readiness()).status, { timeout: 20_000 }).toBe(200)
})

/** Changes what new sessions begin with, and ends all others. */
async function administer(db: Db, statement: string): Promise<void> {
  await db.script(`set default_transaction_read_only = off; ${statement};
    select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`)
}

test('a write that finds the disk full is answered with not_ready, and has changed nothing', async () => {
  await using app = await openRunningApp()
  await app.db.script(`
    create function fill() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
    create trigger full_disk before insert on post for each row execute function fill();`)
  const channelId = await aChannel(app.db, app.workspace.workspaceId)
  const before = await dumpTables(app.db)

  const answer = await app.ask('POST', '/agent/v1/posts', {
    body: { confirmed: true, idempotencyKey: 'k', state: 'draft', channelIds: [channelId], text: 'Hello' },
  })

  expect(answer).toMatchObject({ status: 503, body: { code: 'not_ready', retryAfterSeconds: 60 } })
  // What a process says of itself, and the last use of a key, are written meanwhile.
  const besides = { activity: [], agent_key: [], worker: [] }
  expect({ ...(await dumpTables(app.db)), ...besides }).toEqual({ ...before, ...besides })
})

test('workers that died without a word are shown as dead', async () => {
  await using app = await openRunningApp({ roles: 'api,publisher' })
  await app.db`
    insert into worker (id, roles, host, pid, heartbeat_at)
    values (gen_random_uuid(), '{publisher}', 'gone', 1, now() - interval '10 minutes')`

  await expect
    .poll(async () => (await app.ask('GET', '/readyz', { key: null })).body.workers, { timeout: 10_000 })
    .toMatchObject([
      { roles: ['api', 'publisher'], alive: true },
      { roles: ['publisher'], heartbeatAgeSeconds: expect.any(Number), alive: false },
    ])
})
