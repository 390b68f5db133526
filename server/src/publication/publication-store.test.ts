import fc from 'fast-check'
import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { aChannel, aPost, aWorkspace, openTransaction } from '../../test/fixtures.ts'
import { plantMany } from '../../test/plant-many.ts'
import { leaseOf, openTwins, settlementOf, twinSteps } from '../../test/simulation/store-twins.ts'
import { explained, statementOf } from '../../test/query-plan.ts'
import { keepFromAutoanalyze, longReads } from '../../test/rows-read.ts'
import { openWorld } from '../../test/world.ts'
import { insertMedia } from '../media/media-store.ts'
import { type Db, openDb } from '../platform/db.ts'
import { decideOutcome } from './decide-outcome.ts'
import type { Conclusion, EngineStore, Settlement, Work } from './engine-port.ts'
import { publicationStore } from './publication-store.ts'
import { settle } from './settle-store.ts'

const leaseMs = 60_000

function storeOn(db: Db, { workerId = uuidv7(), perWorkspace = 100 } = {}): EngineStore {
  return publicationStore(db, { workerId, leaseMs, perWorkspace, openGrant: () => ({}) })
}

test('the store in memory and the one on PostgreSQL do the same', { timeout: 600_000 }, async () => {
  await using world = await openWorld()
  await using twins = await openTwins(world)
  const count = { operations: 0, refused: 0 }
  const property = fc.asyncProperty(twinSteps, fc.integer({ min: 1, max: 3 }), (steps, perWorkspace) =>
    twins.run(steps, perWorkspace, count),
  )
  const numRuns = Number(process.env['STORE_RUNS'] ?? 150)
  await fc.assert(property, { numRuns })
  expect(count.operations).toBeGreaterThan(numRuns)
  expect(count.refused).toBeGreaterThan(numRuns / 10)
})

const overdue = () => new Date(Date.now() - 60_000)

/** Due destinations, one for each of the channels. */
async function due(
  db: Db,
  workspaceId: string,
  channelIds: readonly string[],
  texts = ['Hello'],
): Promise<string[]> {
  const wish = { states: channelIds.map(() => 'scheduled' as const), texts, channelIds, publishAt: overdue() }
  return (await aPost(db, workspaceId, wish)).destinationIds
}

/** Waits until a statement of the world stands in line for a lock. */
async function untilBlocked(db: Db, how: string): Promise<void> {
  const blocked = () => db`
    select from pg_stat_activity
    where  datname = current_database() and wait_event_type = 'Lock' and query like ${`%${how}%`}`
  await expect.poll(async () => (await blocked()).length, { timeout: 10_000, interval: 5 }).toBeGreaterThan(0)
}

async function statuses(db: Db, ids: readonly string[]): Promise<Record<string, number>> {
  const rows = await db<{ status: string; count: number }[]>`
    select status, count(*)::int as count from destination where id = any(${[...ids]}) group by status`
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}

/** The time of every lease is over. */
async function endLeases(db: Db): Promise<void> {
  await db`update destination set lease_until = now() where lease_until is not null`
}

const published: Conclusion = { is: 'published', remoteId: 'r1', url: null }

function ending(work: Work, attemptId: string, conclusion: Conclusion, late = false): Settlement {
  const context = { ...work, status: late ? 'checking' : 'publishing', partIndex: 0 } as const
  const evidence = { by: 'test' }
  const attempt = { id: attemptId, partIndex: 0, conclusion: conclusion.is, evidence, inferred: false }
  const settlement = settlementOf(work, attempt, decideOutcome(context, conclusion, 0))
  return late ? { ...settlement, fence: null } : settlement
}

async function armed(store: EngineStore, work: Work): Promise<string> {
  const attemptId = uuidv7()
  expect(await store.arm({ ...leaseOf(work), attemptId, partIndex: 0 })).toBe(true)
  return attemptId
}

