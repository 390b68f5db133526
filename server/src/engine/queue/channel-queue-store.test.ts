import { expect, test } from 'vitest'
import { aChannel, aPost, aWorkspace, openTransaction, untilBlocked } from '../../../test/rigs/fixtures.ts'
import { armed, duePost, ending, published, storeOn } from '../../../test/rigs/publishing-store.ts'
import { overlookedChannels } from '../../../test/simulation/store-twins.ts'
import { openWorld } from '../../../test/rigs/world.ts'
import { replaceContent } from '../destinations/destination-store.ts'
import type { Db, Sql } from '../../platform/postgres/db.ts'

const overdue = new Date(Date.now() - 60_000)

/** Two destinations of one channel: the first is out of the way in the state that is given, the second is due. */
async function aQueue(db: Db, first: 'publishing' | 'cancelled') {
  const { workspaceId } = await aWorkspace(db)
  const channelId = await aChannel(db, workspaceId)
  const options = { channelIds: [channelId], publishAt: overdue }
  await aPost(db, workspaceId, { ...options, states: [first] })
  const { destinationIds } = await aPost(db, workspaceId, { ...options, states: ['scheduled'] })
  return { channelId, next: destinationIds[0]! }
}

/** The channels that a claim looks at. */
function openChannels(db: Db) {
  return db`
    select from channel_queue q
    where  look_at <= now() and not exists (select from publication p where p.channel_id = q.channel_id)`
}

type Change = {
  first: 'publishing' | 'cancelled'
  /** What keeps the channel from being claimed. */
  hold: (sql: Sql) => Promise<unknown>
  release: (sql: Sql) => Promise<unknown>
}

const changes: Record<string, Change> = {
  'the end of a publication that its network has had': {
    first: 'publishing',
    hold: (sql) => sql`
      update destination set leased_by = null, lease_until = null, due_at = now() + interval '1 hour' where status = 'publishing'`,
    release: (sql) => sql`update destination set status = 'failed' where status = 'publishing'`,
  },
  'the end of a publication that is tried again': {
    first: 'publishing',
    hold: (sql) => sql`
      update destination set leased_by = null, lease_until = null, due_at = now() + interval '1 hour' where status = 'publishing'`,
    release: (sql) => sql`
      update destination set status = 'delayed', due_at = now(), check_again_at = now() where status = 'publishing'`,
  },
  'an earlier time': {
    first: 'cancelled',
    hold: (sql) => sql`update destination set due_at = now() + interval '1 hour'`,
    release: (sql) => sql`update destination set due_at = publish_at`,
  },
  'the switch of a channel': {
    first: 'cancelled',
    hold: (sql) => sql`update channel set enabled = false`,
    release: (sql) => sql`update channel set enabled = true`,
  },
  'the end of a pause': {
    first: 'cancelled',
    hold: (sql) => sql`update channel set paused_until = now() + interval '1 hour'`,
    release: (sql) => sql`update channel set paused_until = null`,
  },
  'the end of an outage': {
    first: 'cancelled',
    async hold(sql) {
      await sql`update channel set provider_origin = 'https://away.example'`
      await sql`insert into network_outage (origin, probe_at) values ('https://away.example', now() + interval '1 hour')`
    },
    release: (sql) => sql`delete from network_outage`,
  },
}

test.each(Object.entries(changes))(
  '%s has a channel looked at again, before, during and after a claim that puts it off',
  async (_name, { first, hold, release }) => {
    await using world = await openWorld()
    const { db } = world
    const { channelId, next } = await aQueue(db, first)
    await hold(db)
    await db`update channel_queue set look_at = '-infinity'`
    const store = storeOn(db, { perWorkspace: 2 })

    // The claim begins while the change is under way: it sees nothing of it, and must not put the channel off.
    const changing = await openTransaction(db)
    await release(changing.tx)
    expect(await store.claim(8)).toEqual([])
    expect(await db`select from channel_queue where look_at <= now()`).toHaveLength(1)
    await changing.rollback()

    // With nothing in flight it is postponed,
    expect(await store.claim(8)).toEqual([])
    expect(await openChannels(db)).toHaveLength(0)

    // and a change that begins while another claim is about to put it off waits for that one.
    await db`update channel_queue set look_at = '-infinity'`
    const claiming = await openTransaction(db)
    await claiming.tx`
      select from channel c join channel_queue q on q.channel_id = c.id where c.id = ${channelId} for update of c, q`
    const released = Promise.resolve(release(db))
    await untilBlocked(db)
    await claiming.tx`update channel_queue set look_at = 'infinity'`
    await claiming.commit()
    await released

    expect((await store.claim(8)).map(({ destinationId }) => destinationId)).toEqual([next])
  },
)

