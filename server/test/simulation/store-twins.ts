import fc from 'fast-check'
import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import { heldUntil } from '../../src/engine/destinations/holds.ts'
import { openDb, type Db } from '../../src/platform/postgres/db.ts'
import { decideOutcome, requeueUnstarted } from '../../src/engine/publication/decide-outcome.ts'
import { ANNOUNCE_HOLD_AFTER_MS } from '../../src/engine/queue/waits.ts'
import type {
  Conclusion,
  Doubt,
  EngineStore,
  Intent,
  Outages,
  Settlement,
  Work,
} from '../../src/engine/queue/work.ts'
import { announceHolds } from '../../src/engine/queue/hold-store.ts'
import { outageStore, usualOutageRules } from '../../src/engine/queue/outage-store.ts'
import { publicationStore } from '../../src/engine/queue/engine-store.ts'
import type { WorkerIdentity } from '../../src/platform/postgres/worker-store.ts'
import { heartbeat } from '../../src/engine/queue/heartbeat-store.ts'
import { aChannel, aPost, aWorkspace } from '../rigs/fixtures.ts'
import { leaseOf, settlementOf } from '../rigs/publishing-store.ts'
import type { World } from '../rigs/world.ts'
import * as memory from './memory-store.ts'

/*
 * The same rows in memory and in PostgreSQL, on which the same operations are carried out. Both have the same clock: in
 * these databases `now()` is a function of the test, so that nothing depends on how long a statement takes.
 */

/** A worker on both sides. */
type TwinWorker = {
  readonly inMemory: memory.MemoryWorker
  readonly identity: WorkerIdentity
  readonly store: EngineStore
  /** The connection of its heartbeat. */
  readonly session: Db
}

type Twins = {
  readonly db: Db
  readonly mem: memory.MemoryDb
  readonly workers: readonly TwinWorker[]
  readonly outages: Outages
  /** What was handed out, oldest first. */
  readonly works: Work[]
  readonly doubts: Doubt[]
  readonly intents: Intent[]
  readonly tokens: Map<string, string | number>
  remoteIds: number
}

/** A step of a sequence: an operation, chosen by three numbers, or so many milliseconds that pass. */
export type TwinStep = readonly [number, number, number] | number

const leaseMs = 60_000
const allowedMs = 600_000
const absenceCountsAfterMs = [12_000, 90_000]
/** Two accounts are enough: one workspace has as many. */
const outageRules = { ...usualOutageRules, accounts: 2 }

export const twinSteps: fc.Arbitrary<TwinStep[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.tuple(fc.nat(24), fc.nat(15), fc.nat(23)) },
    { weight: 1, arbitrary: fc.constantFrom(1_000, 3_000, 20_000, 61_000, 301_000, 601_000) },
  ),
  { minLength: 8, maxLength: 60, size: 'max' },
)

export type TwinCount = { operations: number; refused: number }

