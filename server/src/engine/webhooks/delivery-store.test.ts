import { expect, onTestFinished, test } from 'vitest'
import { explained, mostRows, statementOf } from '../../../test/rigs/query-plan.ts'
import { openWebhookWorld, type WebhookWorld } from '../../../test/rigs/webhook-world.ts'
import { abandonDisabled, claim, complete, requeueLost, type ClaimOptions } from './delivery-store.ts'
import { listAttempts, resendDelivery } from './delivery-log-store.ts'
import { disableEndpoint, type EndpointKey } from './endpoint-store.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { NIL_UUID } from '../../platform/text/nil-uuid.ts'
import { pruneDeliveries } from './delivery-retention-store.ts'

const claiming: ClaimOptions = {
  limit: 64,
  perEndpoint: 64,
  favoured: { endpointIds: [], perEndpoint: 64 },
  failing: false,
  after: NIL_UUID,
  except: [],
  leaseMs: 60_000,
}

/** Deliveries to one endpoint, of which the older half was settled long ago and a tenth is still pending. */
async function openFullWorld(deliveries: number): Promise<WebhookWorld> {
  const world = await openWebhookWorld()
  onTestFinished(() => world[Symbol.asyncDispose]())
  const { workspaceId, endpointId } = await world.anEndpoint('http://127.0.0.1:9/')
  await world.db`
    insert into delivery (workspace_id, endpoint_id, event_id, event_type, status, settled_at, created_at)
    select ${workspaceId}, ${endpointId}, uuidv7(), 'post.published',
           case when n % 10 = 0 then 'pending' else 'delivered' end,
           case when n % 10 > 0 then now() - interval '1 day' * (${deliveries} - n) end,
           now() - interval '1 day' * (${deliveries} - n)
    from   generate_series(1, ${deliveries}::int) n`
  await world.db`vacuum analyze delivery`
  return world
}

test('claims, ends and removals of deliveries read their own rows alone, among many others', async () => {
  const world = await openFullWorld(10_000)
  const statements = {
    claim: await statementOf(world, 'with recursive ahead', (db) => claim(db, claiming)),
    complete: await statementOf(world, 'with given as', async (db) => {
      const claims = await claim(db, claiming)
      const completions = claims.map((claimed) => ({
        ...claimed,
        httpStatus: 204,
        durationMs: 1,
        decision: { move: 'confirm', error: null } as const,
      }))
      const stored = await complete(db, completions, { failingMs: 1, lostAtLeast: 5 })
      expect(stored).toEqual(claims.map(() => ({ stored: 'settled', disabled: false })))
    }),
    remove: await statementOf(world, 'delete from delivery', (db) => pruneDeliveries(db, 5_000, 500)),
  }
  for (const statement of Object.values(statements)) {
    const plan = (await explained(world.db, statement)).join('\n')
    expect(plan).toContain('Tid Scan on delivery')
    expect(plan).not.toContain('Seq Scan on delivery')
    // All active endpoints, for each that is owed something.
    expect(plan).not.toContain('endpoint_active')
  }
})

test('what is pending for disabled endpoints is given up in batches, which wait for no other dispatcher', async () => {
  const world = await openFullWorld(10_000)
  expect(await abandonDisabled(world.db, 400)).toBe(0)
  await world.db`update endpoint set status = 'disabled', disabled_reason = 'failing'`
  const statement = await statementOf(world, 'endpoint_disabled', (db) => abandonDisabled(db, 400))
  expect(mostRows(await explained(world.db, statement, { byIndex: true }))).toBeLessThanOrEqual(400)

  await world.db.begin(async (other) => {
    await other`select from delivery where status = 'pending' limit 1 for no key update`
    expect([await abandonDisabled(world.db, 400), await abandonDisabled(world.db, 400)]).toEqual([400, 199])
  })
  expect([await abandonDisabled(world.db, 400), await abandonDisabled(world.db, 400)]).toEqual([1, 0])
  expect(
    await world.db`select error, count(*)::int from delivery where status = 'failed' group by error`,
  ).toEqual([{ error: 'endpoint_disabled', count: 1_000 }])
})

test('an attempt that outlived its delivery does not stop those of a delivery that a replay made anew', async () => {
  const world = await openFullWorld(10)
  const attempt = () => world.db`
    insert into delivery_attempt (workspace_id, endpoint_id, event_id, round, number, ended_at, error)
    select workspace_id, endpoint_id, event_id, round, 1, now() - interval '40 days', 'timeout' from delivery`
  await attempt()
  const claimed = await claim(world.db, claiming)
  expect(claimed).toHaveLength(1)
  await world.db`update delivery set lease_until = now() where status = 'sending'`

  expect(await requeueLost(world.db, 100)).toBe(1)

  expect(
    await world.db`select error from delivery_attempt where ended_at > now() - interval '1 day'`,
  ).toEqual([{ error: 'interrupted' }])
})

