import { expect, test } from 'vitest'
import { aChange, openWebhookWorld } from '../../test/webhook-world.ts'
import { openDb, type Db } from '../platform/db.ts'
import { feedBegin, feedEnd, readFeed, type FeedPosition } from './event-feed-store.ts'
import { announce } from './outbox-store.ts'

/** Follows the feed from a position to its present end; gives the ids of the events and where it stands. */
async function follow(db: Db, workspaceId: string, from: FeedPosition = feedBegin, limit = 3) {
  const ids: string[] = []
  let position = from
  for (;;) {
    const page = await readFeed(db, workspaceId, position, limit)
    ids.push(...page.bodies.map((body) => (JSON.parse(body.toString()) as { id: string }).id))
    position = page.position
    if (!page.hasMore) return { ids, position }
  }
}

test('events come in the order they were recorded, on pages of any size, and the cursor goes on from its end', async () => {
  await using world = await openWebhookWorld()
  const first = []
  for (let n = 0; n < 10; n++) first.push(await world.happens())
  for (const limit of [1, 2, 3, 10, 100])
    expect((await follow(world.db, world.workspaceId, feedBegin, limit)).ids).toEqual(first)
  const { position } = await follow(world.db, world.workspaceId)
  expect((await follow(world.db, world.workspaceId, position)).ids).toEqual([])
  const next = [await world.happens(), await world.happens(), await world.happens(), await world.happens()]
  for (const limit of [1, 3, 100])
    expect((await follow(world.db, world.workspaceId, position, limit)).ids).toEqual(next)
})

test('a reader that begins at the end gets only what comes', async () => {
  await using world = await openWebhookWorld()
  await world.happens()
  const end = await feedEnd(world.db)
  const id = await world.happens()
  expect((await follow(world.db, world.workspaceId, end)).ids).toEqual([id])
})

test('events of other workspaces are not in it', async () => {
  await using world = await openWebhookWorld()
  const [other] = await world.db<{ id: string }[]>`
    insert into workspace (id, name) values (gen_random_uuid(), 'Other') returning id`
  await world.happens('published', { workspaceId: other!.id })
  const own = await world.happens()
  expect((await follow(world.db, world.workspaceId)).ids).toEqual([own])
})

test('an event whose transaction ends late is not passed over', async () => {
  await using world = await openWebhookWorld()
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
  let position = feedBegin
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
  const { bodies } = await readFeed(db, workspaceId, feedBegin, 10)
  expect(bodies.map((body) => (JSON.parse(body.toString()) as { type: string }).type)).toEqual([
    'post.failed',
    'post.scheduled',
  ])
})
