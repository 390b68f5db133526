import { expect, test } from 'vitest'
import { aChange, openWebhookWorld } from '../../../test/rigs/webhook-world.ts'
import { openDb, type Connection, type Db } from '../../platform/postgres/db.ts'
import { pruneEvents } from '../webhooks/delivery-retention-store.ts'
import { feedEnd, latestEvents, readFeed, type FeedPage, type FeedPosition } from './event-feed-store.ts'
import { announce } from './outbox-store.ts'

async function pageOf(
  db: Db,
  workspaceId: string,
  after: FeedPosition | null,
  limit: number,
): Promise<FeedPage> {
  const page = await readFeed(db, workspaceId, after, limit)
  if ('expired' in page) throw new Error('expired')
  return page
}

const idsOf = ({ bodies }: Pick<FeedPage, 'bodies'>) =>
  bodies.map((body) => (JSON.parse(body.toString()) as { id: string }).id)

/** Follows the feed from a position to its present end; gives the ids of the events and where it stands. */
async function follow(db: Db, workspaceId: string, from: FeedPosition | null = null, limit = 3) {
  const ids: string[] = []
  let position = from
  for (;;) {
    const page = await pageOf(db, workspaceId, position, limit)
    ids.push(...idsOf(page))
    position = page.position
    if (!page.hasMore) return { ids, position }
  }
}

test('events come in the order they were recorded, on pages of any size, and the cursor goes on from its end', async () => {
  await using world = await openWebhookWorld()
  const first = []
  for (let n = 0; n < 10; n++) first.push(await world.happens())
  for (const limit of [1, 2, 3, 10, 100])
    expect((await follow(world.db, world.workspaceId, null, limit)).ids).toEqual(first)
  const { position } = await follow(world.db, world.workspaceId)
  expect((await follow(world.db, world.workspaceId, position)).ids).toEqual([])
  const next = [await world.happens(), await world.happens(), await world.happens(), await world.happens()]
  for (const limit of [1, 3, 100])
    expect((await follow(world.db, world.workspaceId, position, limit)).ids).toEqual(next)
})

test('a reader that begins at the end gets only what comes', async () => {
  await using world = await openWebhookWorld()
  // More than nine, so that numbers are not in the order of their digits.
  for (let n = 0; n < 11; n++) await world.happens()
  const end = await feedEnd(world.db, world.workspaceId)
  const id = await world.happens()
  expect((await follow(world.db, world.workspaceId, end)).ids).toEqual([id])
})

test('the latest events come latest first, on pages of any size, and none is left out', async () => {
  await using world = await openWebhookWorld()
  const happened: string[] = []
  for (let n = 0; n < 12; n++) happened.unshift(await world.happens())
  for (const limit of [1, 5, 12]) {
    const listed: string[] = []
    let before: string | null = null
    for (;;) {
      const page: { seq: string; body: Buffer }[] = await latestEvents(world.db, world.workspaceId, {
        before,
        limit,
      })
      listed.push(...idsOf({ bodies: page.map(({ body }) => body) }))
      if (page.length < limit) break
      before = page.at(-1)!.seq
    }
    expect(listed).toEqual(happened)
  }
})

test('the latest events of one type, or of one channel, are found wherever they stand', async () => {
  await using world = await openWebhookWorld()
  const failed = await world.happens('failed')
  const others = [await world.happens(), await world.happens()]
  const { db, workspaceId } = world
  const idsWith = async (filter: Parameters<typeof latestEvents>[2]) =>
    idsOf({ bodies: (await latestEvents(db, workspaceId, filter)).map(({ body }) => body) })
  const page = { before: null, limit: 1 }
  expect(await idsWith({ ...page, type: 'post.failed' })).toEqual([failed])
  const [first] = await latestEvents(db, workspaceId, page)
  const { data } = JSON.parse(first!.body.toString())
  expect(await idsWith({ ...page, channelId: data.destination.channelId })).toEqual([others[1]])
  expect(await idsWith({ ...page, channelId: workspaceId.replace(/.$/, 'f') })).toEqual([])
})

test('events of other workspaces are not in it', async () => {
  await using world = await openWebhookWorld()
  const [other] = await world.db<{ id: string }[]>`
    insert into workspace (id, name) values (gen_random_uuid(), 'Other') returning id`
  await world.happens('published', { workspaceId: other!.id })
  const own = await world.happens()
  expect((await follow(world.db, world.workspaceId)).ids).toEqual([own])
})