test('who disables an endpoint waits for a bounded part of what is pending for it, and a dispatcher gives up the rest', async () => {
  const world = await openFullWorld(15_000)
  const [key] = await world.db<EndpointKey[]>`
    select workspace_id as "workspaceId", id as "endpointId" from endpoint`
  const left = async () => (await world.db`select from delivery where status = 'pending'`).length

  expect(await disableEndpoint(world.db, key!)).toMatchObject({ status: 'disabled' })

  expect(await left()).toBe(500)
  expect(await claim(world.db, claiming)).toEqual([])
  expect(await abandonDisabled(world.db, 1_000)).toBe(500)
})

test('no trigger sends a notification: commits that carry one wait for each other', async () => {
  const world = await openWebhookWorld()
  onTestFinished(() => world[Symbol.asyncDispose]())
  const triggers = await world.db<{ name: string; notifies: boolean }[]>`
    select distinct p.proname as name, p.prosrc ~* 'notify' as notifies
    from   pg_trigger t
    join   pg_proc p on p.oid = t.tgfoid
    where  not t.tgisinternal`
  expect(triggers.filter(({ notifies }) => notifies)).toEqual([])
  expect(triggers.map(({ name }) => name)).toContain('follow_destinations')
})

test('a claim writes into the pages of its deliveries, and into no index', async () => {
  const world = await openFullWorld(1_000)
  const updates = await world.db.begin(async (tx) => {
    const claims = await claim(tx as unknown as Db, claiming)
    const [row] = await tx<{ all: number; inPlace: number }[]>`
      select pg_stat_get_xact_tuples_updated('delivery'::regclass)::int as all,
             pg_stat_get_xact_tuples_hot_updated('delivery'::regclass)::int as "inPlace"`
    return { claimed: claims.length, ...row }
  })
  expect(updates).toEqual({ claimed: 64, all: 64, inPlace: 64 })
})

test('an attempt counts from its claim on: five dispatchers that die with it leave no sixth', async () => {
  const world = await openFullWorld(1)
  await world.db`update delivery set status = 'pending', settled_at = null`
  const attempts: number[] = []
  for (let death = 0; death < 5; death++) {
    const [claimed] = await claim(world.db, claiming)
    attempts.push(claimed!.attempt)
    await world.db`update delivery set lease_until = now() where lease_until is not null`
    expect(await requeueLost(world.db, 100)).toBe(1)
    await world.db`update delivery set next_at = now() where settled_at is null`
  }
  expect(attempts).toEqual([1, 2, 3, 4, 5])
  expect(await claim(world.db, claiming)).toEqual([])
  expect(await world.db`select status, attempts, error from delivery`).toEqual([
    { status: 'failed', attempts: 5, error: 'interrupted' },
  ])
  expect(
    await world.db`select number from delivery_attempt where error = 'interrupted' order by number`,
  ).toEqual(attempts.map((number) => ({ number })))
})

test('what is in flight counts also where something that was due before it comes later', async () => {
  const world = await openFullWorld(100)
  const two = { ...claiming, perEndpoint: 2 }
  expect(await claim(world.db, two)).toHaveLength(2)
  await world.db`
    update delivery set next_at = now() - interval '1 year'
    where event_id = any(array(select event_id from delivery where status = 'pending' limit 2))`
  expect(await claim(world.db, two)).toEqual([])
})

test('the attempt that settled a delivery is listed with the others, also after a further round began', async () => {
  const world = await openWebhookWorld()
  onTestFinished(() => world[Symbol.asyncDispose]())
  await world.anEndpoint('http://127.0.0.1:9/')
  await world.happens()
  const [claimed] = await claim(world.db, claiming)
  const key = claimed!
  const decision = { move: 'exhaust', error: 'http_status' } as const
  const policy = { failingMs: 1, lostAtLeast: 5 }
  await complete(world.db, [{ ...key, httpStatus: 410, durationMs: 7, decision }], policy)
  const first = {
    round: 1,
    number: 1,
    endedAt: expect.any(Date),
    durationMs: 7,
    httpStatus: 410,
    error: 'http_status',
  }
  expect(await listAttempts(world.db, key)).toEqual([first])
  const before = await listAttempts(world.db, key)

  expect(await resendDelivery(world.db, key)).toBe(true)

  expect(await listAttempts(world.db, key)).toEqual(before)
})
