import { createHmac } from 'node:crypto'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { makeCertificate } from '../../../test/rigs/certificate.ts'
import { openRawReceiver, openReceiver } from '../../../test/rigs/receiver.ts'
import { aChange, anywhere, openWebhookWorld, type WebhookWorld } from '../../../test/rigs/webhook-world.ts'
import { announce } from '../outbox/outbox-store.ts'
import { openDb } from '../../platform/postgres/db.ts'
import { listAttempts, listDeliveries } from './delivery-log-store.ts'
import { nextDueInMs } from './delivery-store.ts'
import { findEndpoint } from './endpoint-store.ts'
import { resend, rotateSecret, disable, enable, updateEndpoint } from './manage-endpoints.ts'

const all = { status: null, limit: 100, before: null }

function isSigned(
  request: { headers: Readonly<Record<string, string>>; body: Buffer },
  secret: string,
): boolean {
  const [t = '', ...macs] = (request.headers['x-service-signature'] ?? '').split(',')
  const wanted = createHmac('sha256', secret)
    .update(`${t.slice(2)}.`)
    .update(request.body)
    .digest('hex')
  return macs.includes(`v1=${wanted}`)
}

test('an event is delivered as it was recorded, with the headers that were promised', async () => {
  await using world = await openWebhookWorld()
  await using receiver = await openReceiver()
  const { secret } = await world.anEndpoint(`${receiver.origin}/hooks?team=a`)
  const id = await world.happens('published')
  await world.settled(await world.dispatcher())

  const [request] = receiver.received
  const [event] = await world.db<{ body: Buffer }[]>`select body from outbox_event`
  expect(receiver.received).toHaveLength(1)
  expect(request?.body.equals(event?.body ?? Buffer.of())).toBe(true)
  expect(request).toMatchObject({
    method: 'POST',
    path: '/hooks?team=a',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Postrider-Webhooks/1',
      'x-service-event-id': id,
      'x-service-event-type': 'post.published',
      'webhook-id': id,
    },
  })
  const timestamp = request?.headers['x-service-timestamp'] ?? ''
  expect(Math.abs(Number(timestamp) - request!.at / 1_000)).toBeLessThan(60)
  expect(request?.headers['x-service-signature']).toMatch(new RegExp(`^t=${timestamp},v1=[0-9a-f]{64}$`))
  expect(isSigned(request!, secret)).toBe(true)
  expect(JSON.parse(request!.body.toString())).toMatchObject({ id, type: 'post.published' })
})

test('without the extension, only the headers of our own are sent', async () => {
  await using world = await openWebhookWorld()
  await using receiver = await openReceiver()
  await world.anEndpoint(receiver.origin)
  await world.happens()
  await world.settled(await world.dispatcher({ standardHeaders: false }))
  expect(
    Object.keys(receiver.received[0]?.headers ?? {}).filter((name) => name.startsWith('webhook-')),
  ).toEqual([])
})

test('each endpoint gets the types it chose, of its own workspace, while it is active', async () => {
  await using world = await openWebhookWorld()
  const other = await world.db<{ id: string }[]>`
    insert into workspace (id, name) values (gen_random_uuid(), 'Other') returning id`
  await using receiver = await openReceiver()
  await world.anEndpoint(`${receiver.origin}/all`)
  await world.anEndpoint(`${receiver.origin}/failed`, ['post.failed', 'post.expired'])
  const off = await world.anEndpoint(`${receiver.origin}/off`)
  await disable(world.parts, off)
  await world.happens('published')
  await world.happens('failed')
  await world.happens('draft')
  await world.happens('published', { workspaceId: other[0]!.id })
  await world.settled(await world.dispatcher())

  const got = receiver.received.map(({ path, headers }) => `${path} ${headers['x-service-event-type']}`)
  expect(got.toSorted()).toEqual(['/all post.failed', '/all post.published', '/failed post.failed'])
})

test('an event and what it owes are there together or not at all', async () => {
  await using world = await openWebhookWorld()
  await world.anEndpoint('http://127.0.0.1:9/')
  await expect(
    world.db.begin(async (tx) => {
      await announce(tx, [aChange(world.workspaceId, 'published')])
      throw new Error('rolled back')
    }),
  ).rejects.toThrow('rolled back')
  expect(await world.db`select from delivery`).toHaveLength(0)
  const many = Array.from({ length: 50 }, () => aChange(world.workspaceId, 'failed'))
  await world.db.begin((tx) => announce(tx, many))
  expect(await world.db`select from delivery`).toHaveLength(50)
})

