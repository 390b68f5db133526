import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { guardFolder } from '../../test/guard.ts'
import { aChange, openWebhookWorld } from '../../test/webhook-world.ts'
import { MIGRATIONS } from '../platform/database.ts'
import { type Db, openDb } from '../platform/db.ts'
import { startEmbeddedPostgres } from '../platform/embedded-postgres/embedded-postgres.ts'
import { migrate } from '../platform/migrate.ts'
import { makeKeyring } from '../platform/sealing.ts'
import { readCursorKey } from '../platform/installation-store.ts'
import { cursors } from '../platform/cursor.ts'
import { type FeedPage, type FeedPosition, readFeed } from './event-feed-store.ts'
import { announce } from './outbox-store.ts'

/** A PostgreSQL of its own, whose transaction ids begin anew; `crash` ends it without warning and starts it again. */
async function openCluster() {
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-feed-'))
  await chmod(dataDir, 0o711)
  const guard = guardFolder(dataDir)
  const open = async () => {
    const postgres = await startEmbeddedPostgres({ dataDir })
    return { postgres, db: openDb({ ...postgres.connection, applicationName: 'feed', max: 2 }) }
  }
  let { postgres, db } = await open()
  await migrate(db, MIGRATIONS)
  return {
    get db() {
      return db
    },
    async crash() {
      process.kill(postgres.pid, 'SIGQUIT')
      await expect
        .poll(() =>
          db`select`.then(
            () => true,
            () => false,
          ),
        )
        .toBe(false)
      await db.end({ timeout: 0 })
      ;({ postgres, db } = await open())
    },
    async [Symbol.asyncDispose]() {
      await db.end({ timeout: 1 })
      await postgres.stop()
      guard.dismiss()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

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
  await restore(db, other.db)

  expect(await readCursorKey(other.db)).toEqual(await readCursorKey(db))
  expect(idsOf(await pageOf(other.db, workspaceId))).toEqual(ids)
  expect(idsOf(await pageOf(other.db, workspaceId, early.position))).toEqual(ids.slice(1))
  expect(idsOf(await pageOf(other.db, workspaceId, late.position))).toEqual([])
  const next = await record(other.db, workspaceId)
  expect(idsOf(await pageOf(other.db, workspaceId, late.position))).toEqual([next])
})

test('restored from an older backup, the feed refuses a cursor from after it, however many events have come since', async () => {
  await using world = await openWebhookWorld()
  await using other = await openCluster()
  const { db, workspaceId } = world
  const kept = await record(db, workspaceId)
  await restore(db, other.db)
  const lost = await record(db, workspaceId)
  const after = await pageOf(db, workspaceId)
  expect(idsOf(after)).toEqual([kept, lost])

  const refusal = { expired: true, oldest: { seq: '0', eventId: null } }
  expect(await readFeed(other.db, workspaceId, after.position, 10)).toEqual(refusal)
  const next = await record(other.db, workspaceId)
  expect(await readFeed(other.db, workspaceId, after.position, 10)).toEqual(refusal)
  expect(idsOf(await pageOf(other.db, workspaceId, refusal.oldest))).toEqual([kept, next])
})

test('a crash of the database passes no event over', async () => {
  await using cluster = await openCluster()
  await using world = await openWebhookWorld()
  const { workspaceId } = world
  await restore(world.db, cluster.db)
  const before = await record(cluster.db, workspaceId)
  // Transactions that nobody waits for: the crash forgets them, and their ids are given to others.
  await cluster.db`checkpoint`
  for (let n = 0; n < 50; n++)
    await cluster.db.begin(async (tx) => {
      await tx`set local synchronous_commit = off`
      await tx`update workspace set name = ${`name ${n}`}`
    })
  const { position, bodies } = await pageOf(cluster.db, workspaceId)
  expect(bodies).toHaveLength(1)
  await cluster.crash()

  const next = await record(cluster.db, workspaceId)
  expect(idsOf(await pageOf(cluster.db, workspaceId, position))).toEqual([next])
  expect(idsOf(await pageOf(cluster.db, workspaceId))).toEqual([before, next])
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
