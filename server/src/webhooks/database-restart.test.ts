import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { guardFolder } from '../../test/guard.ts'
import { openReceiver } from '../../test/receiver.ts'
import { aChange, openWebhookWorld } from '../../test/webhook-world.ts'
import { MIGRATIONS } from '../platform/database.ts'
import { announce } from '../outbox/outbox-store.ts'
import { openDb, urlOf } from '../platform/db.ts'
import { startEmbeddedPostgres } from '../platform/embedded-postgres/embedded-postgres.ts'
import { migrate } from '../platform/migrate.ts'

/** A PostgreSQL of the test's own, which it may kill. */
async function openCluster() {
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-webhooks-'))
  // PostgreSQL runs as another user when the tests run as root.
  await chmod(dataDir, 0o711)
  const guard = guardFolder(dataDir)
  let postgres = await startEmbeddedPostgres({ dataDir })
  const { connection } = postgres
  const db = openDb({ ...connection, applicationName: 'test' })
  await migrate(db, MIGRATIONS)
  return {
    world: {
      db,
      connection,
      databaseUrl: urlOf(connection),
      [Symbol.asyncDispose]: () => db.end({ timeout: 5 }),
    },
    async crash() {
      const gone = new Promise<void>((resolve) => postgres.onExit(resolve))
      process.kill(postgres.pid, 'SIGQUIT')
      await gone
      postgres = await startEmbeddedPostgres({ dataDir })
    },
    async [Symbol.asyncDispose]() {
      await postgres.stop()
      guard.dismiss()
      await rm(dataDir, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

test('a database that crashes and comes back in the middle costs two dispatchers no event', async () => {
  await using cluster = await openCluster()
  await using world = await openWebhookWorld(cluster.world)
  const got = new Map<string, Set<string>>()
  await using receiver = await openReceiver(({ path, headers, body }, response) => {
    const key = `${path} ${headers['x-service-event-id']}`
    got.set(key, (got.get(key) ?? new Set()).add(body.toString()))
    response.writeHead(204).end()
  })
  for (let n = 0; n < 10; n++) await world.anEndpoint(`${receiver.origin}/${n}`)
  await world.dispatcher({ leaseMs: 2_000 })
  const dispatcher = await world.dispatcher({ leaseMs: 2_000 })
  const record = (count: number) =>
    world.db.begin((tx) =>
      announce(
        tx,
        Array.from({ length: count }, () => aChange(world.workspaceId, 'published')),
      ),
    )

  await record(300)
  await expect.poll(() => got.size, { timeout: 20_000, interval: 10 }).toBeGreaterThan(200)
  expect(got.size).toBeLessThan(3_000)
  await cluster.crash()
  await record(50)
  await world.settled(dispatcher, 40_000)

  expect(got.size).toBe(3_500)
  expect([...got.values()].every((bodies) => bodies.size === 1)).toBe(true)
  const statuses = await world.db`select distinct status from delivery`
  expect(statuses).toMatchObject([{ status: 'delivered' }])
}, 90_000)
