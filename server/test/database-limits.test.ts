import { expect, test } from 'vitest'
import { openCluster } from './cluster.ts'
import { aWorkspace, openTransaction } from './fixtures.ts'
import { aKey, openRunningApp } from './running-app.ts'

/*
 * What a database that is slow, stuck or frozen may cost those who ask: a clear answer in time, and never the turn of
 * somebody else.
 */

test('searches of one workspace that take too long say so, and hold up nobody else', async () => {
  await using app = await openRunningApp({ env: { DATABASE_TIMEOUT_SECONDS: '3', DATABASE_POOL_API: '4' } })
  const other = await aKey(app.db, await aWorkspace(app.db))
  const lock = await openTransaction(app.db)
  await lock.tx`lock table part in access exclusive mode`

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
}, 90_000)
