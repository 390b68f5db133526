import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { announce } from '../src/engine/outbox/outbox-store.ts'
import type { Db } from '../src/platform/postgres/db.ts'
import { NIL_UUID } from '../src/platform/text/nil-uuid.ts'
import { makeKeyring } from '../src/platform/sealing/sealing.ts'
import { claim } from '../src/engine/webhooks/delivery-store.ts'
import { createEndpoint } from '../src/engine/webhooks/manage-endpoints.ts'
import { aChannel, aPost, aWorkspace, snapshotOf } from './rigs/fixtures.ts'
import { storeOn } from './rigs/publishing-store.ts'
import { aChange, anywhere } from './rigs/webhook-world.ts'
import { copyWorld, openWorld } from './rigs/world.ts'

/* Nothing of a workspace refers to another: two databases may each have some of them. */

test('two databases with half of the workspaces each claim together what one with all of them claims', async () => {
  await using whole = await openWorld()
  const workspaceIds: string[] = []
  for (let n = 0; n < 4; n++) workspaceIds.push(await aBusyWorkspace(whole.db))
  const halves = [workspaceIds.slice(0, 2), workspaceIds.slice(2)]
  await using first = await copyWorld(whole)
  await using second = await copyWorld(whole)
  await keepOnly(first.db, halves[0]!)
  await keepOnly(second.db, halves[1]!)

  for (const [half, { db }] of [first, second].entries()) {
    for (const workspaceId of workspaceIds) {
      const kept = await snapshotOf(db, workspaceId)
      if (halves[half]!.includes(workspaceId)) expect(kept).toEqual(await snapshotOf(whole.db, workspaceId))
      else expect(Object.values(kept).flat()).toEqual([])
    }
  }
  const together = [await claimAll(first.db), await claimAll(second.db)]
  expect(together.map(({ length }) => length)).toEqual([10, 10])
  expect(together.flat().toSorted()).toEqual((await claimAll(whole.db)).toSorted())
})

test('the page on high availability names every unique key that is not within a workspace', async () => {
  await using world = await openWorld()
  const page = readFileSync(join(import.meta.dirname, '../../docs/high-availability.md'), 'utf8')
  const indexes = await world.db<{ name: string }[]>`
    select i.indexrelid::regclass::text as name
    from   pg_index i
    join   pg_attribute w on w.attrelid = i.indrelid and w.attname = 'workspace_id'
    join   pg_class t on t.oid = i.indrelid and t.relnamespace = current_schema()::regnamespace
    where  i.indisunique and not w.attnum = any (i.indkey)`

  expect(indexes.length).toBeGreaterThan(0)
  expect(indexes.map(({ name }) => name).filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})

test('the page on high availability says of every table whether it can be distributed by workspace', async () => {
  await using world = await openWorld()
  const page = readFileSync(join(import.meta.dirname, '../../docs/high-availability.md'), 'utf8')
  const tables = await world.db<{ name: string; begin: string }[]>`
    select t.relname as name,
           case when w.attnotnull then '| \`workspace_id\` is not null' when w.attnum is not null then '| \`workspace_id\` may be null'
                else '| no \`workspace_id\`' end as begin
    from   pg_class t
    left   join pg_attribute w on w.attrelid = t.oid and w.attname = 'workspace_id'
    where  t.relkind = 'r' and t.relnamespace = current_schema()::regnamespace`
  const named = page.split('\n').flatMap((line) => {
    const begin = /^\| (?:`workspace_id` (?:is not|may be) null|no `workspace_id`)/.exec(line)?.[0]
    if (begin === undefined) return []
    return [...line.slice(begin.length).matchAll(/`(\w+)`/g)].map(([, name]) => `${begin}: ${name}`)
  })

  const expected = tables.map(({ begin, name }) => `${begin}: ${name}`).toSorted()
  expect(named.filter((row) => !row.endsWith(': workspace_id')).toSorted()).toEqual(expected)
})

/** Three channels with something due on each, and two endpoints that an event is owed to. */
async function aBusyWorkspace(db: Db): Promise<string> {
  const { workspaceId } = await aWorkspace(db)
  const keyring = makeKeyring([randomBytes(32)])
  for (let n = 0; n < 3; n++) {
    const channelId = await aChannel(db, workspaceId)
    await aPost(db, workspaceId, { states: ['scheduled'], channelIds: [channelId], publishAt: new Date() })
  }
  for (const url of ['https://one.example/hook', 'https://two.example/hook']) {
    await createEndpoint({ db, keyring, rules: anywhere }, workspaceId, {
      url,
      description: '',
      eventTypes: ['post.published'],
    })
  }
  await db.begin((tx) => announce(tx, [aChange(workspaceId, 'published')]))
  return workspaceId
}

async function claimAll(db: Db): Promise<string[]> {
  const store = storeOn(db)
  const deliveries = await claim(db, {
    limit: 100,
    perEndpoint: 10,
    favoured: { endpointIds: [], perEndpoint: 10 },
    failing: false,
    after: NIL_UUID,
    except: [],
    leaseMs: 60_000,
  })
  return [
    ...(await store.claim(100)).map(({ destinationId }) => destinationId),
    ...deliveries.map(({ endpointId, eventId }) => `${endpointId} ${eventId}`),
  ]
}

/** As the page on high availability says it. */
async function keepOnly(db: Db, workspaceIds: readonly string[]): Promise<void> {
  const tables = await db<{ name: string }[]>`
    select table_name as name from information_schema.columns
    where  table_schema = current_schema() and column_name = 'workspace_id'`
  await db.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    for (const { name } of tables)
      await tx`delete from ${tx(name)} where workspace_id <> all (${[...workspaceIds]}::uuid[])`
    await tx`delete from workspace where id <> all (${[...workspaceIds]}::uuid[])`
  })
}
