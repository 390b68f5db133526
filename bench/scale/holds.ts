import { sweepConnected } from '../../server/src/engine/destinations/resume-channel.ts'
import type { Db } from '../../server/src/platform/postgres/db.ts'
import type { EngineStore } from '../../server/src/engine/queue/work.ts'
import { outageStore } from '../../server/src/engine/queue/outage-store.ts'
import { type Figure, median, milliseconds, whole } from '../measuring.ts'
import { openBeside, type Product } from '../product.ts'
import { type Place, seedChannels } from '../seeding.ts'
import { makeDue, storeOn, vacuum } from './claims.ts'
import { OVERDUE } from './scale.ts'

const BATCH = 500
/** How many batches of a backlog are measured. */
const BATCHES = 20
const AWAY = 'https://away.example'

/** What publishers do all the time beside claims, while so many destinations are held, wait to be connected, or expire. */
export async function measureHolds(product: Product): Promise<Figure[]> {
  return [
    ...(await measureOutage(product, OVERDUE / 6)),
    ...(await measurePause(product, OVERDUE)),
    ...(await measureDisconnected(product, OVERDUE)),
  ]
}

/** A network with so many channels, on each of which one destination is due, is away and comes back. */
async function measureOutage(product: Product, channels: number): Promise<Figure[]> {
  await using beside = await openBeside(product, 'bench_outage')
  const { db } = beside
  const places = await seedPlaces(product, db, channels)
  await withoutTriggers(db, `update channel set provider_origin = '${AWAY}'`)
  await makeDue(db, places, 1, '1 hour')
  await makeDue(db, await seedPlaces(product, db, 64), 1, '1 hour')
  await db`insert into network_outage (origin, probe_at) values (${AWAY}, now())`
  await vacuum(db)
  const store = storeOn(product, db)
  while ((await store.claim(64)).length > 0);
  const announced = await timesOf(() => store.announceHolds(BATCH))
  const probe = await timesOf(() => store.claimProbes(1))

  const outages = outageStore(db, { onOutage: () => undefined, onRecovery: () => undefined })
  const end = new AbortController()
  const waits = Promise.all([
    longest(end.signal, () => moveOne(db, places)),
    longest(end.signal, () => claimOne(db, store)),
  ])
  await outages.recordSuccess(AWAY)
  end.abort()
  const [command, claim] = await waits
  const away = `${whole(channels)} channels away`
  return [
    figure(`announce ${BATCH}: ${away}`, announced),
    figure(`probe: ${away}`, probe),
    ['a command there while they come back', milliseconds(command), '', '< 250 ms'],
    ['a claim meanwhile', milliseconds(claim), '', '< 250 ms'],
  ]
}

/** One channel is paused by its provider; beside it as many destinations wait on channels that nothing holds. */
async function measurePause(product: Product, overdue: number): Promise<Figure[]> {
  await using beside = await openBeside(product, 'bench_pause')
  const { db } = beside
  await makeDue(db, await seedPlaces(product, db, 1), overdue, '1 hour')
  await db`update channel set paused_until = now() + interval '1 day'`
  await makeDue(db, await seedPlaces(product, db, 1_000), Math.ceil(overdue / 1_000), '1 hour')
  await vacuum(db)
  const store = storeOn(product, db)
  await store.claim(64)
  const announced = await timesOf(() => store.announceHolds(BATCH))
  await db`update channel_queue set announce_at = 'infinity'`
  const name = `${whole(overdue)} paused on one channel, as many not`
  return [
    figure(`announce ${BATCH}: ${name}`, announced),
    figure(`announce nothing: ${name}`, await timesOf(() => store.announceHolds(BATCH))),
  ]
}

async function measureDisconnected(product: Product, overdue: number): Promise<Figure[]> {
  await using beside = await openBeside(product, 'bench_disconnected')
  const { db } = beside
  const channels = Math.ceil(overdue / 100)
  await makeDue(db, await seedPlaces(product, db, channels), 100, '1 hour')
  await withoutTriggers(db, `update channel set connection_status = 'reconnect_required'`)
  await withoutTriggers(db, `update destination set status = 'reconnect_required', due_at = null`)
  await vacuum(db)
  const sweeps = await timesOf(sweepConnected(db))
  await withoutTriggers(db, `update destination set expires_at = now()`)
  const store = storeOn(product, db)
  return [
    figure(`sweep: ${whole(overdue)} wait for ${whole(channels)} channels to be connected`, sweeps),
    figure(
      `expire ${BATCH}: ${whole(overdue)} past their allowed time`,
      await timesOf(() => store.expire(BATCH)),
    ),
  ]
}

function seedPlaces({ keyring }: Product, db: Db, channels: number): Promise<Place[]> {
  return seedChannels(db, keyring, 'http://127.0.0.1:1', { workspaces: Math.ceil(channels / 10), channels })
}

/** For a whole table: row by row they would take minutes. */
async function withoutTriggers(db: Db, statement: string): Promise<void> {
  const setUp = async (tx: Pick<Db, 'script'>) =>
    tx.script(`set local session_replication_role = replica; ${statement}`)
  await db.begin(setUp, { statementTimeoutMs: 0 })
}

async function timesOf(run: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  while (times.length < BATCHES) times.push(await timed(run))
  return times
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await run()
  return performance.now() - begun
}

function figure(name: string, times: readonly number[]): Figure {
  return [name, milliseconds(Math.max(...times)), milliseconds(median(times)), '']
}

/** The longest of what is run again and again until the end. */
async function longest(end: AbortSignal, run: () => Promise<unknown>): Promise<number> {
  let most = 0
  while (!end.aborted) most = Math.max(most, await timed(run))
  return most
}

/** As a command does, moves the time of a destination. */
async function moveOne(db: Db, places: readonly Place[]): Promise<void> {
  const place = places[Math.floor(Math.random() * places.length)]
  await db`
    update destination set due_at = due_at - interval '1 ms'
    where  workspace_id = ${place?.workspaceId ?? null} and channel_id = ${place?.channelId ?? null}
    and    status in ('scheduled', 'delayed')`
}

async function claimOne(db: Db, store: EngineStore): Promise<void> {
  for (const { destinationId } of await store.claim(1)) {
    await db`update destination set status = 'failed', leased_by = null, lease_until = null where id = ${destinationId}`
  }
}
