import { expect, test } from 'vitest'
import { readsOf } from '../../../test/rigs/query-plan.ts'
import { openReceiver } from '../../../test/rigs/receiver.ts'
import { openWebhookWorld, type WebhookWorld } from '../../../test/rigs/webhook-world.ts'
import { autoReplay } from './auto-replay.ts'
import { listDeliveries } from './delivery-log-store.ts'
import { updateEndpoint } from './manage-endpoints.ts'

const failed = { status: 'failed', limit: 100, before: null } as const
/** So long that the dispatcher's own sweeps do not come between the steps of a test. */
const noSweeps = { leaseMs: 3_600_000 }

/** A world whose receiver answers what `statusFor` says, with an endpoint that replays automatically, and a dispatcher. */
async function openScene(statusFor: (eventId: string) => number, options = noSweeps) {
  await using opening = new AsyncDisposableStack()
  const world = opening.use(await openWebhookWorld())
  const receiver = opening.use(
    await openReceiver(({ headers }, response) =>
      response.writeHead(statusFor(headers['x-service-event-id'] ?? '')).end(),
    ),
  )
  const endpoint = await world.anEndpoint(receiver.origin, undefined, true)
  const dispatcher = await world.dispatcher(options)
  const opened = opening.move()
  return {
    world,
    endpoint,
    received: () => receiver.received.map(({ headers }) => headers['x-service-event-id']),
    settled: () => world.settled(dispatcher),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/**
 * Moves what happened to the deliveries, and the begin of the outage, into the past. The time that a test itself takes counts
 * besides: no step may depend on less than a minute.
 */
async function passTime({ db }: WebhookWorld, minutes: number): Promise<void> {
  const past = db`${minutes} * interval '1 minute'`
  await db`update delivery set created_at = created_at - ${past}, settled_at = settled_at - ${past}`
  await db`update endpoint set failing_since = failing_since - ${past}`
}

test('what failed is sent again, with the same id and bytes, once the endpoint answers a test event', async () => {
  let count = 0
  await using scene = await openScene(() => (++count <= 5 ? 503 : 204), { leaseMs: 6_000 })
  const eventId = await scene.world.happens()
  await scene.settled()
  await expect.poll(() => scene.received().length, { timeout: 20_000 }).toBe(7)

  const [first, , , , , probe, again] = scene.received()
  expect([first, again]).toEqual([eventId, eventId])
  expect(probe).not.toBe(eventId)
  await scene.settled()
  expect(
    await listDeliveries(scene.world.db, scene.endpoint, { ...failed, status: 'delivered' }),
  ).toMatchObject([
    { eventId: probe, test: true, round: 1, attempts: 1 },
    { eventId, test: false, round: 2, attempts: 1 },
  ])
})

test('an endpoint that does not answer gets probes at growing intervals, and no event more than five times', async () => {
  await using scene = await openScene(() => 503)
  const { world } = scene
  const eventId = await world.happens()
  await scene.settled()
  const probeCount = async () => {
    expect(await autoReplay(world.db)).toEqual([])
    await scene.settled()
    const probes = await listDeliveries(world.db, scene.endpoint, failed)
    expect(probes).toMatchObject([{ test: true }, { eventId, round: 1, attempts: 5 }])
    return probes[0]?.round
  }
  expect(await probeCount()).toBe(1)
  expect(await probeCount()).toBe(1)
  await passTime(world, 4)
  expect(await probeCount()).toBe(2)
  await passTime(world, 2)
  expect(await probeCount()).toBe(2)
  await passTime(world, 24 * 60)
  expect(await probeCount()).toBe(2)
  expect(scene.received().filter((id) => id === eventId)).toHaveLength(5)
})

test('an event that its receiver never takes waits each time as long as it is old, and a day at most', async () => {
  let poison: string | null = null
  // The first attempt may come before its id is known here.
  await using scene = await openScene((id) => (poison === null || id === poison ? 500 : 204))
  const { world, endpoint } = scene
  poison = await world.happens()
  await scene.settled()
  const replayed = async () => {
    await world.happens()
    await scene.settled()
    const [one] = await autoReplay(world.db)
    await scene.settled()
    return one?.count ?? 0
  }
  await passTime(world, 60)
  expect(await replayed()).toBe(1)
  expect(await replayed()).toBe(0)
  await passTime(world, 30)
  expect(await replayed()).toBe(0)
  await passTime(world, 40)
  expect(await replayed()).toBe(1)
  await passTime(world, 24 * 60)
  expect(await replayed()).toBe(0)
  expect(scene.received().filter((id) => id === poison)).toHaveLength(15)
  expect(await listDeliveries(world.db, endpoint, failed)).toMatchObject([{ eventId: poison, round: 3 }])
})

test('nothing is replayed that was refused for good, nor where nobody asked for it', async () => {
  let status = 400
  await using scene = await openScene(() => status)
  const { world, endpoint } = scene
  const refused = await world.happens()
  await scene.settled()
  await updateEndpoint(world.parts, endpoint, { autoReplay: false })
  status = 503
  const lost = await world.happens()
  await scene.settled()
  status = 204
  await world.happens()
  await scene.settled()
  await passTime(world, 60)
  expect(await autoReplay(world.db)).toEqual([])

  await updateEndpoint(world.parts, endpoint, { autoReplay: true })
  expect(await autoReplay(world.db)).toMatchObject([{ ...keyOf(endpoint), count: 1 }])
  await scene.settled()
  expect(scene.received().at(-1)).toBe(lost)
  expect(await listDeliveries(world.db, endpoint, failed)).toMatchObject([{ eventId: refused, round: 1 }])
})

function keyOf({ workspaceId, endpointId }: { workspaceId: string; endpointId: string }) {
  return { workspaceId, endpointId }
}

test('however much failed before, a look for what to replay reads the failures of the last day', async () => {
  await using world = await openWebhookWorld()
  const recovered = await world.anEndpoint('http://127.0.0.1:9/recovered', undefined, true)
  const failing = await world.anEndpoint('http://127.0.0.1:9/failing', undefined, true)
  await world.db`update endpoint set failing_since = now() - interval '1 hour' where id = ${failing.endpointId}`
  const fail = ({ endpointId }: { endpointId: string }, count: number, age: string) => world.db`
    insert into delivery (workspace_id, endpoint_id, event_id, event_type, status, error, http_status, created_at, settled_at)
    select ${world.workspaceId}, ${endpointId}, uuidv7(), 'post.published', 'failed', 'http_status', 503,
           now() - ${age}::interval - interval '1 minute', now() - ${age}::interval
    from   generate_series(1, ${count}::int)`
  await fail(recovered, 2_000, '25 hours')
  await fail(failing, 2_000, '25 hours')
  await fail(recovered, 5, '10 minutes')
  await world.db`vacuum analyze delivery`

  const { rows } = await readsOf(world, async (db) =>
    expect(await autoReplay(db)).toEqual([{ ...keyOf(recovered), count: 5 }]),
  )
  expect(rows).toBeLessThan(50)
})