test('an edit that was accepted before the claim is what the claim hands out', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  const channelIds = [await aChannel(db, workspaceId), await aChannel(db, workspaceId)]
  const [, edited = ''] = await due(db, workspaceId, channelIds, ['old'])
  const [rival = ''] = await due(db, workspaceId, [channelIds[0]!])
  await db`update destination set due_at = due_at - interval '1 hour' where channel_id = ${channelIds[0]!} and id <> ${rival}`

  // Another worker is about to publish on the first channel, so the claim stops between its look and its locks.
  const other = await db.reserve()
  await other`begin`
  await other`update destination set status = 'publishing', lease_until = now() where id = ${rival}`
  const claimed = storeOn(db).claim(10)
  await untilBlocked(db, 'earliest as')
  await db.begin(async (tx) => {
    await tx`select from destination where id = ${edited} for update`
    await tx`update part set text = 'new' where destination_id = ${edited}`
  })
  await other`rollback`
  other.release()

  const work = (await claimed).find(({ destinationId }) => destinationId === edited)
  expect(work?.parts.map(({ text }) => text) ?? ['new']).toEqual(['new'])
})

test('two workers that claim at once take each destination once, and each channel once', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  const channelIds: string[] = []
  for (let number = 0; number < 12; number += 1) channelIds.push(await aChannel(db, workspaceId))
  const ids = [await due(db, workspaceId, channelIds), await due(db, workspaceId, channelIds)].flat()
  const workers = [storeOn(db), storeOn(db), storeOn(db), storeOn(db)]

  const works = (await Promise.all(workers.map((worker) => worker.claim(8)))).flat()
  works.push(...(await workers[0]!.claim(100)))

  expect(works.map(({ channelId }) => channelId).sort()).toEqual(channelIds.toSorted())
  expect(new Set(works.map(({ destinationId }) => destinationId)).size).toBe(12)
  expect(await statuses(db, ids)).toEqual({ publishing: 12, scheduled: 12 })
})

test('a claim that meets another one on a channel goes on with the channels that are free', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  const channelIds = [await aChannel(db, workspaceId), await aChannel(db, workspaceId)]
  const [, free] = await due(db, workspaceId, channelIds)
  const [rival = ''] = await due(db, workspaceId, [channelIds[0]!])
  await db`update destination set due_at = due_at - interval '1 hour' where channel_id = ${channelIds[0]!} and id <> ${rival}`

  const other = await db.reserve()
  await other`begin`
  await other`update destination set status = 'publishing', lease_until = now() + interval '1 minute' where id = ${rival}`
  const claimed = storeOn(db).claim(10)
  await untilBlocked(db, 'earliest as')
  await other`commit`
  other.release()

  expect((await claimed).map(({ destinationId }) => destinationId)).toEqual([free])
})

test(
  'ten thousand due destinations of one workspace do not stand before the one of another',
  { timeout: 60_000 },
  async () => {
    await using world = await openWorld()
    const { db } = world
    const [big, small] = [await aWorkspace(db), await aWorkspace(db)]
    await plantMany(db, big.workspaceId, { channels: 1_000, each: 10 })
    const [late = ''] = await due(db, small.workspaceId, [await aChannel(db, small.workspaceId)])
    await db`update destination set due_at = now() where id = ${late}`

    const works = await storeOn(db, { perWorkspace: 6 }).claim(8)

    expect(works.map(({ destinationId }) => destinationId)).toContain(late)
    expect(works.filter(({ workspaceId }) => workspaceId === big.workspaceId)).toHaveLength(6)
  },
)

test(
  'a claim among ten thousand due destinations reads the partial index, and never the whole table',
  { timeout: 60_000 },
  async ({ annotate }) => {
    await using world = await openWorld()
    const { workspaceId } = await aWorkspace(world.db)
    await plantMany(world.db, workspaceId, { channels: 1_000, each: 10, later: 10, settled: 10 })
    await world.db`vacuum analyze`
    const claiming = await statementOf(world, 'earliest as', (db) => storeOn(db).claim(32))

    let bestMs = Infinity
    let plan = ''
    for (let times = 0; times < 5; times += 1) {
      plan = (await explained(world.db, claiming)).join('\n')
      bestMs = Math.min(bestMs, Number(/Execution Time: ([\d.]+)/.exec(plan)?.[1]))
    }
    await annotate(`${bestMs} ms\n${plan}`)
    expect(plan).toContain('destination_head')
    expect(plan).not.toContain('Seq Scan on destination')
  },
)

