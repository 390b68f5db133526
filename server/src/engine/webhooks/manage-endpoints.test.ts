import { deliveryStatuses, disabledReasons, endpointStatuses } from './delivery-states.ts'
import { allEventTypeNames, eventTypeNames, PostEvent, postEventTypeNames } from '@postrider/contract'
import Value from 'typebox/value'
import { expect, test } from 'vitest'
import { openReceiver } from '../../../test/rigs/receiver.ts'
import { openWebhookWorld, type WebhookWorld } from '../../../test/rigs/webhook-world.ts'
import { listDeliveries } from './delivery-log-store.ts'
import { pruneDeliveries, pruneDeliveryAttempts, pruneEvents } from './delivery-retention-store.ts'
import { findEndpoint, listEndpoints } from './endpoint-store.ts'
import {
  createEndpoint,
  MAX_ENDPOINTS,
  replay,
  resend,
  rotateSecret,
  sendTest,
  disable,
  enable,
  updateEndpoint,
} from './manage-endpoints.ts'
import { attemptErrors, MAX_ATTEMPTS } from './retry-policy.ts'
import { sampleEvent } from './sample-event.ts'

const all = { status: null, limit: 100, before: null }
const nobody = '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'
const strict = { httpsOnly: true, trustedOrigins: [], trustedNetworks: [] }

function refusedBy(
  world: WebhookWorld,
  wanted: { url?: string; eventTypes?: string[]; description?: string },
) {
  return createEndpoint({ ...world.parts, rules: strict }, world.workspaceId, {
    url: 'https://hooks.example.com/in',
    eventTypes: ['post.published'],
    description: '',
    ...wanted,
  })
}

