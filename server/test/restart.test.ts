import { expect, test } from 'vitest'
import { openServerRig } from './rigs/server-rig.ts'

/*
 * The product as processes, on a PostgreSQL that is killed and comes back, while posts are going out. The sandbox
 * network is neither killed nor restarted: it counts what it was told to create, and its count is the judge.
 */

test('posts go out once each, though the database and then a server are killed under them', async () => {
  await using rig = await openServerRig({ channels: 20 })
  await rig.serve('api,publisher')
  await rig.serve('publisher')
  await rig.create(200)

  await rig.untilPublished(30)
  await rig.restartDatabase()
  await rig.untilPublished(100)
  const [server] = rig.servers
  await server!.end('SIGKILL')
  expect(await rig.published()).toBeLessThan(200)
  await rig.serve('api,publisher')
  await rig.untilPublished(200)

  await rig.expectEachOnce(200)
  expect(await rig.ask('/agent/v1/posts?limit=100&status=published')).toMatchObject({
    items: { length: 100 },
  })
}, 120_000)

test('what a killed server was publishing is taken over long before its leases end', async () => {
  await using rig = await openServerRig({
    channels: 3,
    env: { LEASE_SECONDS: '600', PUBLISH_TIMEOUT_SECONDS: '30' },
  })
  await rig.serve('api,publisher')
  for (const n of [0, 1, 2]) {
    const { status } = await rig.send(n, `Post ${n} #sandbox:hang`, new Date(Date.now() + 60_000))
    expect(status).toBe(201)
  }
  await rig.db`update destination set publish_at = now(), due_at = now()`
  await rig.db.notify('postrider_due', '')
  await expect.poll(() => rig.createsAtNetwork(), { timeout: 20_000 }).toBe(3)
  await rig.serve('publisher')

  const publishing = async () => (await rig.statuses())['publishing'] ?? 0
  expect(await publishing()).toBe(3)
  await rig.servers[0]!.end('SIGKILL')
  await expect.poll(publishing, { timeout: 50_000, interval: 20 }).toBe(0)

  // Each was sent, and is seen to be out by a lookup.
  await rig.untilPublished(3, 60_000)
  await rig.expectEachOnce(3)
}, 180_000)

test('a server that is told to stop leaves nothing half done, and nothing behind', async () => {
  await using rig = await openServerRig({ channels: 20 })
  await rig.serve('api,publisher')
  await rig.serve('publisher')
  await rig.create(60)

  await rig.untilPublished(5)
  const ends = await Promise.all(rig.servers.map((server) => server.end('SIGTERM')))
  expect(ends).toEqual([
    [0, null],
    [0, null],
  ])
  const left = await rig.statuses()
  // What was armed and not called any more is `delayed`: it goes on by itself, as what is `scheduled` does.
  const { published = 0, scheduled = 0, delayed = 0 } = left
  expect(scheduled + delayed).toBeGreaterThan(0)
  expect(published + scheduled + delayed).toBe(60)
  expect(published).toBe(await rig.createsAtNetwork())
  expect(await rig.db`select from worker`).toHaveLength(0)

  await rig.serve('api,publisher')
  await rig.untilPublished(60)
  await rig.expectEachOnce(60)
}, 120_000)

test('a server that is told to stop does not wait for all the rows that are past their time', async () => {
  await using rig = await openServerRig({ channels: 1 })
  await rig.db`
    insert into idempotency_record (workspace_id, operation, key, fingerprint, http_status, body, created_at)
    select w.id, 'createPost', n::text, '', 201, '', now() - interval '30 days'
    from   workspace w, generate_series(1, 100000) n`
  await rig.db.script(`
    create function linger() returns trigger language plpgsql as $$ begin perform pg_sleep(0.002); return old; end $$;
    create trigger slow before delete on idempotency_record for each row execute function linger();`)
  await rig.serve('api,publisher,webhooks')
  await expect
    .poll(
      () => rig.db`
        select from pg_stat_activity
        where  state = 'active' and pid <> pg_backend_pid() and query like '%delete from idempotency_record%'`,
      { timeout: 20_000 },
    )
    .toHaveLength(1)

  expect(await rig.servers[0]!.end('SIGTERM')).toEqual([0, null])
  const [left] = await rig.db<[{ count: number }]>`select count(*)::int as count from idempotency_record`
  expect(left.count).toBeGreaterThan(90_000)
}, 120_000)