test('a retry carries the same id and the same bytes, and a signature of its own time', async () => {
  await using world = await openWebhookWorld()
  await using receiver = await openReceiver((_, response) =>
    response.writeHead(receiver.received.length < 3 ? 503 : 204).end(),
  )
  const endpoint = await world.anEndpoint(receiver.origin)
  const eventId = await world.happens()
  const dispatcher = await world.dispatcher()
  await world.settled(dispatcher)

  expect(receiver.received).toHaveLength(3)
  expect(new Set(receiver.received.map(({ body }) => body.toString('hex'))).size).toBe(1)
  expect(new Set(receiver.received.map(({ headers }) => headers['x-service-event-id']))).toEqual(
    new Set([eventId]),
  )
  expect(receiver.received.every((request) => isSigned(request, endpoint.secret))).toBe(true)
  const [delivery] = await listDeliveries(world.db, endpoint, all)
  expect(delivery).toMatchObject({ status: 'delivered', attempts: 3, httpStatus: 204, error: null })
  const attempts = await listAttempts(world.db, { ...endpoint, eventId })
  expect(attempts.map(({ number, httpStatus, error }) => [number, httpStatus, error])).toEqual([
    [1, 503, 'http_status'],
    [2, 503, 'http_status'],
    [3, 204, null],
  ])
  expect((await findEndpoint(world.db, endpoint))?.failingSince).toBeNull()
})

test('the waits between attempts are kept', async () => {
  await using world = await openWebhookWorld()
  await using receiver = await openReceiver((_, response) =>
    response.writeHead(receiver.received.length < 2 ? 500 : 204).end(),
  )
  await world.anEndpoint(receiver.origin)
  await world.happens()
  await world.dispatcher()
  await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(2)
  const [first, second] = receiver.received
  expect(second!.at - first!.at).toBeGreaterThanOrEqual(1_000)
})

test('Retry-After is honoured up to a minute', async () => {
  await using world = await openWebhookWorld()
  await using receiver = await openReceiver((_, response) =>
    response.writeHead(429, { 'retry-after': '999999' }).end(),
  )
  await world.anEndpoint(receiver.origin)
  await world.happens()
  await world.dispatcher()
  const wait = async () => {
    const [row] = await world.db<{ ms: number }[]>`
      select extract(epoch from next_at - now())::float8 * 1000 as ms from delivery where status = 'pending' and attempts = 1`
    return row?.ms ?? 0
  }
  await expect.poll(wait, { timeout: 20_000 }).toBeGreaterThan(55_000)
  expect(await wait()).toBeLessThan(67_000)
})

test('after five attempts it is given up', async () => {
  await using world = await openWebhookWorld()
  await using receiver = await openReceiver((_, response) => response.writeHead(500).end())
  const endpoint = await world.anEndpoint(receiver.origin)
  await world.happens()
  await world.settled(await world.dispatcher())
  expect(receiver.received).toHaveLength(5)
  expect(await listDeliveries(world.db, endpoint, all)).toMatchObject([
    { status: 'failed', attempts: 5, httpStatus: 500 },
  ])
  expect((await findEndpoint(world.db, endpoint))?.status).toBe('active')
})

test('redirects are not followed, and fail for good', async () => {
  await using world = await openWebhookWorld()
  await using other = await openReceiver()
  await using receiver = await openReceiver((_, response) =>
    response.writeHead(302, { location: other.origin }).end(),
  )
  const endpoint = await world.anEndpoint(receiver.origin)
  await world.happens()
  await world.settled(await world.dispatcher())
  expect([receiver.received.length, other.connections()]).toEqual([1, 0])
  expect(await listDeliveries(world.db, endpoint, all)).toMatchObject([{ status: 'failed', httpStatus: 302 }])
})

test('an address that may not be called is refused at every sending, whatever it was when it was entered', async () => {
  await using world = await openWebhookWorld()
  await using receiver = await openReceiver()
  const endpoint = await world.anEndpoint(receiver.origin)
  await world.happens()
  await world.settled(await world.dispatcher({ rules: { ...anywhere, trustedOrigins: [] } }))
  expect(receiver.connections()).toBe(0)
  expect(await listDeliveries(world.db, endpoint, all)).toMatchObject([
    { status: 'failed', attempts: 1, error: 'target_refused' },
  ])
})