test('a claim is on disk before it is handed out: one that a crash took back would share its fence with the next', async () => {
  await using world = await openWorld()
  const { workspaceId } = await aWorkspace(world.db)
  await due(world.db, workspaceId, [await aChannel(world.db, workspaceId)])
  const sent: string[] = []
  const onStatement = ({ text, values }: { text: string; values: readonly unknown[] }) =>
    void sent.push(`${text} ${values.join()}`)
  const db = openDb({ ...world.connection, applicationName: 'test', onStatement })

  expect(await storeOn(db).claim(1)).toHaveLength(1)

  await db.end()
  expect(sent.filter((text) => text.includes('synchronous_commit'))).toEqual([])
})

test('a worker whose lease is taken while its arming stands in line makes no call', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  const [id = ''] = await due(db, workspaceId, [await aChannel(db, workspaceId)])
  const store = storeOn(db)
  const [work] = await store.claim(1)

  // The other worker has taken the lease over, and has not committed yet.
  const other = await db.reserve()
  await other`begin`
  await other`update destination set fence = fence + 1 where id = ${id}`
  const arming = store.arm({ ...leaseOf(work!), attemptId: uuidv7(), partIndex: 0 })
  await untilBlocked(db, 'with intent as')
  await other`commit`
  other.release()

  expect(await arming).toBe(false)
  expect(await db`select from attempt`).toHaveLength(0)
  expect(await db`select status from part`).toEqual([{ status: 'pending' }])
})

test('a worker that armed first keeps its attempt, and whoever takes the lease over finds it', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  await due(db, workspaceId, [await aChannel(db, workspaceId)])
  const [one, two] = [storeOn(db), storeOn(db)]
  const [work] = await one.claim(1)
  const attemptId = await armed(one, work!)
  await endLeases(db)

  const [orphan] = await two.claimOrphans(1)

  expect(orphan).toMatchObject({
    orphan: true,
    fence: work!.fence + 1,
    attempt: { id: attemptId, partIndex: 0 },
  })
  expect(await one.settle(ending(work!, attemptId, published))).toBe(false)
})

test('a call that was armed while its lease was taken over is never passed over', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  const silent = uuidv7()
  const [one, two, other] = [storeOn(db, { workerId: silent }), storeOn(db), storeOn(db)]
  await due(db, workspaceId, [await aChannel(db, workspaceId)])
  const [work] = await one.claim(1)
  await due(db, workspaceId, [await aChannel(db, workspaceId)])
  const [first] = await other.claim(1)
  await db`update destination set lease_until = now() + interval '30 seconds' where id = ${first!.destinationId}`
  // Just after a start of the database nobody is taken for dead.
  const running = () => db`select where pg_postmaster_start_time() < now() - interval '2 seconds'`
  await expect.poll(async () => (await running()).length).toBe(1)
  // The takeover asks at its first row who is dead, and here that takes a second: the rows after it are late.
  await db`
    insert into worker (id, roles, host, pid, beat_at) values (${silent}, '{}', 'elsewhere', 1, now() - interval '1 hour')`
  await db`alter table worker rename to listed_worker`
  await db`create view worker as select w.* from listed_worker w cross join (select pg_sleep(1)) slow`

  const takeover = two.claimOrphans(10)
  const asleep = () => db`
    select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`
  await expect.poll(async () => (await asleep()).length, { interval: 5 }).toBe(1)
  const attemptId = await armed(one, work!)

  expect(await takeover).toMatchObject([
    { orphan: true, destinationId: work!.destinationId, attempt: { id: attemptId } },
  ])
})

test('settlements of one batch are answered one by one', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  await due(db, workspaceId, [await aChannel(db, workspaceId)])
  const [one, two] = [storeOn(db), storeOn(db)]
  const [work] = await one.claim(1)
  const attemptId = await armed(one, work!)
  await endLeases(db)
  const [orphan] = await two.claimOrphans(1)

  const unknown = { is: 'unknown', detail: 'lost' } as const
  const batch = [ending(work!, attemptId, published), ending(orphan!, attemptId, unknown)]

  expect(await Promise.all(batch.map((settlement) => two.settle(settlement)))).toEqual([false, true])
})

