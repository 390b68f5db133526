import { expect, test } from 'vitest'
import {
  aChannel,
  announced,
  anApi,
  aWorkspace,
  openTransaction,
  untilBlocked,
  type AWorkspace,
} from '../../../test/rigs/fixtures.ts'
import { plantMany } from '../../../test/rigs/plant-many.ts'
import {
  armed,
  duePost,
  ending,
  settlementOf,
  storeOn,
  untilLocked,
} from '../../../test/rigs/publishing-store.ts'
import { overlookedChannels } from '../../../test/simulation/store-twins.ts'
import { openWorld } from '../../../test/rigs/world.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { decideOutcome } from '../publication/decide-outcome.ts'
import type { Conclusion, EngineStore, Work } from './work.ts'
import { outageStore, recoverNetworks, type OutageScope } from './outage-store.ts'

const origin = 'https://network.test'

type Place = { workspace: AWorkspace; channelId: string }

/** Workspaces with so many channels each on one network, and a post that is due on every channel. */
async function openNetwork(accounts: readonly number[]) {
  await using opened = new AsyncDisposableStack()
  const world = opened.use(await openWorld())
  const { db } = world
  const places: Place[] = []
  for (const count of accounts) {
    const workspace = await aWorkspace(db)
    for (let n = 0; n < count; n += 1) {
      places.push({ workspace, channelId: await aChannel(db, workspace.workspaceId) })
    }
  }
  await db`update channel set provider_origin = ${origin}`
  for (const place of places) await due(db, place)
  const outages: OutageScope[] = []
  const recoveries: string[] = []
  const store = () => storeOn(db)
  const networks = outageStore(db, {
    onOutage: (scope) => outages.push(scope),
    onRecovery: (one) => recoveries.push(one),
  })
  const running = opened.move()
  return {
    db,
    places,
    outages,
    recoveries,
    store,
    networks,
    fails: ({ workspace, channelId }: Place, probe: string | null = null) =>
      networks.recordFailure({ origin, workspaceId: workspace.workspaceId, channelId, probe }),
    /** How long after what `act` does the outage is probed, in seconds of the schedule. */
    async probedAfter(act: () => Promise<unknown>): Promise<number> {
      const [before] = await db<{ now: Date }[]>`select clock_timestamp() as now`
      await act()
      const [row] = await db<{ probeAt: Date; now: Date }[]>`
        select probe_at as "probeAt", clock_timestamp() as now from network_outage`
      const [least, most] = [+row!.probeAt - +row!.now, +row!.probeAt - +before!.now + 1].map(
        (ms) => ms / 1_000,
      )
      return [1, 2, 5, 10, 20, 30].find((seconds) => seconds >= least! && seconds <= most!) ?? most!
    },
    plans: () => db<{ at: string }[]>`select probe_at::text as at from network_outage`,
    probeNow: () => db`update network_outage set probe_at = now()`,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

const due = (db: Db, { workspace, channelId }: Place) => duePost(db, workspace.workspaceId, [channelId])

const channelsOf = (works: readonly Work[]) => works.map(({ channelId }) => channelId).sort()

test('one account that fails again and again is no outage', async () => {
  await using network = await openNetwork([4])
  for (let n = 0; n < 20; n += 1) await network.fails(network.places[n % 2]!)
  expect(network.outages).toEqual([])
  expect(await network.store().claim(10)).toHaveLength(4)
})

test('failures of several accounts are an outage, unless some call succeeded or they are long ago', async () => {
  await using network = await openNetwork([4])
  const [one, two, three] = network.places as [Place, Place, Place]
  await network.fails(one)
  await network.fails(two)
  await network.networks.recordSuccess(origin)
  await network.fails(three)
  await network.fails(one)
  await network.db`update network_failure set failed_at = now() - interval '61 seconds'`
  await network.fails(two)
  expect(network.outages).toEqual([])
  await network.fails(three)
  await network.fails(one)
  expect(network.outages).toEqual([{ origin, workspaceId: one.workspace.workspaceId }])
})

test("the accounts of one workspace hold its own work, and nobody else's", async () => {
  await using network = await openNetwork([5, 2])
  const [mine, others] = [network.places.slice(0, 5), network.places.slice(5)]
  for (const place of mine) await network.fails(place)
  expect(channelsOf(await network.store().claim(10))).toEqual(others.map(({ channelId }) => channelId).sort())
})

test('the accounts of several workspaces together hold the work of all', async () => {
  await using network = await openNetwork([2, 1, 1])
  for (const place of network.places.slice(0, 3)) await network.fails(place)
  expect(network.outages).toEqual([{ origin, workspaceId: null }])
  expect(await network.store().claim(10)).toEqual([])
})

test('the same account in two workspaces is one account', async () => {
  await using network = await openNetwork([2, 2])
  const { db, places } = network
  await db`update channel set remote_account_id = case when id = any(${[places[0]!.channelId, places[2]!.channelId]}) then 'x' else 'y' end`
  for (const place of places) await network.fails(place)
  expect(network.outages).toEqual([])
})

test('what is held is not touched; one probe goes at its time, and each that fails is followed by a longer wait', async () => {
  await using network = await openNetwork([6])
  const { db, places, store } = network
  const waits = [
    await network.probedAfter(async () => {
      for (const place of places.slice(0, 3)) await network.fails(place)
    }),
  ]
  const rows = () => db`select id, status, fence, control_token, updated_at from destination order by id`
  const before = await rows()
  expect(await store().claim(10)).toEqual([])
  expect(await store().claimProbes(10)).toEqual([])
  expect(await rows()).toEqual(before)

  for (let n = 0; n < 6; n += 1) {
    await network.probeNow()
    const probes = [...(await store().claimProbes(10)), ...(await store().claimProbes(10))]
    expect(probes).toHaveLength(1)
    // Those that were not seen to fail go first.
    const { channelId, probe } = probes[0]!
    if (n < 3) expect(places.slice(3).map((place) => place.channelId)).toContain(channelId)
    const place = places.find((one) => one.channelId === channelId)!
    const after = await network.probedAfter(() => network.fails(place, probe))
    waits.push(after)
    // Calls that were under way when it began say nothing new.
    const [planned] = await network.plans()
    await network.fails(places[0]!)
    expect(await network.plans()).toEqual([planned])
    await db`
      update destination set status = 'scheduled', leased_by = null, lease_until = null where status = 'publishing'`
  }
  expect(waits).toEqual([1, 2, 5, 10, 20, 30, 30])
  expect(network.outages).toHaveLength(1)
})

test('a probe that made no call gives its turn back, and one that is never heard of lets another go', async () => {
  await using network = await openNetwork([4])
  const { db, places, store, networks } = network
  for (const place of places.slice(0, 3)) await network.fails(place)
  await network.probeNow()
  let probe: Work | undefined
  expect(await network.probedAfter(async () => ([probe] = await store().claimProbes(10)))).toBe(30)
  await networks.returnProbe(probe!.probe!)
  expect(await store().claimProbes(10)).toHaveLength(1)
  await db`update network_outage set probe_at = probe_at - interval '30 seconds'`
  expect(await store().claimProbes(10)).toHaveLength(1)
})

test('a success lets everything go on at once, and doubts are looked up', async () => {
  await using network = await openNetwork([4])
  const { db, places, store, networks } = network
  for (const place of places.slice(0, 3)) await network.fails(place)
  const [doubt] = await db<{ id: string }[]>`
    update destination set status = 'checking', due_at = now() + interval '1 hour', check_again_at = now() + interval '1 hour'
    where  channel_id = ${places[3]!.channelId} returning id`
  await networks.recordSuccess(origin)
  expect(network.recoveries).toEqual([origin])
  expect(await store().claim(10)).toHaveLength(3)
  expect(await db`select id from destination where status = 'checking' and due_at <= now()`).toEqual([doubt])
})

test('what cannot be written of one network is neither counted again for another one nor stops its recovery', async () => {
  await using network = await openNetwork([4])
  const { db, places, store, networks } = network
  for (const place of places.slice(0, 3)) await network.fails(place)
  await network.probeNow()
  const [probe] = await store().claimProbes(1)
  const [{ workspace, channelId }] = places as [Place]
  const broken = { origin: 'https://broken.test', workspaceId: workspace.workspaceId, channelId }
  await networks.recordFailure({ ...broken, probe: null })
  await db.script(`
    create function refuse_broken() returns trigger language plpgsql as $$ begin raise 'broken'; end $$;
    create trigger refuse_broken before update or delete on network_failure
      for each row when (old.origin = 'https://broken.test') execute function refuse_broken()`)

  const failures = await Promise.allSettled([
    network.fails(places[3]!, probe!.probe),
    networks.recordFailure({ ...broken, probe: null }),
  ])
  expect(failures.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  expect(await db`select probes from network_outage`).toEqual([{ probes: 1 }])

  const successes = await Promise.allSettled([
    networks.recordSuccess(origin),
    networks.recordSuccess(broken.origin),
  ])
  expect(successes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  expect(await db`select from network_recovery`).toEqual([])
})

/** Of a server that does not stop. */
const running = new AbortController().signal

/** So many channels that were postponed in an outage, with one destination each. */
async function postponedChannels(db: Db, channels: number): Promise<void> {
  const { workspaceId } = await aWorkspace(db)
  await plantMany(db, workspaceId, { channels, each: 1 })
  await db`update channel set provider_origin = ${origin}`
  await db`insert into network_outage (origin, probe_at) values (${origin}, now())`
  await db`update channel_queue set look_at = 'infinity'`
}

test('the end of an outage holds no more than a batch of channels up, and goes on where its process dies', async () => {
  await using world = await openWorld()
  const { db } = world
  await postponedChannels(db, 450)
  await db`
    update destination set status = 'checking', due_at = now() + interval '1 hour', check_again_at = now()
    where  id in (select id from destination order by workspace_id, channel_id limit 250)`
  const networks = outageStore(db, { onOutage: () => undefined, onRecovery: () => undefined })
  const [last] = await db<
    { id: string }[]
  >`select id from channel order by workspace_id desc, id desc limit 1`
  const claiming = await openTransaction(db)
  await claiming.tx`select from channel_queue where channel_id = ${last!.id} for update`

  await networks.recordSuccess(origin)
  expect((await db`select from network_recovery`).length).toBe(1)
  const recovering = recoverNetworks(db, running).catch(() => 'died')
  await untilBlocked(db)
  expect(await overlookedChannels(db)).toHaveLength(50)
  expect(await db`select from destination where status = 'checking' and due_at > now()`).toHaveLength(0)
  await db`
    select pg_terminate_backend(pid) from pg_stat_activity
    where  datname = current_database() and wait_event_type = 'Lock'`
  expect(await recovering).toBe('died')
  await claiming.rollback()
  await recoverNetworks(db, running)

  expect(await overlookedChannels(db)).toEqual([])
  expect(await db`select from network_recovery`).toEqual([])
})

test('a doubt that a command holds while its network comes back is looked up at once afterwards', async () => {
  await using network = await openNetwork([4])
  const { db, places, networks } = network
  for (const place of places.slice(0, 3)) await network.fails(place)
  await db`
    update destination set status = 'checking', due_at = now() + interval '1 hour', check_again_at = now() + interval '1 hour'
    where  channel_id = ${places[3]!.channelId}`
  const command = await openTransaction(db)
  await command.tx`select from destination for update`

  const recovered = networks.recordSuccess(origin)
  await untilLocked(db, 'of_channels')
  await command.rollback()

  await recovered
  expect(await db`select from destination where status = 'checking' and due_at <= now()`).toHaveLength(1)
})

test('an outage whose row is deleted, alone or during the recovery from another one, leaves no channel postponed', async () => {
  await using world = await openWorld()
  const { db } = world
  await postponedChannels(db, 3)
  await db`delete from network_outage`
  expect(await overlookedChannels(db)).toEqual([])

  await postponedChannels(db, 3)
  const [last] = await db<
    { id: string }[]
  >`select id from channel order by workspace_id desc, id desc limit 1`
  await db`
    insert into network_recovery (origin, after_workspace_id, after_channel_id)
    select ${origin}, workspace_id, id from channel where id = ${last!.id}`
  await db`delete from network_outage`
  await recoverNetworks(db, running)
  expect(await overlookedChannels(db)).toEqual([])
})

test('where the owner has to reconnect the channel, that is said during an outage, too', async () => {
  await using network = await openNetwork([4])
  const { db, places, store } = network
  for (const place of places.slice(0, 3)) await network.fails(place)
  await db`update channel set connection_status = 'reconnect_required' where id = ${places[3]!.channelId}`
  expect(channelsOf(await store().claim(10))).toEqual([places[3]!.channelId])
})

/* ---- what is announced ---- */

async function announcedTo({ db, places }: Awaited<ReturnType<typeof openNetwork>>): Promise<string[]> {
  const events = await announced(db, places[0]!.workspace.workspaceId)
  return events.map(({ type }) => type)
}

test('what is held for long is said once to be delayed, and says truly when it is tried', async () => {
  await using network = await openNetwork([4])
  const { db, places, store } = network
  await using api = await anApi(db)
  for (const place of places) await network.fails(place)
  expect(await store().claim(10)).toEqual([])
  expect(await store().announceHolds(10)).toBe(4)
  expect(await store().announceHolds(10)).toBe(0)
  expect(await announcedTo(network)).toEqual(Array(4).fill('post.delayed'))

  const [{ postId } = { postId: '' }] = await db<{ postId: string }[]>`
    select post_id as "postId" from destination limit 1`
  const again = async () => {
    const post = await api.read(places[0]!.workspace, postId)
    const { status, error, checkAgainAt } = post.destinations[0]!
    expect([status, error?.code]).toEqual(['delayed', 'provider_unavailable'])
    const [outage] = await db<{ at: Date }[]>`select probe_at as at from network_outage`
    return [checkAgainAt, outage!.at.toISOString()]
  }
  const [shown, probed] = await again()
  expect(shown).toBe(probed)
  await db`update network_outage set probe_at = now() + interval '30 seconds'`
  const [later, next] = await again()
  expect(later).toBe(next)
})

test('what is held by a pause of its channel is said once to be delayed', async () => {
  await using network = await openNetwork([1])
  const { db, store } = network
  await db`update channel set paused_until = now() + interval '10 minutes'`
  expect(await store().claim(10)).toEqual([])
  expect(await store().announceHolds(10)).toBe(1)
  expect(await announcedTo(network)).toEqual(['post.delayed'])
  expect(await db`select error ->> 'code' as code from destination`).toEqual([{ code: 'rate_limited' }])
})

test.each<[string, Conclusion[], number]>([
  [
    'the network',
    [
      { is: 'deferred', code: 'not_reached', afterMs: 0 },
      { is: 'deferred', code: 'provider_unavailable', afterMs: 0 },
      { is: 'deferred', code: 'not_reached', afterMs: 0 },
    ],
    1,
  ],
  [
    'another thing than before',
    [
      { is: 'deferred', code: 'not_reached', afterMs: 0 },
      { is: 'deferred', code: 'rate_limited', afterMs: 0 },
      { is: 'deferred', code: 'rate_limited', afterMs: 0 },
    ],
    2,
  ],
  [
    'the network again, after it was scheduled again',
    [
      { is: 'deferred', code: 'not_reached', afterMs: 0 },
      { is: 'absent' },
      { is: 'deferred', code: 'not_reached', afterMs: 0 },
    ],
    2,
  ],
])('tries that end in waiting for %s are announced as often as that is news', async (_, ends, count) => {
  await using network = await openNetwork([1])
  const { db } = network
  const store = network.store()
  for (const conclusion of ends) {
    await db`update channel set paused_until = null`
    const [work] = await store.claim(1)
    const attemptId = await armed(store, work!)
    expect(await store.settle(ending(work!, attemptId, conclusion))).toBe(true)
  }
  const delayed = (await announcedTo(network)).filter((type) => type === 'post.delayed')
  expect(delayed).toHaveLength(count)
})

test('claims, probes, settlements, holds and what calls showed never lock each other out', async () => {
  await using network = await openNetwork([6, 6])
  const { db, places, networks } = network
  for (let n = 0; n < 4; n += 1) for (const place of places) await due(db, place)
  for (const place of places) await network.fails(place)
  const repeat = async (act: (turn: number) => Promise<unknown>) => {
    for (let turn = 0; turn < 60; turn += 1) await act(turn)
  }
  const publish = (take: (store: EngineStore) => Promise<Work[]>) => {
    const store = network.store()
    return repeat(async () => {
      const works = await take(store)
      await Promise.all(
        works.map(async (work) => {
          const away = { is: 'deferred', code: 'not_reached', afterMs: 0 } as const
          const outcome = decideOutcome({ ...work, status: 'publishing', partIndex: 0 }, away, 0)
          await store.settle(settlementOf(work, null, outcome))
          const { workspaceId, channelId, probe } = work
          await networks.recordFailure({ origin, workspaceId, channelId, probe })
        }),
      )
    })
  }
  await Promise.all([
    publish((store) => store.claim(8)),
    publish((store) => store.claim(8)),
    publish((store) => store.claimProbes(8)),
    repeat(() => network.store().announceHolds(8)),
    repeat((turn) => (turn % 6 === 5 ? networks.recordSuccess(origin) : network.probeNow())),
    repeat(
      () => db`
      update destination set status = 'checking', due_at = now() + interval '1 hour'
      where  id = (select id from destination where status = 'scheduled' order by id limit 1 for no key update skip locked)`,
    ),
  ])
  await networks.recordSuccess(origin)
  expect(network.recoveries.length).toBeGreaterThan(0)
  expect(await db`select from destination where status = 'publishing'`).toEqual([])
})

test('what many calls show of one network at once leaves the connections to others', async () => {
  await using network = await openNetwork([30])
  const { db, places } = network
  // Another process is writing what it has seen of the network.
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const { promise: taken, resolve: taking } = Promise.withResolvers<void>()
  const other = db.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended('postrider network ' || ${origin}, 0))`
    taking()
    await held
  })
  await taken
  const telling = places.flatMap((place) => [network.fails(place), network.networks.recordSuccess(origin)])
  // Connections are still free for whoever publishes on another network.
  await Promise.all(Array.from({ length: 20 }, () => db`select`))
  const waiting = await db`select from pg_locks where locktype = 'advisory' and not granted`
  expect(waiting.length).toBeLessThanOrEqual(2)
  release()
  await Promise.all([other, ...telling])
})