test.each(['0', '2147483646', '4294967295'])(
  'an event whose transaction ends late is not passed over, after %s others',
  async (assigned) => {
    await using world = await openWebhookWorld()
    if (assigned !== '0') await world.db`select setval('outbox_event_seq_seq', ${assigned}::bigint)`
    const slow = openDb({ ...world.connection, applicationName: 'slow', max: 1 })
    const recorded = Promise.withResolvers<void>()
    const mayEnd = Promise.withResolvers<void>()
    const late = slow.begin(async (tx) => {
      await announce(tx, [aChange(world.workspaceId, 'published')])
      recorded.resolve()
      await mayEnd.promise
    })
    await recorded.promise
    const quick = await world.happens()

    const before = await follow(world.db, world.workspaceId)
    expect(before.ids).toEqual([])
    mayEnd.resolve()
    await late
    await slow.end()
    const after = await follow(world.db, world.workspaceId, before.position)
    expect(after.ids).toHaveLength(2)
    expect(after.ids[1]).toBe(quick)
  },
)

test('a writer that begins while the horizon is computed does not move it back', async () => {
  await using world = await openWebhookWorld()
  const id = await world.happens()
  await world.db.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock_shared(720575940, 3)`
    expect((await follow(world.db, world.workspaceId)).ids).toEqual([id])
  })
})

test('many writers at once: a reader that follows them misses nothing and sees nothing twice', async () => {
  await using world = await openWebhookWorld()
  const writers = openDb({ ...world.connection, applicationName: 'writers', max: 8 })
  let writing = true
  const written = Promise.all(
    Array.from({ length: 8 }, async (_, writer) => {
      for (let n = 0; n < 40; n++) {
        await writers.begin(async (tx) => {
          await announce(tx, [aChange(world.workspaceId, 'published')])
          // Some transactions stay open over several others.
          if ((n + writer) % 5 === 0) await tx`select pg_sleep(0.01)`
          await announce(tx, [aChange(world.workspaceId, 'failed')])
        })
      }
    }),
  ).finally(() => (writing = false))
  const seen: string[] = []
  let position: FeedPosition | null = null
  const read = async () => {
    const page = await follow(world.db, world.workspaceId, position, 7)
    seen.push(...page.ids)
    position = page.position
  }
  while (writing) await read()
  await written
  await read()
  await writers.end()
  const all = await world.db<{ id: string }[]>`select id from outbox_event`
  expect(seen).toHaveLength(640)
  expect(new Set(seen)).toEqual(new Set(all.map(({ id }) => id)))
})

test('changes of one destination keep their order, even if the later change began first', async () => {
  await using world = await openWebhookWorld()
  const { db, workspaceId } = world
  await db`create table contested (id int primary key)`
  await db`insert into contested values (1)`
  const other = openDb({ ...world.connection, applicationName: 'other', max: 2 })
  const destinationId = '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'
  const change = (tx: Parameters<typeof announce>[0], status: 'failed' | 'scheduled') =>
    announce(tx, [aChange(workspaceId, status, { destinationId })])

  const firstHasRow = Promise.withResolvers<void>()
  const secondWaits = Promise.withResolvers<void>()
  // The second takes its transaction id first, then waits for the row that the first holds.
  const second = other.begin(async (tx) => {
    await tx`select pg_current_xact_id()`
    secondWaits.resolve()
    await firstHasRow.promise
    await tx`update contested set id = id`
    await change(tx, 'scheduled')
  })
  await secondWaits.promise
  await db.begin(async (tx) => {
    await tx`update contested set id = id`
    firstHasRow.resolve()
    await change(tx, 'failed')
  })
  await second
  await other.end()
  const { bodies } = await pageOf(db, workspaceId, null, 10)
  expect(bodies.map((body) => (JSON.parse(body.toString()) as { type: string }).type)).toEqual([
    'post.failed',
    'post.scheduled',
  ])
})

test('a page reads no more events than it gives, wherever its reader stands', async () => {
  await using world = await openWebhookWorld()
  const { workspaceId } = world
  const [other] = await world.db<{ id: string }[]>`
    insert into workspace (id, name) values (gen_random_uuid(), 'Other') returning id`
  await world.db`
    insert into outbox_event (workspace_id, id, type, post_id, destination_id, body, created_at)
    select case when n % 2 = 0 then ${workspaceId}::uuid else ${other!.id}::uuid end, gen_random_uuid(), 'post.published',
           gen_random_uuid(), gen_random_uuid(), '{"id":""}', now()
    from   generate_series(1, 20000) n`
  await world.db`vacuum analyze outbox_event`
  await using one = openOne(world)
  const at = async (share: number): Promise<FeedPosition> => {
    const [row] = await one.db<FeedPosition[]>`
      select seq::text as seq, id as "eventId"
      from   outbox_event
      where  workspace_id = ${workspaceId}
      order  by seq
      offset ${Math.round(share * 9_999)}
      limit  1`
    return row!
  }
  for (const after of [null, await at(0), await at(0.5), await at(0.99), await at(1)]) {
    const before = await one.eventsRead()
    const page = await pageOf(one.db, workspaceId, after, 20)
    // One more tells whether there are more, and one proves the position.
    expect((await one.eventsRead()) - before).toBeLessThanOrEqual(page.bodies.length + 2)
  }
})

/** A pool of one connection, which knows how many rows of events the database has read for it. */
function openOne(world: { connection: Connection }) {
  const db = openDb({ ...world.connection, applicationName: 'one', max: 1 })
  return {
    db,
    async eventsRead(): Promise<number> {
      await db`select pg_stat_force_next_flush()`
      const [row] = await db<[{ count: number }]>`
        select (seq_tup_read + idx_tup_fetch)::int as count
        from   pg_stat_user_tables
        where  relname = 'outbox_event'`
      return row.count
    },
    [Symbol.asyncDispose]: () => db.end(),
  }
}

test('the feed goes on behind what retention removed, and a reader that stood before is told so', async () => {
  await using world = await openWebhookWorld()
  const { db, workspaceId } = world
  const record = async (days: number) =>
    world.happens('published', { at: new Date(Date.now() - days * 86_400_000) })
  const old = [await record(40), await record(40), await record(40), await record(40)]
  const first = await pageOf(db, workspaceId, null, 1)
  const last = await pageOf(db, workspaceId, null, 4)
  // An event whose delivery is not settled stays behind.
  const { endpointId } = await world.anEndpoint('https://hooks.example.com/')
  await db`
    insert into delivery (workspace_id, endpoint_id, event_id, event_type)
    values (${workspaceId}, ${endpointId}, ${old[1]!}, 'post.published')`
  expect(await pruneEvents(db, 30, 100)).toBe(3)
  expect(await readFeed(db, workspaceId, await feedEnd(db, workspaceId), 10)).toMatchObject({ bodies: [] })
  const kept = await record(1)

  expect(await readFeed(db, workspaceId, first.position, 10)).toMatchObject({ expired: true })
  expect(await readFeed(db, workspaceId, { seq: '0', eventId: null }, 10)).toMatchObject({ expired: true })
  expect((await follow(db, workspaceId)).ids).toEqual([kept])
  const refused = await readFeed(db, workspaceId, first.position, 10)
  expect('expired' in refused && (await follow(db, workspaceId, refused.oldest)).ids).toEqual([kept])
  // Nothing follows the last event that was removed but what is kept: its reader has missed nothing.
  expect((await follow(db, workspaceId, last.position)).ids).toEqual([kept])
})

test('a reader of a quiet workspace goes on, however long ago its last event was removed', async () => {
  await using world = await openWebhookWorld()
  const { db, workspaceId } = world
  const nothing = await pageOf(db, workspaceId, null, 10)
  expect((await follow(db, workspaceId, nothing.position)).ids).toEqual([])
  await world.happens('published', { at: new Date(Date.now() - 40 * 86_400_000) })
  const { position } = await follow(db, workspaceId, nothing.position)
  expect(await pruneEvents(db, 30, 100)).toBe(1)
  expect((await follow(db, workspaceId, position)).ids).toEqual([])
  expect(await feedEnd(db, workspaceId)).toEqual(position)
  const next = await world.happens()
  expect((await follow(db, workspaceId, position)).ids).toEqual([next])
})

test('rounds of retention of several processes remove each event once and agree on the beginning', async () => {
  await using world = await openWebhookWorld()
  const { db, workspaceId } = world
  const at = new Date(Date.now() - 40 * 86_400_000)
  await db.begin((tx) =>
    announce(
      tx,
      Array.from({ length: 200 }, () => aChange(workspaceId, 'published', { at })),
    ),
  )
  const { position } = await follow(db, workspaceId, null, 100)
  const prune = async () => {
    let removed = 0
    for (let count = -1; count !== 0; removed += count) count = await pruneEvents(db, 30, 7)
    return removed
  }
  const removed = await Promise.all([prune(), prune(), prune()])
  expect(removed.reduce((sum, count) => sum + count)).toBe(200)
  expect(await feedEnd(db, workspaceId)).toEqual(position)
})