/** Opens both sides on a world of their own. `run` carries out one sequence, from the same rows each time. */
export async function openTwins(world: World) {
  const planted = await plant(world.db)
  await useTestClock(world)
  const pools = [0, 1, 2].map((place) =>
    openDb({
      ...world.connection,
      applicationName: 'twins',
      ...(place > 0 ? { max: 1, permanent: true } : {}),
    }),
  )
  const [db, ...sessions] = pools as [Db, Db, Db]

  return {
    async run(steps: readonly TwinStep[], perWorkspace: number, count: TwinCount): Promise<void> {
      const twins = await startOver(db, sessions, planted, perWorkspace)
      for (const step of steps) {
        if (typeof step === 'number') {
          await pass(twins, step)
          continue
        }
        await pass(twins, 1)
        const both = operation(twins, step)
        if (both === null) continue
        const inMemory = attempted(both.inMemory)
        const inPostgres = await both.inPostgres().catch(() => 'refused')
        count.operations += 1
        if (inMemory === false || inMemory === 'refused') count.refused += 1
        expect(comparable(inPostgres)).toEqual(comparable(inMemory))
        expect(await rowsInPostgres(twins)).toEqual(rowsInMemory(twins))
        expect(await outagesInPostgres(twins)).toEqual(outagesInMemory(twins))
        expect(await overlookedChannels(db)).toEqual([])
        expect(await unannouncedChannels(db)).toEqual([])
        expect(await misnotedPublications(db)).toEqual([])
        keep(twins, inPostgres)
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(pools.map((pool) => pool.end()))
    },
  }
}

/** Two workspaces, three channels, six destinations; 0 and 3, 1 and 4, 2 and 5 share a channel and begin alike. */
async function plant(db: Db): Promise<memory.DestinationRow[]> {
  const [one, two] = [(await aWorkspace(db)).workspaceId, (await aWorkspace(db)).workspaceId]
  const channels: memory.ChannelRow[] = []
  for (const workspaceId of [one, one, two]) {
    const id = await aChannel(db, workspaceId)
    const [row] = await db<{ connection: string }[]>`
      select authorization_revision::text as connection from channel where id = ${id}`
    const { connection } = row!
    channels.push({
      id,
      workspaceId,
      provider: 'sandbox-short',
      enabled: true,
      connected: true,
      connection,
      origin: null,
    })
  }
  const rows: memory.DestinationRow[] = []
  for (let number = 0; number < 6; number += 1) {
    const channel = channels[number % 3]!
    const texts = ['first', 'second', 'third'].slice(0, 1 + (number % 3))
    const options = { states: ['scheduled' as const], texts, channelIds: [channel.id] }
    const { postId, destinationIds } = await aPost(db, channel.workspaceId, options)
    // Of those with three parts, every other one has a first comment.
    const comment = number % 6 === 2
    if (comment)
      await db`update part set first_comment = true where destination_id = ${destinationIds[0]!} and index = 2`
    rows.push(memoryRow(destinationIds[0]!, postId, channel, { texts, comment }, number * 2_000 - 5_000))
  }
  return rows
}

function memoryRow(
  id: string,
  postId: string,
  channel: memory.ChannelRow,
  { texts, comment }: { texts: string[]; comment: boolean },
  dueAt: number,
): memory.DestinationRow {
  return {
    id,
    workspaceId: channel.workspaceId,
    postId,
    channel,
    status: 'scheduled',
    statusSince: 0,
    controlToken: 0,
    publishAt: dueAt,
    dueAt,
    expiresAt: dueAt + allowedMs,
    checkAgainAt: null,
    error: null,
    announcedWait: null,
    upload: null,
    tries: 0,
    fence: 0,
    leasedBy: null,
    leaseUntil: null,
    attempts: [],
    parts: texts.map((text, index) => ({
      index,
      firstComment: comment && index === texts.length - 1,
      status: 'pending',
      text,
      remoteId: null,
    })),
  }
}

/**
 * From now on, and in connections that are opened from now on, `now()` is the time of a table. Its beginning lies ahead
 * of every time that was written before.
 */
async function useTestClock({ db, connection }: World): Promise<void> {
  const name = 'database' in connection ? connection.database : ''
  await db`create schema test_clock`
  await db`create table test_clock.clock as select date_trunc('second', pg_catalog.now()) + interval '1 minute' as at`
  await db`
    create function test_clock.now() returns timestamptz language sql stable as 'select at from test_clock.clock'`
  await db`alter database ${db(name)} set search_path = test_clock, pg_catalog, public`
  const clocked = openDb({ ...connection, applicationName: 'twins', max: 1 })
  // A default is bound to the function that it meant when it was made.
  const defaults = await clocked<{ table: string; column: string }[]>`
    select table_name as "table", column_name as "column" from information_schema.columns
    where  table_schema = 'public' and column_default like '%now()'`
  for (const { table, column } of defaults) {
    await clocked`alter table ${clocked(table)} alter column ${clocked(column)} set default now()`
  }
  await clocked.end()
}

/** Both sides as they were planted. */
async function startOver(
  db: Db,
  sessions: readonly Db[],
  planted: readonly memory.DestinationRow[],
  perWorkspace: number,
): Promise<Twins> {
  const mem = memory.openMemoryDb([], outageRules)
  const channels = new Map(planted.map(({ channel }) => [channel.id, { ...channel }]))
  for (const row of planted) {
    const channel = channels.get(row.channel.id)!
    mem.destinations.push({ ...row, channel, parts: row.parts.map((part) => ({ ...part })), attempts: [] })
  }
  const dues = planted.map(({ id, dueAt }) => ({ id, due: dueAt }))
  await db.begin(async (tx) => {
    await tx`delete from attempt`
    await tx`delete from outbox_event`
    await tx`delete from worker`
    await tx`delete from publication`
    await tx`update channel set connection_status = 'connected', paused_until = null, provider_origin = null`
    await tx`delete from network_failure`
    await tx`delete from network_outage`
    await tx`update part set status = 'pending', remote_id = null, release_url = null, published_at = null`
    await tx`
      update destination d
      set    status = 'scheduled', control_token = 'planted', due_at = at, publish_at = at, check_again_at = null,
             expires_at = at + ${allowedMs} * interval '1 ms', published_at = null, release_url = null, error = null,
             tries = 0, fence = 0, leased_by = null, lease_until = null, announced_wait = null
      from   (select id, now() + due * interval '1 ms' as at
              from jsonb_to_recordset(${tx.json(dues)}) as p (id uuid, due float8)) planted
      where  d.id = planted.id`
  })
  const workers = sessions.map((session): TwinWorker => {
    const id = uuidv7()
    return {
      inMemory: { id, leaseMs, perWorkspace, absenceCountsAfterMs },
      identity: { id, roles: [], host: 'h', pid: 1 },
      store: publicationStore(db, {
        workerId: id,
        leaseMs,
        perWorkspace,
        outageRules,
        absenceCountsAfterMs,
        openAuthorization: () => ({}),
      }),
      session,
    }
  })
  const outages = outageStore(db, { onOutage: () => undefined, onRecovery: () => undefined }, outageRules)
  return { db, mem, workers, outages, works: [], doubts: [], intents: [], remoteIds: 0, tokens: new Map() }
}

async function pass({ db, mem }: Twins, ms: number): Promise<void> {
  mem.now += ms
  await db`update test_clock.clock set at = at + ${ms} * interval '1 ms'`
}

/* ---- what stands there ---- */

function rowsInMemory(twins: Twins) {
  const { mem } = twins
  const ahead = (at: number | null) => (at === null ? null : at - mem.now)
  return mem.destinations.map((row) => ({
    id: row.id,
    status: row.status,
    fence: row.fence,
    tries: row.tries,
    leasedBy: row.leasedBy,
    due: ahead(row.dueAt),
    lease: ahead(row.leaseUntil),
    again: ahead(row.checkAgainAt),
    expires: ahead(row.expiresAt),
    error: row.error?.code ?? null,
    connected: row.channel.connected,
    rotated: isNew(twins, `memory ${row.id}`, row.controlToken),
    parts: row.parts.map(({ status, remoteId }) => `${status} ${remoteId}`),
    attempts: row.attempts
      .map((one) =>
        [one.id, one.partIndex, one.fence, one.handle, one.verdict, one.evidence.length]
          .map(String)
          .join(' '),
      )
      .sort(),
    events: mem.events.filter(({ destinationId }) => destinationId === row.id).map(({ type }) => type),
  }))
}

type PostgresRow = { id: string; token: string } & Record<
  'due' | 'lease' | 'again' | 'expires',
  number | null
>

async function rowsInPostgres(twins: Twins) {
  const { db } = twins
  const rows = await db<PostgresRow[]>`
    select d.id, d.status, d.fence, d.tries, d.leased_by as "leasedBy", d.control_token as token,
           extract(epoch from d.due_at - now())::float8 * 1000 as due,
           extract(epoch from d.lease_until - now())::float8 * 1000 as lease,
           extract(epoch from d.check_again_at - now())::float8 * 1000 as again,
           extract(epoch from d.expires_at - now())::float8 * 1000 as expires,
           d.error ->> 'code' as error, c.connection_status = 'connected' as connected,
           array(select p.status || ' ' || coalesce(p.remote_id, 'null')
                 from part p where p.workspace_id = d.workspace_id and p.destination_id = d.id order by p.index) as parts,
           array(select concat_ws(' ', a.id, a.part_index, a.fence, coalesce(a.handle, 'null'),
                                  coalesce(a.verdict, 'null'), jsonb_array_length(a.evidence))
                 from attempt a where a.workspace_id = d.workspace_id and a.destination_id = d.id order by a.id) as attempts,
           array(select o.type::text from outbox_event o
                 where o.workspace_id = d.workspace_id and o.destination_id = d.id order by o.seq) as events
    from   destination d
    join   channel c on c.workspace_id = d.workspace_id and c.id = d.channel_id
    order  by d.id`
  const whole = (ms: number | null) => (ms === null ? null : Math.round(ms))
  return rows.map(({ token, ...row }) => ({
    ...row,
    due: whole(row.due),
    lease: whole(row.lease),
    again: whole(row.again),
    expires: whole(row.expires),
    rotated: isNew(twins, `postgres ${row.id}`, token),
  }))
}

function outagesInMemory({ mem }: Twins): string[] {
  const outages = mem.outages.map(({ workspaceId, probes, probeAt }) =>
    [workspaceId, probes, probeAt - mem.now].map(String).join(' '),
  )
  const failures = mem.failures.map(({ channel, failedAt }) => `${channel.id} ${failedAt - mem.now}`)
  return [...outages, ...failures].sort()
}

async function outagesInPostgres({ db }: Twins): Promise<string[]> {
  const rows = await db<{ what: string; ms: number }[]>`
    select coalesce(workspace_id::text, 'null') || ' ' || probes as what, extract(epoch from probe_at - now())::float8 * 1000 as ms
    from   network_outage
    union  all
    select channel_id::text, extract(epoch from failed_at - now())::float8 * 1000 from network_failure`
  return rows.map(({ what, ms }) => `${what} ${Math.round(ms)}`).sort()
}

/** The destinations that are noted as being published and are not, or by another worker; or the other way round. */
async function misnotedPublications(db: Db): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select coalesce(d.id, p.destination_id) as id
    from   (select * from destination where status = 'publishing') d
    full   join publication p
    on     p.workspace_id = d.workspace_id and p.channel_id = d.channel_id and p.destination_id = d.id
    and    p.leased_by is not distinct from d.leased_by
    where  d.id is null or p.destination_id is null`
  return rows.map(({ id }) => id)
}

/** The channels at which no claim would look in time for one of their destinations. */
export async function overlookedChannels(db: Db): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select distinct c.id
    from   channel c
    join   channel_queue q on q.workspace_id = c.workspace_id and q.channel_id = c.id
    join   destination d on d.workspace_id = c.workspace_id and d.channel_id = c.id
    and    d.status in ('scheduled', 'delayed', 'partially_published') and d.expires_at > greatest(d.due_at, now())
    where  c.enabled
    and    not exists (select from destination b where b.channel_id = c.id and b.status = 'publishing')
    and    case when c.connection_status <> 'connected' then d.due_at < q.look_at
                else greatest(d.due_at, c.paused_until) < q.look_at and not exists (
                       select from network_outage o
                       where  o.origin = c.provider_origin and (o.workspace_id is null or o.workspace_id = c.workspace_id)) end`
  return rows.map(({ id }) => id)
}