test('a settlement reads what it settles by keys, and is planned once for each connection', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  await plantMany(db, workspaceId, { channels: 10, each: 30, settled: 30 })
  await db`vacuum analyze`
  const store = storeOn(db)
  const works = await store.claim(2)
  const endings = await Promise.all(
    works.map(async (work) => ending(work, await armed(store, work), published)),
  )

  await db.begin(async (tx) => {
    // What the connection did before and has not reported yet is among the counts.
    const readThrough = () =>
      tx`select relname, seq_tup_read from pg_stat_xact_user_tables where seq_tup_read > 0`
    const before = await readThrough()
    for (const settlement of endings) expect(await settle(tx, [settlement])).toEqual([true])
    expect(await readThrough()).toEqual(before)
    const planned = await tx`
      select custom_plans::int as custom, generic_plans::int as generic
      from   pg_prepared_statements where statement ~ '^\\s*with ended'`
    expect(planned).toEqual([{ custom: 0, generic: 2 }])
  })
})

test('what a publication reads does not grow with what was published and what waits', async () => {
  await using world = await openWorld()
  await keepFromAutoanalyze(world.db)
  const { workspaceId } = await aWorkspace(world.db)
  const channelIds = [await aChannel(world.db, workspaceId), await aChannel(world.db, workspaceId)]
  await using connections = new AsyncDisposableStack()
  const db = openDb({ ...world.connection, applicationName: 'one connection', max: 1 })
  connections.defer(() => db.end())
  const store = storeOn(db)
  const publishOne = async () => {
    await due(world.db, workspaceId, channelIds.slice(0, 1))
    return longReads(db, {
      most: 100,
      async act() {
        const [work] = await store.claim(8)
        expect(await store.settle(ending(work!, await armed(store, work!), published))).toBe(true)
      },
    })
  }
  // Statements are planned by the tables of a new installation, and kept.
  for (let times = 0; times < 6; times++) await publishOne()
  await world.db`
    with posted as (
      insert into post (workspace_id, id, content, edit_token, created_by_type, created_by_name)
      select ${workspaceId}, gen_random_uuid(), '{"text":"x"}', n, 'agent_key', 'k' from generate_series(1, 1000) n
      returning id, edit_token::int as n
    ),
    placed as (
      insert into destination (workspace_id, id, post_id, channel_id, provider, status, control_token, publish_at, due_at,
                               expires_at, published_at)
      select ${workspaceId}, gen_random_uuid(), p.id, c.id, 'sandbox-short', c.status, 't', now(), now() + interval '1 hour',
             now() + interval '1 day', case when c.status = 'published' then now() end
      from   posted p, (values (${channelIds[0]!}::uuid, 'published'), (${channelIds[1]!}::uuid, 'scheduled')) c (id, status)
      returning id
    ),
    called as (
      insert into attempt (workspace_id, id, destination_id, part_index, fence, verdict, settled_at)
      select ${workspaceId}, gen_random_uuid(), id, 0, 0, 'published', now() from placed
    )
    insert into part (workspace_id, destination_id, index, text, folded)
    select ${workspaceId}, id, 0, 'x', 'x' from placed`

  expect(await publishOne()).toEqual([])
})

test('two that end the same doubt in one batch: one of them counts, in all of its consequences', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  await due(db, workspaceId, [await aChannel(db, workspaceId)])
  const store = storeOn(db)
  const [work] = await store.claim(1)
  const attemptId = await armed(store, work!)
  await store.settle(ending(work!, attemptId, { is: 'unknown', detail: 'silence' }))

  const batch = [ending(work!, attemptId, { is: 'absent' }, true), ending(work!, attemptId, published, true)]
  expect(await Promise.all(batch.map((settlement) => store.settle(settlement)))).toEqual([true, false])

  const [row] = await db`
    select d.status, p.status as part, p.remote_id as "remoteId", a.verdict
    from   destination d join part p on p.destination_id = d.id join attempt a on a.destination_id = d.id`
  expect(row).toEqual({ status: 'scheduled', part: 'pending', remoteId: null, verdict: 'absent' })
  expect((await db`select type from outbox_event order by seq`).map(({ type }) => type)).toEqual([
    'post.recovery_required',
    'post.scheduled',
  ])
})

test('a settlement that the database refuses takes no other one along', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  const channelIds = [
    await aChannel(db, workspaceId),
    await aChannel(db, workspaceId),
    await aChannel(db, workspaceId),
  ]
  const ids = await due(db, workspaceId, channelIds)
  const store = storeOn(db)
  const works = await store.claim(3)
  const endings = await Promise.all(
    works.map(async (work, place) => {
      const good = ending(work, await armed(store, work), {
        is: 'published',
        remoteId: `r${place}`,
        url: null,
      })
      // Published without evidence: a check of the table says no.
      return place === 1 ? { ...good, outcome: { ...good.outcome, remoteId: null } } : good
    }),
  )

  const results = await Promise.allSettled(endings.map((settlement) => store.settle(settlement)))

  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await statuses(db, ids)).toEqual({ published: 2, publishing: 1 })
})

