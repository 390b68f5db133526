import { expect, test } from 'vitest'
import { openCluster } from '../../../test/rigs/cluster.ts'
import { openReceiver } from '../../../test/rigs/receiver.ts'
import { aChange, openWebhookWorld } from '../../../test/rigs/webhook-world.ts'
import { announce } from '../outbox/outbox-store.ts'

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
})