test.each([
  ['resets the connection', (socket: Socket) => socket.resetAndDestroy(), 'connection'],
  ['speaks no HTTP', (socket: Socket) => socket.end('220 smtp ready\r\n'), 'connection'],
  [
    'answers with an endless head',
    (socket: Socket) => socket.end(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(99_000)}`),
    'connection',
  ],
])('a receiver that %s is tried again, and given up after five attempts', async (_, talk, error) => {
  await using world = await openWebhookWorld()
  await using receiver = await openRawReceiver(talk)
  const endpoint = await world.anEndpoint(receiver.origin)
  await world.happens()
  await world.settled(await world.dispatcher())
  expect(await listDeliveries(world.db, endpoint, all)).toMatchObject([
    { status: 'failed', attempts: 5, error },
  ])
})

test('bad TLS is reported as such', async () => {
  await using world = await openWebhookWorld()
  await using receiver = await openReceiver(undefined, makeCertificate(['elsewhere.example.com']))
  const endpoint = await world.anEndpoint(receiver.origin)
  await world.happens()
  await world.settled(await world.dispatcher())
  expect(receiver.received).toEqual([])
  expect(await listDeliveries(world.db, endpoint, all)).toMatchObject([{ status: 'failed', error: 'tls' }])
})

test('a 200 counts, however long its body drips and however large it is', async () => {
  await using world = await openWebhookWorld()
  await using receiver = await openReceiver((request, response) => {
    response.writeHead(200)
    if (request.path === '/large') response.end(Buffer.alloc(5_000_000))
    else {
      const timer = setInterval(() => response.write('.'), 10)
      response.on('close', () => clearInterval(timer))
    }
  })
  const endpoints = [
    await world.anEndpoint(`${receiver.origin}/large`),
    await world.anEndpoint(`${receiver.origin}/drip`),
  ]
  await world.happens()
  await world.settled(await world.dispatcher())
  for (const endpoint of endpoints)
    expect(await listDeliveries(world.db, endpoint, all)).toMatchObject([
      { status: 'delivered', attempts: 1 },
    ])
})

test('a delivery whose dispatcher was lost is sent again, and no more than five times in all', async () => {
  await using world = await openWebhookWorld()
  await using receiver = await openReceiver()
  const endpoint = await world.anEndpoint(receiver.origin)
  const [once, often] = [await world.happens(), await world.happens()]
  await world.db`
    update delivery set status = 'sending', fence = 7, lease_until = now() - interval '1 s',
                        attempts = case event_id when ${once} then 1 else 5 end`
  await world.settled(await world.dispatcher({ leaseMs: 600 }))

  expect(receiver.received.map(({ headers }) => headers['x-service-event-id'])).toEqual([once])
  expect(await listDeliveries(world.db, endpoint, all)).toMatchObject([
    { eventId: often, status: 'failed', attempts: 5, error: 'interrupted' },
    { eventId: once, status: 'delivered', attempts: 2 },
  ])
  expect(await listAttempts(world.db, { ...endpoint, eventId: once })).toMatchObject([
    { number: 1, error: 'interrupted', durationMs: null },
    { number: 2, error: null },
  ])
})

test('a late answer of a dispatcher that lost its lease changes nothing', async () => {
  await using world = await openWebhookWorld()
  const held = Promise.withResolvers<void>()
  await using receiver = await openReceiver(
    (_, response) => void held.promise.then(() => response.writeHead(400).end()),
  )
  const endpoint = await world.anEndpoint(receiver.origin)
  await world.happens()
  await world.dispatcher()
  await expect.poll(() => receiver.received.length).toBe(1)
  await world.db`update delivery set fence = fence + 1`
  held.resolve()
  await expect.poll(() => world.log.some((line) => line['stored'] === 'lost')).toBe(true)
  expect(await listDeliveries(world.db, endpoint, all)).toMatchObject([{ status: 'sending' }])
})

test('stopping lets deliveries in flight end, and begins no others', async () => {
  await using world = await openWebhookWorld()
  const held = Promise.withResolvers<void>()
  await using receiver = await openReceiver(
    (_, response) => void held.promise.then(() => response.writeHead(204).end()),
  )
  const endpoint = await world.anEndpoint(receiver.origin)
  await world.happens()
  const dispatcher = await world.dispatcher()
  await expect.poll(() => receiver.received.length).toBe(1)
  const stopped = dispatcher.stop(10_000)
  await world.happens()
  held.resolve()
  await stopped
  expect(await listDeliveries(world.db, endpoint, all)).toMatchObject([
    { status: 'pending' },
    { status: 'delivered' },
  ])
  expect(receiver.received).toHaveLength(1)
})

test('a disabled endpoint gets nothing; once enabled it gets what is recorded from then on', async () => {
  await using world = await openWebhookWorld()
  await using receiver = await openReceiver()
  const endpoint = await world.anEndpoint(receiver.origin)
  await world.happens()
  await disable(world.parts, endpoint)
  const dispatcher = await world.dispatcher()
  await world.happens()
  await world.settled(dispatcher)
  expect(receiver.received).toEqual([])
  expect(await listDeliveries(world.db, endpoint, all)).toMatchObject([
    { status: 'failed', error: 'endpoint_disabled' },
  ])

  await enable(world.parts, endpoint)
  const later = await world.happens()
  await world.settled(dispatcher)
  expect(receiver.received.map(({ headers }) => headers['x-service-event-id'])).toEqual([later])
})

test('what cannot be given up keeps nothing from being replayed', async () => {
  await using world = await openWebhookWorld()
  await using receiver = await openReceiver()
  await world.anEndpoint(`${receiver.origin}/recovered`, ['post.published'], true)
  const failed = await world.happens('published')
  await world.db`update delivery set status = 'failed', error = 'timeout', settled_at = now()`
  const disabled = await world.anEndpoint(`${receiver.origin}/disabled`, ['post.failed'])
  await world.happens('failed')
  await world.db`
    update endpoint set status = 'disabled', disabled_reason = 'failing' where id = ${disabled.endpointId}`
  await world.db.script(`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'not today'; end $$;
    create trigger refused before update on delivery for each row when (new.error = 'endpoint_disabled') execute function refuse();`)
  await world.dispatcher({ leaseMs: 600 })
  await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(1)
  expect(receiver.received.map(({ headers }) => headers['x-service-event-id'])).toEqual([failed])
  expect(await listDeliveries(world.db, disabled, all)).toMatchObject([{ status: 'pending' }])
})

test('an endpoint that was disabled during a sending is owed no retry', async () => {
  await using world = await openWebhookWorld()
  const held = Promise.withResolvers<void>()
  await using receiver = await openReceiver(
    (_, response) => void held.promise.then(() => response.writeHead(500).end()),
  )
  const endpoint = await world.anEndpoint(receiver.origin)
  await world.happens()
  await world.dispatcher()
  await expect.poll(() => receiver.received.length).toBe(1)
  await disable(world.parts, endpoint)
  held.resolve()
  await expect.poll(async () => (await listDeliveries(world.db, endpoint, all))[0]?.status).toBe('failed')
})

test('an endpoint that has failed for five days and lost five deliveries is disabled, with a notice', async () => {
  await using world = await openWebhookWorld()
  await using receiver = await openReceiver((_, response) => response.writeHead(404).end())
  const endpoint = await world.anEndpoint(receiver.origin)
  const dispatcher = await world.dispatcher()
  for (let n = 0; n < 6; n++) await world.happens()
  await world.settled(dispatcher)
  expect(await findEndpoint(world.db, endpoint)).toMatchObject({ status: 'active' })

  await world.db`update endpoint set failing_since = now() - interval '5 days'`
  await world.happens()
  await world.settled(dispatcher)
  expect(await findEndpoint(world.db, endpoint)).toMatchObject({
    status: 'disabled',
    disabledReason: 'failing',
  })
  expect(world.log.filter(({ msg }) => String(msg).includes('was disabled'))).toMatchObject([
    { level: 'warn', endpointId: endpoint.endpointId },
  ])
})

test('single messages lost far apart do not switch an endpoint off, and a success ends its failing', async () => {
  await using world = await openWebhookWorld()
  let status = 404
  await using receiver = await openReceiver((_, response) => response.writeHead(status).end())
  const endpoint = await world.anEndpoint(receiver.origin)
  const dispatcher = await world.dispatcher()
  await world.happens()
  await world.settled(dispatcher)
  await world.db`update endpoint set failing_since = now() - interval '30 days'`
  await world.happens()
  await world.settled(dispatcher)
  expect(await findEndpoint(world.db, endpoint)).toMatchObject({
    status: 'active',
    failingSince: expect.any(Date),
  })
  status = 204
  await world.happens()
  await world.settled(dispatcher)
  expect(await findEndpoint(world.db, endpoint)).toMatchObject({ status: 'active', failingSince: null })
})

test('after a rotation both secrets sign for 24 hours, and then only the new one', async () => {
  await using world = await openWebhookWorld()
  await using receiver = await openReceiver()
  const endpoint = await world.anEndpoint(receiver.origin)
  const rotated = await rotateSecret(world.parts, endpoint, { atOnce: false })
  if ('refused' in rotated) throw new Error(rotated.refused)
  const hours = (rotated.overlapUntil!.getTime() - Date.now()) / 3_600_000
  expect(hours).toBeGreaterThan(23.9)
  expect(hours).toBeLessThan(24.1)
  const dispatcher = await world.dispatcher()
  const signers = async () => {
    await world.happens()
    await world.settled(dispatcher)
    const request = receiver.received.at(-1)!
    return [isSigned(request, endpoint.secret), isSigned(request, rotated.secret)]
  }
  expect(await signers()).toEqual([true, true])
  expect(receiver.received.at(-1)?.headers['x-service-signature']).toMatch(
    /^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/,
  )
  await world.db`update endpoint_secret set retires_at = now() where retires_at is not null`
  expect(await signers()).toEqual([false, true])
  await rotateSecret(world.parts, endpoint, { atOnce: true })
  expect(await signers()).toEqual([false, false])
})

test('secrets lie sealed in the database, and are in no log line', async () => {
  await using world = await openWebhookWorld()
  await using receiver = await openReceiver()
  const { secret } = await world.anEndpoint(receiver.origin)
  await world.happens()
  await world.settled(await world.dispatcher())
  const [row] = await world.db<{ sealed: Buffer }[]>`select sealed from endpoint_secret`
  expect(row?.sealed.includes(Buffer.from(secret.slice(6), 'base64'))).toBe(false)
  expect(row?.sealed.includes(secret.slice(6, 20))).toBe(false)
  const signature = receiver.received[0]!.headers['x-service-signature']!
  const log = JSON.stringify(world.log)
  expect(log).toContain('"move":"confirm"')
  expect(log).not.toContain(secret.slice(6))
  expect(log).not.toContain(signature.slice(-64))
  expect(log).not.toContain('postId')
})

test('secrets that no key opens fail the delivery, and nothing unsigned is sent', async () => {
  await using world = await openWebhookWorld()
  await using receiver = await openReceiver()
  const endpoint = await world.anEndpoint(receiver.origin)
  await world.db`update endpoint_secret set sealed = ${Buffer.alloc(60, 1)}`
  await world.happens()
  await world.settled(await world.dispatcher())
  expect(receiver.connections()).toBe(0)
  expect(await listDeliveries(world.db, endpoint, all)).toMatchObject([
    { status: 'failed', error: 'secret_unreadable' },
  ])
})

test('what is pending goes to the address the endpoint has by then', async () => {
  await using world = await openWebhookWorld()
  await using receiver = await openReceiver()
  const endpoint = await world.anEndpoint(`${receiver.origin}/old`)
  await world.happens()
  await updateEndpoint(world.parts, endpoint, { url: `${receiver.origin}/new` })
  await world.settled(await world.dispatcher())
  expect(receiver.received.map(({ path }) => path)).toEqual(['/new'])
})

test('two dispatchers share the work, and deliver nothing twice', async () => {
  await using world = await openWebhookWorld()
  await using receiver = await openReceiver()
  for (let n = 0; n < 10; n++) await world.anEndpoint(`${receiver.origin}/${n}`)
  const [one] = [await world.dispatcher(), await world.dispatcher()]
  for (let n = 0; n < 40; n++)
    await world.db.begin((tx) =>
      announce(
        tx,
        Array.from({ length: 5 }, () => aChange(world.workspaceId, 'published')),
      ),
    )
  await world.settled(one)
  expect(receiver.received).toHaveLength(2_000)
  expect(
    new Set(receiver.received.map(({ path, headers }) => `${path} ${headers['x-service-event-id']}`)).size,
  ).toBe(2_000)
})

test('one endpoint that hangs, with a large backlog, does not hold up another', async () => {
  await using world = await openWebhookWorld()
  await using hanging = await openReceiver(() => undefined)
  await using healthy = await openReceiver()
  await world.anEndpoint(hanging.origin, ['post.failed'])
  await world.anEndpoint(healthy.origin, ['post.published'])
  await world.db.begin((tx) =>
    announce(
      tx,
      Array.from({ length: 2_000 }, () => aChange(world.workspaceId, 'failed')),
    ),
  )
  await world.dispatcher({ concurrency: 16 })
  await expect.poll(() => hanging.received.length).toBeGreaterThan(0)
  for (let n = 0; n < 20; n++) await world.happens('published')
  await expect.poll(() => healthy.received.length, { timeout: 20_000 }).toBe(20)
  expect(hanging.received.length).toBeLessThan(20)
})

test('a person may send a delivery again, in a new round of attempts', async () => {
  await using world = await openWebhookWorld()
  let status = 400
  await using receiver = await openReceiver((_, response) => response.writeHead(status).end())
  const endpoint = await world.anEndpoint(receiver.origin)
  const eventId = await world.happens()
  const dispatcher = await world.dispatcher()
  await world.settled(dispatcher)
  status = 200
  expect(await resend(world.parts, { ...endpoint, eventId })).toBeNull()
  await world.settled(dispatcher)
  expect(new Set(receiver.received.map(({ body }) => body.toString())).size).toBe(1)
  expect(await listDeliveries(world.db, endpoint, all)).toMatchObject([
    { status: 'delivered', round: 2, attempts: 1 },
  ])
  const attempts = await listAttempts(world.db, { ...endpoint, eventId })
  expect(attempts).toMatchObject([
    { round: 1, number: 1, httpStatus: 400 },
    { round: 2, number: 1, httpStatus: 200 },
  ])
})

test('a dispatcher that cannot subscribe begins nothing, and leaves nothing running', async () => {
  await using world = await openWebhookWorld()
  const statements: string[] = []
  const deaf = openDb({
    url: world.databaseUrl,
    listenUrl: 'postgresql://nobody@127.0.0.1:9/nothing',
    applicationName: 'deaf',
    onStatement: ({ text }) => void statements.push(text),
  })
  onTestFinished(() => deaf.end())
  await expect(world.dispatcher({ db: deaf })).rejects.toThrow('ECONNREFUSED')
  expect(statements).toEqual([])
})

test('events that no endpoint wants lead to a look for what is due, and to no claim', async () => {
  await using world = await openWebhookWorld()
  const statements: string[] = []
  const db = openDb({
    url: world.databaseUrl,
    applicationName: 'dispatcher',
    onStatement: ({ text }) => void statements.push(text),
  })
  onTestFinished(() => db.end())
  const claims = () => statements.filter((text) => text.includes('rotation as')).length
  const looks = () => statements.filter((text) => text.includes('min(head.next_at)')).length
  await world.dispatcher({ db })
  await expect.poll(looks).toBeGreaterThan(0)
  const [claimedAtFirst, lookedAtFirst] = [claims(), looks()]

  await world.happens()
  await expect.poll(looks).toBeGreaterThan(lookedAtFirst)

  expect(claims()).toBe(claimedAtFirst)
})

test('the dispatcher goes on after the database was away', async () => {
  await using world = await openWebhookWorld()
  await using receiver = await openReceiver()
  await world.anEndpoint(receiver.origin)
  const dispatcher = await world.dispatcher()
  await world.happens()
  await world.settled(dispatcher)
  await dropConnections(world)
  await delay(50)
  await world.happens()
  await expect.poll(() => receiver.received.length, { timeout: 10_000 }).toBe(2)
})

async function dropConnections(world: WebhookWorld): Promise<void> {
  await world.db`
    select pg_terminate_backend(pid)
    from   pg_stat_activity
    where  datname = current_database() and application_name = 'dispatcher'`
}

test('the next delivery is due in its time, now when that is over, and never when none is pending', async () => {
  await using world = await openWebhookWorld()
  await world.anEndpoint('https://one.example')
  await world.anEndpoint('https://two.example')
  expect(await nextDueInMs(world.db)).toBeNull()
  await world.happens()
  expect(await nextDueInMs(world.db)).toBe(0)
  await world.db`update delivery set next_at = now() + interval '10 minutes'`
  const dueInMs = await nextDueInMs(world.db)
  expect(dueInMs).toBeGreaterThan(500_000)
  expect(dueInMs).toBeLessThanOrEqual(600_000)
  await world.db`update delivery set status = 'delivered', settled_at = now()`
  expect(await nextDueInMs(world.db)).toBeNull()
})
