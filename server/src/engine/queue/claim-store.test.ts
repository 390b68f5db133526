import { expect, test } from 'vitest'
import { aChannel, aWorkspace, queueChannels } from '../../../test/rigs/fixtures.ts'
import { plantMany } from '../../../test/rigs/plant-many.ts'
import {
  armed,
  duePost,
  ending,
  published,
  statusCounts,
  storeOn,
  untilLocked,
} from '../../../test/rigs/publishing-store.ts'
import { explained, statementOf } from '../../../test/rigs/query-plan.ts'
import { longReads } from '../../../test/rigs/rows-read.ts'
import { openWorld, type World } from '../../../test/rigs/world.ts'
import { openDb } from '../../platform/postgres/db.ts'

test('an edit that was accepted before the claim is what the claim hands out', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  const [edited = ''] = await duePost(db, workspaceId, [await aChannel(db, workspaceId)], ['old'])

  // The claim stops between its look, which asks for outages, and its locks.
  await db`alter table network_outage rename to listed_outage`
  await db.script(`
    create function outages() returns setof listed_outage language plpgsql as $$
    begin
      perform pg_advisory_xact_lock_shared(1);
      return query select * from listed_outage;
    end $$;
    create view network_outage as select * from outages()`)
  const other = await db.reserve()
  await other`begin`
  await other`select pg_advisory_xact_lock(1)`
  const claimed = storeOn(db).claim(10)
  await untilLocked(db, 'earliest as')
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
  const ids = [await duePost(db, workspaceId, channelIds), await duePost(db, workspaceId, channelIds)].flat()
  const workers = [storeOn(db), storeOn(db), storeOn(db), storeOn(db)]

  const works = (await Promise.all(workers.map((worker) => worker.claim(8)))).flat()
  works.push(...(await workers[0]!.claim(100)))

  expect(works.map(({ channelId }) => channelId).sort()).toEqual(channelIds.toSorted())
  expect(new Set(works.map(({ destinationId }) => destinationId)).size).toBe(12)
  expect(await statusCounts(db, ids)).toEqual({ publishing: 12, scheduled: 12 })
})

test('a claim that meets another one on a channel goes on with the channels that are free', async () => {
  await using world = await openWorld()
  const { db } = world
  const { workspaceId } = await aWorkspace(db)
  const channelIds = [await aChannel(db, workspaceId), await aChannel(db, workspaceId)]
  const [, free] = await duePost(db, workspaceId, channelIds)
  const [rival = ''] = await duePost(db, workspaceId, [channelIds[0]!])
  await db`update destination set due_at = due_at - interval '1 hour' where channel_id = ${channelIds[0]!} and id <> ${rival}`

  const other = await db.reserve()
  await other`begin`
  await other`update destination set status = 'publishing', fence = fence + 1, lease_until = now() + interval '1 minute' where id = ${rival}`
  const claimed = storeOn(db).claim(10)
  await untilLocked(db, 'earliest as')
  await other`commit`
  other.release()

  expect((await claimed).map(({ destinationId }) => destinationId)).toEqual([free])
})

test('ten thousand due destinations of one workspace do not stand before the one of another', async () => {
  await using world = await openWorld()
  const { db } = world
  const [big, small] = [await aWorkspace(db), await aWorkspace(db)]
  await plantMany(db, big.workspaceId, { channels: 1_000, each: 10 })
  const [late = ''] = await duePost(db, small.workspaceId, [await aChannel(db, small.workspaceId)])
  await db`update destination set due_at = now() where id = ${late}`

  const works = await storeOn(db, { perWorkspace: 6 }).claim(8)

  expect(works.map(({ destinationId }) => destinationId)).toContain(late)
  expect(works.filter(({ workspaceId }) => workspaceId === big.workspaceId)).toHaveLength(6)
})

test('a claim among ten thousand due destinations reads the partial index, and never the whole table', async ({
  annotate,
}) => {
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
})

test('a claim is on disk before it is handed out: one that a crash took back would share its fence with the next', async () => {
  await using world = await openWorld()
  const { workspaceId } = await aWorkspace(world.db)
  await duePost(world.db, workspaceId, [await aChannel(world.db, workspaceId)])
  const sent: string[] = []
  const onStatement = ({ text, values }: { text: string; values: readonly unknown[] }) =>
    void sent.push(`${text} ${values.join()}`)
  const db = openDb({ ...world.connection, applicationName: 'test', onStatement })

  expect(await storeOn(db).claim(1)).toHaveLength(1)

  await db.end()
  expect(sent.filter((text) => text.includes('synchronous_commit'))).toEqual([])
})

/** Due posts of workspaces with so many channels each, and the store of a publisher with one connection, which ends with `opened`. */
async function plantDue(
  world: World,
  opened: AsyncDisposableStack,
  workspaces: number,
  of: { channels: number; each: number },
) {
  for (let n = 0; n < workspaces; n++) await plantMany(world.db, (await aWorkspace(world.db)).workspaceId, of)
  const db = openDb({ ...world.connection, applicationName: 'one connection', max: 1, byIndex: true })
  opened.defer(() => db.end())
  return { db, store: storeOn(db) }
}

test('a claim reads few rows of what is due, though nothing waited when statistics were gathered', async () => {
  await using world = await openWorld()
  await using opened = new AsyncDisposableStack()
  await plantDue(world, opened, 1, { channels: 30, each: 40 })
  await world.db`update destination set status = 'published', published_at = now(), due_at = null`
  await world.db.script('vacuum analyze')
  const { db, store } = await plantDue(world, opened, 1, { channels: 30, each: 40 })

  const long = await longReads(db, {
    most: 500,
    act: async () => expect(await store.claim(64)).toHaveLength(30),
  })

  expect(long).toEqual([])
})

test.for([['leased'], ['processed by networks']] as const)(
  'a claim reads few rows of what is %s, though nothing was being published when statistics were gathered',
  async ([how]) => {
    await using world = await openWorld()
    await using opened = new AsyncDisposableStack()
    const { db, store } = await plantDue(world, opened, 4, { channels: 100, each: 1 })
    await world.db.script('vacuum analyze')
    expect(await store.claim(350)).toHaveLength(350)
    if (how !== 'leased')
      await world.db`
        update destination set leased_by = null, lease_until = null, due_at = now() + interval '1 hour'
        where  status = 'publishing'`

    const long = await longReads(db, {
      most: 800,
      act: async () => expect(await store.claim(50)).toHaveLength(50),
    })

    expect(long).toEqual([])
  },
)

test('what a publication reads does not grow with what was published and what waits', async () => {
  await using world = await openWorld()
  const { workspaceId } = await aWorkspace(world.db)
  const channelIds = [await aChannel(world.db, workspaceId), await aChannel(world.db, workspaceId)]
  await using connections = new AsyncDisposableStack()
  const db = openDb({ ...world.connection, applicationName: 'one connection', max: 1 })
  connections.defer(() => db.end())
  const store = storeOn(db)
  const publishOne = async () => {
    await duePost(world.db, workspaceId, channelIds.slice(0, 1))
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
  await queueChannels(world.db, workspaceId)

  expect(await publishOne()).toEqual([])
})