test('a channel is put off when something of it is claimed, and looked at again when its next destination is due', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  const [backlog, planned, last] = [
    await aChannel(db, workspaceId),
    await aChannel(db, workspaceId),
    await aChannel(db, workspaceId),
  ]
  const at = (channelId: string, publishAt: Date) =>
    aPost(db, workspaceId, { channelIds: [channelId], states: ['scheduled'], publishAt })
  const tomorrow = new Date(Date.now() + 86_400_000)
  for (const channelId of [backlog, planned, last]) await at(channelId, overdue)
  await at(backlog, overdue)
  await at(planned, tomorrow)
  const store = storeOn(db)

  const works = await store.claim(8)
  for (const work of works) await store.settle(ending(work, await armed(store, work), published))

  const lookedAt = (at: Date | 'infinity') =>
    db`select channel_id as id from channel_queue where look_at = ${at}`
  expect(await lookedAt(tomorrow)).toEqual([{ id: planned }])
  expect(await lookedAt('infinity')).toEqual([{ id: last }])
  expect((await store.claim(8)).map(({ channelId }) => channelId)).toEqual([backlog])
})

/** A workspace with so many channels, on each of which one destination is due. */
async function aBusyWorkspace(db: Db, channels: number, dueAt: Date): Promise<string> {
  const { workspaceId } = await aWorkspace(db)
  const channelIds: string[] = []
  for (let number = 0; number < channels; number += 1) channelIds.push(await aChannel(db, workspaceId))
  await aPost(db, workspaceId, { channelIds, states: channelIds.map(() => 'scheduled'), publishAt: dueAt })
  return workspaceId
}

test('held, disabled and paused channels are postponed, and hide nothing that stands behind them', async () => {
  await using world = await openWorld()
  const { db } = world
  const held = await aBusyWorkspace(db, 150, overdue)
  await db`update channel set enabled = false where workspace_id = ${held}`
  const paused = await aBusyWorkspace(db, 150, overdue)
  await db`update channel set paused_until = now() + interval '1 hour' where workspace_id = ${paused}`
  const free = await aBusyWorkspace(db, 1, new Date(Date.now() - 1_000))

  expect(await storeOn(db, { perWorkspace: 2 }).claim(8)).toMatchObject([{ workspaceId: free }])
  expect(await storeOn(db, { perWorkspace: 2 }).claim(8)).toEqual([])

  expect(await openChannels(db)).toHaveLength(0)
  expect(await overlookedChannels(db)).toEqual([])
  await db`update channel set enabled = true where workspace_id = ${held}`
  expect(await storeOn(db, { perWorkspace: 2 }).claim(8)).toMatchObject([
    { workspaceId: held },
    { workspaceId: held },
  ])
})

test('with more due channels than a claim considers, every workspace has its turn within one rotation', async () => {
  await using world = await openWorld()
  const { db } = world
  const workspaces = [await aBusyWorkspace(db, 140, overdue)]
  for (let number = 0; number < 5; number += 1)
    workspaces.push(await aBusyWorkspace(db, 2, new Date(Date.now() - 1_000 * (5 - number))))
  const store = storeOn(db, { perWorkspace: 2 })

  const turns: string[] = []
  for (let turn = 0; turn < workspaces.length; turn += 1) {
    const [work] = await store.claim(1)
    turns.push(work!.workspaceId)
  }

  expect(turns.toSorted()).toEqual(workspaces.toSorted())
})

test('an edit of several destinations locks the queues of their channels in one order', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  const [first, second] = [await aChannel(db, workspaceId), await aChannel(db, workspaceId)].sort()
  const ids = await duePost(db, workspaceId, [second!, first!])
  await db`update channel_queue set look_at = 'infinity'`
  const other = await openTransaction(db)
  await other.tx`select from channel_queue where channel_id = ${first!} for update`

  const contents = ids.map((destinationId) => ({ destinationId, content: null, settings: {}, parts: [] }))
  const editing = db.begin((tx) => tx`with ${replaceContent(tx, workspaceId, contents)} select`)
  await untilBlocked(db)

  expect(
    await db`select from channel_queue where channel_id = ${second!} for update skip locked`,
  ).toHaveLength(1)
  await other.rollback()
  await editing
})