/** The channels at which nobody would look in time for something that is held there, and is to be announced. */
export async function unannouncedChannels(db: Db): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select distinct c.id
    from   channel c
    join   channel_queue q on q.workspace_id = c.workspace_id and q.channel_id = c.id
    join   destination d on d.workspace_id = c.workspace_id and d.channel_id = c.id
    where  d.status = 'scheduled' and d.expires_at > greatest(d.due_at, now()) and c.enabled and c.connection_status = 'connected'
    and    ${heldUntil(db)} is not null and not exists (select from destination b where b.channel_id = c.id and b.status = 'publishing')
    and    least(q.look_at, q.announce_at) > greatest(now(), d.due_at + ${ANNOUNCE_HOLD_AFTER_MS} * interval '1 ms')`
  return rows.map(({ id }) => id)
}

function isNew({ tokens }: Twins, whose: string, token: string | number): boolean {
  const before = tokens.get(whose)
  tokens.set(whose, token)
  return before !== undefined && before !== token
}

/** What was handed out, without what only one side has. */
function comparable(result: unknown): unknown {
  if (!Array.isArray(result)) return result
  return (result as (Work & Doubt)[])
    .map(({ attempt, knownRemoteIds, lateMs, ...taken }) => ({
      destinationId: taken.destinationId,
      // How long a part has been out is for the wait of its reply alone, which the memory does not play.
      parts: taken.parts.map(({ publishedMsAgo: _, ...part }) => part),
      tries: taken.tries,
      connected: taken.connected,
      connection: taken.connection,
      expired: taken.expired,
      ...(taken.orphan === undefined ? {} : { fence: taken.fence, orphan: taken.orphan }),
      origin: taken.origin,
      suspected: taken.suspected,
      probe: taken.probe === undefined ? null : taken.probe !== null,
      late: lateMs === undefined ? null : Math.round(lateMs),
      known: knownRemoteIds?.toSorted(),
      attempt: attempt && `${attempt.id} ${attempt.partIndex} ${attempt.handle} ${Math.round(attempt.ageMs)}`,
    }))
    .sort((a, b) => (a.destinationId < b.destinationId ? -1 : 1))
}

/** Remembers what was handed out, so that later operations act on it, in time or too late. */
function keep({ works, doubts }: Twins, result: unknown): void {
  if (!Array.isArray(result)) return
  for (const taken of result as (Work | Doubt)[]) {
    if ('orphan' in taken) works.push(taken)
    else doubts.push(taken)
  }
}

function attempted(run: () => unknown): unknown {
  try {
    return run()
  } catch {
    return 'refused'
  }
}

/* ---- operations ---- */

type Both = { inMemory: () => unknown; inPostgres: () => Promise<unknown> }

/** One operation, chosen by three numbers, for either side. Null: there is nothing to do it to. */
function operation(twins: Twins, [action, which, how]: Exclude<TwinStep, number>): Both | null {
  const { mem, works, intents } = twins
  const worker = twins.workers[how % 2]!
  const { inMemory: mine, store } = worker
  const work = works.at(-1 - (which % Math.max(1, Math.min(works.length, 4))))
  const intent = intents.at(-1 - (which % Math.max(1, Math.min(intents.length, 4))))
  switch (action) {
    case 0:
    case 1: {
      const limit = 1 + (which % 3)
      return { inMemory: () => memory.claim(mem, mine, limit), inPostgres: () => store.claim(limit) }
    }
    case 2:
      return { inMemory: () => memory.claimOrphans(mem, mine, 64), inPostgres: () => store.claimOrphans(64) }
    case 3:
      return { inMemory: () => memory.claimDoubts(mem, mine, 64), inPostgres: () => store.claimDoubts(64) }
    case 4:
      return { inMemory: () => memory.expire(mem, 64), inPostgres: () => store.expire(64) }
    case 5:
      return {
        inMemory: () => memory.claimProcessing(mem, mine, 64),
        inPostgres: () => store.claimProcessing(64),
      }
    case 6:
    case 7:
    case 8: {
      if (work === undefined) return null
      const next = work.parts.find(({ status }) => status !== 'published')?.index ?? 0
      const armed = { ...leaseOf(work), attemptId: uuidv7(), partIndex: next, key: uuidv7() }
      intents.push(armed)
      return { inMemory: () => memory.arm(mem, armed), inPostgres: () => store.arm(armed) }
    }
    case 9:
    case 10: {
      if (intent === undefined && work !== undefined) {
        const waiting = { partIndex: 0, uploaded: [], checkpoint: { job: how }, waitedMs: how }
        const lease = leaseOf(work)
        return {
          inMemory: () => memory.awaitUpload(mem, lease, waiting, 1_000 * how),
          inPostgres: () => store.awaitUpload(lease, waiting, 1_000 * how),
        }
      }
      if (intent === undefined) return null
      const wait = { handle: 'job', pollInMs: 1_000 * how, error: null }
      return {
        inMemory: () => memory.awaitProcessing(mem, intent, wait),
        inPostgres: () => store.awaitProcessing(intent, wait),
      }
    }
    case 11:
      return how % 3 === 0 ? death(twins, worker) : sendHeartbeat(twins, worker, work)
    case 20:
      return {
        inMemory: () => memory.claimProbes(mem, mine, 8),
        inPostgres: () => store.claimProbes(8),
      }
    case 21:
    case 22:
    case 23:
    case 24:
      return ofNetworks(twins, action, which, how)
    case 12: {
      if (work === undefined) return null
      const unsent = settlementOf(work, null, requeueUnstarted(work.parts))
      return { inMemory: () => memory.settle(mem, unsent), inPostgres: () => store.settle(unsent) }
    }
    default: {
      const ended =
        action > 16 && action < 20 ? endOfDoubt(twins, which, how) : endOfAttempt(twins, intent, which, how)
      if (ended === null) return null
      return { inMemory: () => memory.settle(mem, ended), inPostgres: () => store.settle(ended) }
    }
  }
}

function sendHeartbeat(
  { mem }: Twins,
  { inMemory, identity, session }: TwinWorker,
  work: Work | undefined,
): Both | null {
  if (work === undefined) return null
  return {
    inMemory: () => memory.heartbeat(mem, inMemory, [leaseOf(work)]),
    inPostgres: async () => (await heartbeat(session, identity, [leaseOf(work)], leaseMs)).renewed,
  }
}

/** The session of a worker is gone, and it has sent no heartbeat for long. */
function death({ mem, db }: Twins, { identity, session }: TwinWorker): Both {
  return {
    inMemory: () => void mem.deadWorkers.add(identity.id),
    async inPostgres() {
      await session`select pg_advisory_unlock_all()`
      await db`
        insert into worker (id, roles, host, pid, heartbeat_at)
        values (${identity.id}, '{}', 'h', 1, now() - interval '1 hour')
        on     conflict (id) do update set heartbeat_at = excluded.heartbeat_at`
    },
  }
}

const origin = 'https://network.test'

function ofNetworks(
  { mem, db, outages, workers }: Twins,
  action: number,
  which: number,
  how: number,
): Both | null {
  const { store } = workers[0]!
  const channels = [...new Set(mem.destinations.map(({ channel }) => channel))]
  const { id: channelId, workspaceId } = channels[which % channels.length]!
  if (action === 24) {
    if (how % 3 > 0) {
      return {
        inMemory: () => memory.announceHolds(mem, 8),
        async inPostgres() {
          // Nothing is taken: it finds out what is held.
          await store.claim(0)
          return announceHolds(db, 8)
        },
      }
    }
    return {
      inMemory: () => memory.recordSuccess(mem, origin),
      inPostgres: () => outages.recordSuccess(origin),
    }
  }
  if (how % 4 === 0) {
    const subject = { workspaceId, channelId }
    return {
      inMemory: () => memory.learnOrigin(mem, subject, origin),
      inPostgres: () => outages.learnOrigin(subject, origin),
    }
  }
  const probed = mem.outages[which % Math.max(1, mem.outages.length)]
  const idOf = async () => {
    const [row] = await db<{ id: string }[]>`
      select id from network_outage
      where  origin = ${probed?.origin ?? ''} and workspace_id is not distinct from ${probed?.workspaceId ?? null}`
    return row?.id ?? null
  }
  if (how % 4 === 1 && probed !== undefined) {
    return {
      inMemory: () => memory.returnProbe(mem, probed.id),
      inPostgres: async () => outages.returnProbe((await idOf()) ?? ''),
    }
  }
  const failure = { origin, workspaceId, channelId }
  const probes = how % 4 === 2
  return {
    inMemory: () => memory.recordFailure(mem, { ...failure, probe: probes ? (probed?.id ?? null) : null }),
    inPostgres: async () => outages.recordFailure({ ...failure, probe: probes ? await idOf() : null }),
  }
}

const conclusions: readonly Conclusion[] = [
  { is: 'published', remoteId: 'r', url: 'https://example.com/r' },
  { is: 'unknown', detail: 'silence' },
  { is: 'absent' },
  { is: 'deferred', code: 'rate_limited', afterMs: 20_000 },
  { is: 'rejected', code: 'content_refused', detail: 'no' },
  { is: 'reauthorize' },
]

function conclusionOf(twins: Twins, which: number, how: number): Conclusion {
  const chosen = conclusions[how % conclusions.length]!
  if (chosen.is !== 'published') return chosen
  return { ...chosen, remoteId: `r${which % 4 === 0 ? 0 : ++twins.remoteIds}` }
}

function endOfAttempt(
  twins: Twins,
  intent: Intent | undefined,
  which: number,
  how: number,
): Settlement | null {
  const work = twins.works.findLast(
    ({ fence, destinationId }) => intent?.fence === fence && intent.destinationId === destinationId,
  )
  if (intent === undefined || work === undefined) return null
  const { attemptId: id, partIndex } = intent
  const conclusion = conclusionOf(twins, which, how)
  const outcome = decideOutcome({ ...work, status: 'publishing', partIndex }, conclusion, 0)
  const attempt = { id, partIndex, conclusion: conclusion.is, evidence, inferred: how % 4 < 2 }
  return settlementOf(work, attempt, outcome)
}

function endOfDoubt(twins: Twins, which: number, how: number): Settlement | null {
  const doubt = twins.doubts.at(-1 - (which % Math.max(1, twins.doubts.length)))
  const conclusion = conclusionOf(twins, which, how)
  if (doubt === undefined || conclusion.is === 'unknown') return null
  const { id, partIndex } = doubt.attempt
  const outcome = decideOutcome({ ...doubt, status: 'checking', partIndex }, conclusion, 0)
  const attempt = { id, partIndex, conclusion: conclusion.is, evidence, inferred: how % 4 < 2 }
  return settlementOf(doubt, attempt, outcome)
}

const evidence = { by: 'test' }