test('an endpoint is created with a secret of its own, and its address in the normal form', async () => {
  await using world = await openWebhookWorld()
  const one = await refusedBy(world, {
    url: 'HTTPS://Hooks.Example.com:443/in',
    eventTypes: ['post.failed', 'post.failed'],
  })
  const other = await refusedBy(world, {})
  if ('refused' in one || 'refused' in other) throw new Error('refused')
  expect(one.endpoint).toMatchObject({
    url: 'https://hooks.example.com/in',
    eventTypes: ['post.failed'],
    status: 'active',
  })
  expect(one.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(one.secret).not.toBe(other.secret)
  expect(JSON.stringify(await listEndpoints(world.db, world.workspaceId))).not.toContain('whsec_')
})

test.each([
  [{ url: 'http://hooks.example.com/' }, 'https://'],
  [{ url: 'https://10.0.0.1/' }, 'public address'],
  [{ url: 'https://user:pass@hooks.example.com/' }, 'password'],
  [{ url: 'nonsense' }, 'complete URL'],
  [{ eventTypes: [] }, 'at least one'],
  [{ eventTypes: ['post.published', 'post.publised'] }, 'post.publised is not an event type'],
  [{ description: 'x'.repeat(201) }, '200 characters'],
])('creating with %j is refused', async (wanted, words) => {
  await using world = await openWebhookWorld()
  const refusal = await refusedBy(world, wanted)
  expect('refused' in refusal && refusal.refused).toContain(words)
  expect(JSON.stringify(refusal)).not.toContain('user:pass')
  expect(await listEndpoints(world.db, world.workspaceId)).toEqual([])
})

test('an edit is checked as a creation is', async () => {
  await using world = await openWebhookWorld()
  const key = await world.anEndpoint('https://hooks.example.com/')
  const parts = { ...world.parts, rules: strict }
  expect(await updateEndpoint(parts, key, { url: 'https://169.254.169.254/' })).toMatchObject({
    refused: expect.any(String),
  })
  expect(await updateEndpoint(parts, key, { eventTypes: ['nothing'] })).toMatchObject({
    refused: expect.any(String),
  })
  expect(
    await updateEndpoint(parts, key, { url: 'https://new.example.com/', description: 'x' }),
  ).toMatchObject({
    url: 'https://new.example.com/',
    description: 'x',
    eventTypes: eventTypeNames,
  })
})

test('a workspace has a bounded number of endpoints, also when many are created at once', async () => {
  await using world = await openWebhookWorld()
  const made = await Promise.all(Array.from({ length: MAX_ENDPOINTS + 10 }, () => refusedBy(world, {})))
  expect(made.filter((each) => 'refused' in each)).toHaveLength(10)
})

test("another workspace's endpoint is as unknown as one that does not exist", async () => {
  await using world = await openWebhookWorld()
  const { endpointId } = await world.anEndpoint('https://hooks.example.com/')
  for (const key of [
    { workspaceId: nobody, endpointId },
    { workspaceId: world.workspaceId, endpointId: nobody },
  ]) {
    const answers = [
      await updateEndpoint(world.parts, key, { description: 'mine' }),
      await rotateSecret(world.parts, key, { atOnce: true }),
      await disable(world.parts, key),
      await enable(world.parts, key),
      await sendTest(world.parts, key, null),
      await resend(world.parts, { ...key, eventId: nobody }),
      await replay(world.parts, key, { since: new Date(0), onlyFailed: false }),
    ]
    for (const answer of answers)
      expect(answer).toEqual({ refused: 'Endpoint not found in this workspace.', unknown: true })
  }
})

test.each(eventTypeNames)(
  'a test event %s arrives like a real one, and is no part of the history',
  async (type) => {
    await using world = await openWebhookWorld()
    await using receiver = await openReceiver()
    const key = await world.anEndpoint(receiver.origin, [type])
    await world.anEndpoint(`${receiver.origin}/other`)
    const sent = await sendTest(world.parts, key, null)
    if ('refused' in sent) throw new Error(sent.refused)
    await world.settled(await world.dispatcher())
    expect(receiver.received).toHaveLength(1)
    const event = JSON.parse(receiver.received[0]!.body.toString()) as object
    expect(event).toMatchObject({ id: sent.eventId, type, data: { destination: { provider: 'test' } } })
    expect('checkAgainAt' in event).toBe(type === 'post.delayed')
    expect(await world.db`select from outbox_event`).toHaveLength(0)
  },
)

test('a test event has a type that its endpoint subscribes to', async () => {
  await using world = await openWebhookWorld()
  const all = await world.anEndpoint('https://hooks.example.com/all')
  const some = await world.anEndpoint('https://hooks.example.com/some', ['post.failed', 'post.expired'])
  expect(await sendTest(world.parts, all, null)).toMatchObject({ type: 'post.published' })
  expect(await sendTest(world.parts, some, null)).toMatchObject({ type: 'post.failed' })
  expect(await sendTest(world.parts, some, 'post.expired')).toMatchObject({ type: 'post.expired' })
  expect(await sendTest(world.parts, some, 'post.published')).toEqual({
    refused: 'The endpoint does not subscribe to post.published. It subscribes to post.failed, post.expired.',
  })
  expect(await world.db`select from delivery`).toHaveLength(3)
})

test('replay sends everything of the chosen types since a time, also what was recorded without the endpoint', async () => {
  await using world = await openWebhookWorld()
  await using receiver = await openReceiver()
  const old = await world.happens('published', { at: new Date(Date.now() - 3_600_000) })
  const before = await world.happens('published')
  await world.happens('failed')
  const key = await world.anEndpoint(receiver.origin, ['post.published'])
  const after = await world.happens('published')
  const dispatcher = await world.dispatcher()
  await world.settled(dispatcher)
  const ids = () => receiver.received.map(({ headers }) => headers['x-service-event-id'])
  expect(ids()).toEqual([after])

  const since = new Date(Date.now() - 1_800_000)
  expect(await replay(world.parts, key, { since, onlyFailed: false })).toEqual({ count: 2 })
  await world.settled(dispatcher)
  expect(new Set(ids().slice(1))).toEqual(new Set([before, after]))
  expect(ids()).not.toContain(old)
})

test('replay of failed ones leaves those alone that were delivered', async () => {
  await using world = await openWebhookWorld()
  let status = 204
  await using receiver = await openReceiver((_, response) => response.writeHead(status).end())
  const key = await world.anEndpoint(receiver.origin)
  const dispatcher = await world.dispatcher()
  await world.happens()
  await world.settled(dispatcher)
  status = 410
  const lost = await world.happens()
  await world.settled(dispatcher)
  status = 204
  expect(await replay(world.parts, key, { since: new Date(0), onlyFailed: true })).toEqual({ count: 1 })
  await world.settled(dispatcher)
  expect(receiver.received.at(-1)?.headers['x-service-event-id']).toBe(lost)
  expect(await listDeliveries(world.db, key, { ...all, status: 'failed' })).toEqual([])
})

test('what is being sent right now is not sent again beside it, and a disabled endpoint gets nothing again', async () => {
  await using world = await openWebhookWorld()
  const key = await world.anEndpoint('https://hooks.example.com/')
  const eventId = await world.happens()
  await world.db`update delivery set status = 'sending', attempts = 1, lease_until = now() + interval '1 minute'`
  expect(await resend(world.parts, { ...key, eventId })).toMatchObject({
    refused: expect.stringContaining('right now'),
  })
  expect(await replay(world.parts, key, { since: new Date(0), onlyFailed: false })).toEqual({ count: 0 })
  await disable(world.parts, key)
  const disabled = { refused: 'The endpoint is disabled. Enable it first.' }
  expect(await resend(world.parts, { ...key, eventId })).toEqual(disabled)
  expect(await sendTest(world.parts, key, null)).toEqual(disabled)
})

test('secrets of many rotations sign side by side, but not without bound', async () => {
  await using world = await openWebhookWorld()
  const key = await world.anEndpoint('https://hooks.example.com/')
  const rotate = () => rotateSecret(world.parts, key, { atOnce: false })
  for (let n = 0; n < 3; n++)
    expect(await rotate()).toMatchObject({ secret: expect.stringMatching(/^whsec_/) })
  expect(await rotate()).toMatchObject({ refused: expect.stringContaining('4 secrets are already in use') })
  expect(await rotateSecret(world.parts, key, { atOnce: true })).toMatchObject({ overlapUntil: null })
  expect(await world.db`select from endpoint_secret`).toHaveLength(1)
})

test('pruning removes what is past its time, and no event that is still owed', async () => {
  await using world = await openWebhookWorld()
  const key = await world.anEndpoint('https://hooks.example.com/')
  const [settled, pending, fresh] = [await world.happens(), await world.happens(), await world.happens()]
  const long = world.db`now() - interval '31 days'`
  await world.db`update outbox_event set created_at = ${long} where id in (${settled}, ${pending})`
  await world.db`update delivery set created_at = ${long} where event_id in (${settled}, ${pending})`
  await world.db`
    update delivery set status = 'delivered', settled_at = created_at, attempts = 1 where event_id in (${settled}, ${fresh})`
  await world.db`
    insert into delivery_attempt (workspace_id, endpoint_id, event_id, round, number, ended_at)
    select workspace_id, endpoint_id, event_id, 1, 1, created_at from delivery where status = 'delivered'`

  for (const prune of [pruneDeliveryAttempts, pruneDeliveries, pruneEvents])
    expect([await prune(world.db, 30, 1), await prune(world.db, 30, 1)]).toEqual([1, 0])
  const left = await world.db<{ id: string }[]>`select id from outbox_event order by seq`
  expect(left.map(({ id }) => id)).toEqual([pending, fresh])
  expect((await listDeliveries(world.db, key, all)).map(({ eventId }) => eventId)).toEqual([fresh, pending])
  expect(await world.db`select from delivery_attempt`).toHaveLength(1)
})

test('an event that was pruned before its delivery is given up, and no empty body is signed and sent', async () => {
  await using world = await openWebhookWorld()
  await using receiver = await openReceiver()
  const key = await world.anEndpoint(receiver.origin)
  const eventId = await world.happens()
  await world.db`delete from outbox_event where id = ${eventId}`
  await world.settled(await world.dispatcher())
  expect(receiver.received).toEqual([])
  expect(await listDeliveries(world.db, key, all)).toMatchObject([
    { eventId, status: 'failed', attempts: 1, error: 'event_pruned', httpStatus: null },
  ])
  expect(await findEndpoint(world.db, key)).toMatchObject({ failingSince: null })
})

test.each(postEventTypeNames)('a test event %s is as documented', (type) => {
  const { body } = sampleEvent(type, '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11')
  expect(Value.Errors(PostEvent, JSON.parse(body.toString()))).toEqual([])
})

test('the tables and the database say the same', async () => {
  await using world = await openWebhookWorld()
  const listed = async (constraint: string) => {
    const [row] = await world.db<{ definition: string }[]>`
      select pg_get_constraintdef(oid) as definition from pg_constraint where conname = ${constraint}`
    return [...(row?.definition ?? '').matchAll(/'([^']+)'/g)].map((match) => match[1] ?? '').toSorted()
  }
  expect(await listed('delivery_status_check')).toEqual(Object.keys(deliveryStatuses).toSorted())
  expect(await listed('endpoint_status_check')).toEqual(Object.keys(endpointStatuses).toSorted())
  expect(await listed('endpoint_disabled_reason_check')).toEqual(Object.keys(disabledReasons).toSorted())
  expect(await listed('endpoint_event_types_check')).toEqual(allEventTypeNames.toSorted())
  expect(await listed('event_type')).toEqual(allEventTypeNames.toSorted())
  expect(MAX_ATTEMPTS).toBe(5)
  expect(Object.values(attemptErrors).every((words) => words.endsWith('.'))).toBe(true)
})