test.each([
  ['equal parts', [1, 1], { checking: 2 }, 'nobody could tell which one a look saw'],
  ['parts with equal texts and other media', [1, 2], { published: 2 }, 'what they show tells them apart'],
])('two %s in doubt (%j) become %j: %s', async (_name, pictures, expected, _why) => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  const channelId = await aChannel(db, workspaceId)
  const ids = [await due(db, workspaceId, [channelId]), await due(db, workspaceId, [channelId])].flat()
  for (const [turn, bytes] of pictures.entries()) {
    // An upload for each, so that equal pictures are equal by their bytes alone.
    const mediaId = uuidv7()
    await insertMedia(db, workspaceId, {
      ...{
        mediaId,
        kind: 'image',
        contentType: 'image/png',
        sizeBytes: 1,
        width: 1,
        height: 1,
        durationMs: null,
      },
      ...{ animated: false, altText: null, sha256: Buffer.alloc(32, bytes), storageKey: mediaId },
    })
    await db`update part set text = '', media_ids = ${[mediaId]} where destination_id = ${ids[turn]!}`
  }
  const store = storeOn(db)
  const seen: Settlement[] = []
  for (let turn = 0; turn < ids.length; turn += 1) {
    const [work] = await store.claim(1)
    const attemptId = await armed(store, work!)
    await store.settle(ending(work!, attemptId, { is: 'unknown', detail: 'silence' }))
    const told = ending(work!, attemptId, published, true)
    seen.push({ ...told, attempt: { ...told.attempt!, inferred: true } })
  }

  for (const [turn, settlement] of seen.entries()) {
    await store.settle({ ...settlement, outcome: { ...settlement.outcome, remoteId: `remote-${turn}` } })
  }
  expect(await statuses(db, ids)).toEqual(expected)
})

test('two equal parts in doubt that are both proven absent are both queued again', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  const channelId = await aChannel(db, workspaceId)
  const ids = [await due(db, workspaceId, [channelId]), await due(db, workspaceId, [channelId])].flat()
  const store = storeOn(db)
  const looks: Settlement[] = []
  while (looks.length < ids.length) {
    const [work] = await store.claim(1)
    const attemptId = await armed(store, work!)
    await store.settle(ending(work!, attemptId, { is: 'unknown', detail: 'silence' }))
    const told = ending(work!, attemptId, { is: 'absent' }, true)
    looks.push({ ...told, attempt: { ...told.attempt!, inferred: true } })
  }
  expect(await Promise.all(looks.map((look) => store.settle(look)))).toEqual([true, true])
  expect(await statuses(db, ids)).toEqual({ scheduled: 2 })
})

test.each([
  ['not again', false, 'reconnect_required'],
  // The claim had its grant already: its transaction began later, and the new connection was not to be seen yet.
  ['again while the call was under way', true, 'connected'],
])('a grant that is refused disconnects its channel if that was %s connected', async (_, again, expected) => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  const channelId = await aChannel(db, workspaceId)
  await due(db, workspaceId, [channelId])
  const store = storeOn(db)
  const reconnecting = await openTransaction(db)
  await reconnecting.tx`update channel set grant_revision = grant_revision + 1, grant_sealed = 'new'`
  const [work] = await store.claim(1)
  await (again ? reconnecting.commit() : reconnecting.rollback())
  const attemptId = await armed(store, work!)

  expect(await store.settle(ending(work!, attemptId, { is: 'reauthorize' }))).toBe(true)
  const [channel] = await db`select connection_status as status from channel`
  expect(channel).toEqual({ status: expected })
})

test('a channel is disconnected by the grant that it has, and by no former one', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  const channelId = await aChannel(db, workspaceId)
  await due(db, workspaceId, [channelId])
  const store = storeOn(db)
  const [work] = await store.claim(1)
  const standing = async () => (await db`select connection_status as status from channel`)[0]

  await store.disconnect({ ...work!, connection: 'a former one' })
  expect(await standing()).toEqual({ status: 'connected' })
  await store.disconnect(work!)
  expect(await standing()).toEqual({ status: 'reconnect_required' })
})
