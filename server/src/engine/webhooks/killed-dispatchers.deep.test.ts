import { spawn, type ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { destinationStatuses, destinationStatusNames, eventTypeNames } from '@postrider/contract'
import { expect, test } from 'vitest'
import { COMPILE_ONCE } from '../../../test/rigs/compile-once.ts'
import { openReceiver } from '../../../test/rigs/receiver.ts'
import { aChange, openWebhookWorld, type WebhookWorld } from '../../../test/rigs/webhook-world.ts'
import { announce } from '../outbox/outbox-store.ts'

/** DISPATCHER_KILLS says how often. */
const kills = Number(process.env['DISPATCHER_KILLS'] ?? 24)
const events = kills * 50
const endpointCount = 20

/** Two dispatchers at any time; each lives for a moment, is killed without warning, and is replaced. */
test('killed at random again and again, dispatchers lose nothing, change no byte, and try five times at most', async () => {
  await using world = await openWebhookWorld()
  const arrivals = new Map<string, string[]>()
  const acknowledged = new Set<string>()
  await using receiver = await openReceiver(({ path, headers, body }, response) => {
    const key = `${path} ${headers['x-service-event-id']}`
    const digest = createHash('sha256').update(body).digest('hex')
    arrivals.set(key, [...(arrivals.get(key) ?? []), digest])
    const accepts = Math.random() >= 0.02
    if (accepts) acknowledged.add(key)
    response.writeHead(accepts ? 204 : 503).end()
  })
  // Each endpoint wants two of the nine types, so that every event goes to four or five endpoints.
  for (let n = 0; n < endpointCount; n++) {
    const types = [0, 4].map((step) => eventTypeNames[(n + step) % eventTypeNames.length] ?? '')
    await world.anEndpoint(`${receiver.origin}/${n}`, types)
  }

  const recording = recordEvents(world)
  await Promise.all([killAgainAndAgain(world, kills / 2), killAgainAndAgain(world, kills / 2)])
  await recording
  await world.settled(await world.dispatcher({ leaseMs: 1_500 }), 60_000)

  const places = new Map((await endpointIds(world)).map((id, place) => [id, place]))
  const deliveries = await world.db<
    { endpointId: string; eventId: string; digest: string; attempts: number }[]
  >`
    select d.endpoint_id as "endpointId", d.event_id as "eventId", encode(sha256(ev.body), 'hex') as digest, d.attempts
    from   delivery d
    join   outbox_event ev on ev.id = d.event_id`
  expect(deliveries.length).toBeGreaterThan(events * 4)
  const missing = deliveries.filter(
    ({ endpointId, eventId }) => !acknowledged.has(`/${places.get(endpointId)} ${eventId}`),
  )
  const changed = deliveries.filter(({ endpointId, eventId, digest }) =>
    arrivals.get(`/${places.get(endpointId)} ${eventId}`)?.some((each) => each !== digest),
  )
  const [interrupted] = await world.db<[{ count: number }]>`
    select count(*)::int as count from delivery_attempt where error = 'interrupted'`
  // The kills struck in the middle of work, or this proves nothing.
  expect(interrupted.count).toBeGreaterThan(kills / 4)
  expect(missing).toEqual([])
  expect(changed).toEqual([])
  expect(arrivals.size).toBe(deliveries.length)
  expect(Math.max(...deliveries.map(({ attempts }) => attempts))).toBeLessThanOrEqual(5)
  expect(Math.max(...[...arrivals.values()].map((each) => each.length))).toBeLessThanOrEqual(5)
}, 400_000)

async function endpointIds({ db }: WebhookWorld): Promise<string[]> {
  const rows = await db<{ id: string }[]>`select id from endpoint order by created_at, id`
  return rows.map(({ id }) => id)
}

async function recordEvents({ db, workspaceId }: WebhookWorld): Promise<void> {
  const statuses = destinationStatusNames.filter((status) => destinationStatuses[status].event !== null)
  for (let n = 0; n < events; n += 10) {
    const changes = Array.from({ length: 10 }, (_, place) =>
      aChange(workspaceId, statuses[(n + place) % statuses.length] ?? 'published', {
        releaseUrl: `https://x.example/ä${n}`,
      }),
    )
    await db.begin((tx) => announce(tx, changes))
    await delay(20)
  }
}

async function killAgainAndAgain(world: WebhookWorld, times: number): Promise<void> {
  let next = startDispatcherProcess(world)
  for (let n = 0; n < times; n++) {
    const victim = await next
    // The successor starts while the victim still works: starting takes longer than living.
    next = startDispatcherProcess(world)
    await delay(Math.random() * 300)
    victim.kill('SIGKILL')
    await once(victim, 'close')
  }
  const last = await next
  last.kill('SIGKILL')
  await once(last, 'close')
}

async function startDispatcherProcess({ databaseUrl, secretKey }: WebhookWorld): Promise<ChildProcess> {
  const script = join(import.meta.dirname, '../../../test/rigs/dispatcher-process.ts')
  const child = spawn(process.execPath, [script, databaseUrl, secretKey, '1500'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: COMPILE_ONCE,
  })
  await once(child.stdout, 'data')
  return child
}
