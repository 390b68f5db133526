import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { openCluster } from '../../../test/rigs/cluster.ts'
import { aChange, openWebhookWorld } from '../../../test/rigs/webhook-world.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { makeKeyring } from '../../platform/sealing/sealing.ts'
import { readCursorKey } from '../../platform/sealing/installation-store.ts'
import { cursors } from '../../edge/operations/cursor.ts'
import { type FeedPage, type FeedPosition, readFeed } from './event-feed-store.ts'
import { announce } from './outbox-store.ts'

async function pageOf(
  db: Db,
  workspaceId: string,
  after: FeedPosition | null = null,
  limit = 100,
): Promise<FeedPage> {
  const page = await readFeed(db, workspaceId, after, limit)
  if ('expired' in page) throw new Error('expired')
  return page
}

const idsOf = ({ bodies }: FeedPage) =>
  bodies.map((body) => (JSON.parse(body.toString()) as { id: string }).id)

async function record(db: Db, workspaceId: string): Promise<string> {
  await db.begin((tx) => announce(tx, [aChange(workspaceId, 'published')]))
  const [event] = await db<[{ id: string }]>`select id from outbox_event order by seq desc limit 1`
  return event.id
}

const TABLES = ['workspace', 'outbox_event', 'event_feed_start', 'installation']

/** What a dump of a database restores of the feed: rows as they are, and how far each sequence was. */
async function restore(from: Db, to: Db): Promise<void> {
  await to`truncate installation`
  for (const table of TABLES) {
    const [dump] = await from<
      [{ rows: string }]
    >`select coalesce(json_agg(t), '[]')::text as rows from ${from(table)} t`
    await to`
      insert into ${to(table)} overriding system value
      select * from json_populate_recordset(null::${to(table)}, ${dump.rows}::text::json)`
  }
  const [{ seq }] = await from<[{ seq: string }]>`select last_value::text as seq from outbox_event_seq_seq`
  await to`select setval('outbox_event_seq_seq', ${seq}::bigint)`
}

test('dumped and restored into another cluster, the feed is whole for new readers and goes on for old ones', async () => {
  await using world = await openWebhookWorld()
  await using other = await openCluster()
  const { db, workspaceId } = world
  const [ids, early] = [[await record(db, workspaceId)], await pageOf(db, workspaceId)]
  ids.push(await record(db, workspaceId), await record(db, workspaceId))
  const late = await pageOf(db, workspaceId)
  await restore(db, other.world.db)

  expect(await readCursorKey(other.world.db)).toEqual(await readCursorKey(db))
  expect(idsOf(await pageOf(other.world.db, workspaceId))).toEqual(ids)
  expect(idsOf(await pageOf(other.world.db, workspaceId, early.position))).toEqual(ids.slice(1))
  expect(idsOf(await pageOf(other.world.db, workspaceId, late.position))).toEqual([])
  const next = await record(other.world.db, workspaceId)
  expect(idsOf(await pageOf(other.world.db, workspaceId, late.position))).toEqual([next])
})

test('restored from an older backup, the feed refuses a cursor from after it, however many events have come since', async () => {
  await using world = await openWebhookWorld()
  await using other = await openCluster()
  const { db, workspaceId } = world
  const kept = await record(db, workspaceId)
  await restore(db, other.world.db)
  const lost = await record(db, workspaceId)
  const after = await pageOf(db, workspaceId)
  expect(idsOf(after)).toEqual([kept, lost])

  const refusal = { expired: true, oldest: { seq: '0', eventId: null } }
  expect(await readFeed(other.world.db, workspaceId, after.position, 10)).toEqual(refusal)
  const next = await record(other.world.db, workspaceId)
  expect(await readFeed(other.world.db, workspaceId, after.position, 10)).toEqual(refusal)
  expect(idsOf(await pageOf(other.world.db, workspaceId, refusal.oldest))).toEqual([kept, next])
})

test('a crash of the database passes no event over', async () => {
  await using cluster = await openCluster()
  await using world = await openWebhookWorld()
  const { workspaceId } = world
  await restore(world.db, cluster.world.db)
  const before = await record(cluster.world.db, workspaceId)
  // Transactions that nobody waits for: the crash forgets them, and their ids are given to others.
  await cluster.world.db`checkpoint`
  for (let n = 0; n < 50; n++)
    await cluster.world.db.begin(async (tx) => {
      await tx`set local synchronous_commit = off`
      await tx`update workspace set name = ${`name ${n}`}`
    })
  const { position, bodies } = await pageOf(cluster.world.db, workspaceId)
  expect(bodies).toHaveLength(1)
  await cluster.crash()

  const next = await record(cluster.world.db, workspaceId)
  expect(idsOf(await pageOf(cluster.world.db, workspaceId, position))).toEqual([next])
  expect(idsOf(await pageOf(cluster.world.db, workspaceId))).toEqual([before, next])
})

test('cursors hold through every rotation of the secret keys', async () => {
  await using world = await openWebhookWorld()
  const [old, recent] = [randomBytes(32), randomBytes(32)]
  const scope = [world.workspaceId, 'listEvents']
  makeKeyring([old])
  const cursor = cursors(await readCursorKey(world.db)).issue(scope, { seq: '1', eventId: null })
  makeKeyring([recent])
  expect(cursors(await readCursorKey(world.db)).read(cursor, scope)).toEqual({ seq: '1', eventId: null })
})
