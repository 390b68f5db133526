import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MIGRATIONS } from '../src/platform/database.ts'
import type { Db } from '../src/platform/db.ts'
import { migrate } from '../src/platform/migrate.ts'
import { anApproval, aPost, aWorkspace, openTransaction } from './rigs/fixtures.ts'
import { breakages, longLocks, readSchema, type Schema } from './rigs/schema-hazards.ts'
import { openEmptyWorld, openWorld, type World } from './rigs/world.ts'

/** The last migration from before there was this check. */
const CHECKED_AFTER = 36

/** Findings that are no fault, by the migration and what is found, with the reason. */
const accepted: Record<string, string> = {
  '0041_trigger_plans.sql: function write_post_search() does something else':
    'it writes the same by another plan',
  '0042_network_recovery.sql: function queue_channels_of_network() does something else':
    'it does the same where no recovery was made, as by the release before',
  '0056_destinations_in_order.sql: index destination_of_post makes columns unique that are written already':
    'a constraint has them unique',
  '0062_closed_requests.sql: function close_approval() does something else':
    'it does the same once a cancel of another draft of the post has ended',
  '0066_address_index.sql: index person_address makes columns unique that are written already':
    'the index person_email has them unique, and more',
  ...Object.fromEntries(
    [
      'approval',
      'attempt',
      'destination',
      'idempotency_record',
      'outbox_event',
      'part',
      'post',
      'post_search',
    ].map((table) => [
      `0049_first_statistics.sql: table ${table} is rewritten`,
      'only in a new database, where it is empty',
    ]),
  ),
}

let world: World
let schema: Schema
beforeAll(async () => {
  world = await openWorld()
  schema = await readSchema(world.db)
})
afterAll(() => world[Symbol.asyncDispose]())

/** What is wrong with a file; a breaking one may break releases from before it, which do not start on its schema. */
function findingsOf(text: string, before: Schema, after: Schema): string[] {
  const directives = /^-- migrate:(.*)/.exec(text)?.[1] ?? ''
  return [
    ...(directives.includes('breaking') ? [] : breakages(before, after)),
    ...longLocks(before, after, { concurrently: directives.includes('concurrently') }),
  ]
}

test.each<[string, string, string[]]>([
  [
    'a table that is dropped',
    'drop table network_failure',
    ['table network_failure is gone', 'column network_failure.origin is gone'],
  ],
  ['a table that is renamed', 'alter table worker rename to process', ['table worker is gone']],
  ['a column that is dropped', 'alter table post drop column content', ['column post.content is gone']],
  ['a column that is renamed', 'alter table post rename content to body', ['column post.content is gone']],
  [
    'a type that changes',
    'alter table delivery alter column round type bigint',
    ['column delivery.round was integer and is bigint', 'table delivery is rewritten'],
  ],
  [
    'a required column without a default',
    'alter table post add column tone text not null',
    ['column post.tone is new, required, and has no default'],
  ],
  [
    'a default that depends on the row, which rewrites the table',
    'alter table post add column lot uuid not null default gen_random_uuid()',
    ['table post is rewritten'],
  ],
  [
    'a column that may not be null any more',
    'alter table delivery alter column lease_until set not null',
    ['column delivery.lease_until is required now'],
  ],
  [
    'a default that is dropped',
    'alter table delivery alter column round drop default',
    ['column delivery.round has no default any more'],
  ],
  [
    'a check of old columns',
    `alter table delivery add constraint few_rounds check (round < 100)`,
    [
      'constraint delivery.few_rounds is new for columns that are written already',
      'constraint delivery.few_rounds is added and validated in one step',
    ],
  ],
  [
    'a foreign key that is validated at once',
    'alter table delivery add column of uuid, add constraint delivery_of foreign key (workspace_id, of) references post',
    ['constraint delivery.delivery_of is added and validated in one step'],
  ],
  [
    'an index that is built under a lock',
    'create index destination_late on destination (due_at)',
    ['index destination_late is built under a lock'],
  ],
  [
    'an index that makes old columns unique, even beside running work',
    '-- migrate: concurrently\ncreate unique index concurrently if not exists one_name on workspace (name);',
    ['index one_name makes columns unique that are written already'],
  ],
  [
    'a trigger that is dropped',
    'drop trigger part_writes_search on part',
    ['trigger part.part_writes_search is gone'],
  ],
  [
    'a function that does something else',
    `create or replace function owe_deliveries() returns trigger language plpgsql as 'begin return null; end'`,
    ['function owe_deliveries() does something else'],
  ],
])('%s is found', async (_, text, findings) => {
  const found = await findingsWith(text)
  for (const finding of findings) expect(found).toContainEqual(expect.stringContaining(finding))
})

test.each<[string, string]>([
  ['a column with a default', `alter table post add column tone text not null default 'plain'`],
  ['a table of its own', 'create table tone (name text primary key, weight int check (weight > 0))'],
  ['a column that is freed', 'alter table delivery alter column event_type drop not null'],
  [
    'an index beside running work',
    '-- migrate: concurrently\ncreate index concurrently if not exists destination_late on destination (due_at);',
  ],
  [
    'a constraint on a new column that is validated later',
    'alter table post add column lot int; alter table post add constraint lot_rule check (lot > 0) not valid',
  ],
  ['what says that it breaks', '-- migrate: breaking\ndrop table worker'],
])('%s is not', async (_, text) => {
  expect(await findingsWith(text)).toEqual([])
})

/** What is found of one more migration. */
async function findingsWith(text: string): Promise<string[]> {
  const { tx, rollback } = await openTransaction(world.db)
  try {
    await tx.script(text.replace('index concurrently', 'index'))
    return findingsOf(text, schema, await readSchema(tx))
  } finally {
    await rollback()
  }
}

test('no migration breaks the release before it, or locks a table for as long as its rows take', async () => {
  await using world = await openEmptyWorld()
  await migrate(world.db, MIGRATIONS, { upTo: CHECKED_AFTER })
  const names = (await readdir(MIGRATIONS)).toSorted().slice(CHECKED_AFTER)
  const found: string[] = []
  let before = await readSchema(world.db)
  for (const name of names) {
    await migrate(world.db, MIGRATIONS, { upTo: Number(name.slice(0, 4)) })
    const after = await readSchema(world.db)
    const text = await readFile(join(MIGRATIONS, name), 'utf8')
    found.push(...findingsOf(text, before, after).map((finding) => `${name}: ${finding}`))
    before = after
  }
  expect(found.toSorted()).toEqual(Object.keys(accepted).toSorted())
})

test('a database that has had the former text of migration 54 has the same indexes in the end', async () => {
  await using former = await openEmptyWorld()
  const { db } = former
  await migrate(db, MIGRATIONS, { upTo: 54 })
  await db.script(`
    drop index destination_before_id;
    create index destination_backdated on destination (workspace_id, post_id)
      where publish_at - uuid_extract_timestamp(post_id) < interval '-1 hour'
         or published_at - uuid_extract_timestamp(post_id) < interval '-1 hour';
    update schema_migration set checksum = '0c705e50ef819da04d5929cefcbebc3a3045d17c26f971a7eee2536467d00f40' where version = 54`)
  await migrate(db, MIGRATIONS)
  expect(await indexesOf(db)).toEqual(await indexesOf(world.db))
})

test('requests that were left open for posts without a draft are closed by migration 62', async () => {
  await using former = await openEmptyWorld()
  const { db } = former
  await migrate(db, MIGRATIONS, { upTo: 61 })
  // Of a later schema, for the statement by which a person is made.
  await db`create unique index person_address on person (email)`
  const { workspaceId } = await aWorkspace(db)
  const left = await aPost(db, workspaceId, { states: ['cancelled', 'cancelled'] })
  const waiting = await aPost(db, workspaceId, { states: ['cancelled', 'draft'] })
  for (const { postId } of [left, waiting]) await anApproval(db, workspaceId, postId)
  await migrate(db, MIGRATIONS)
  const requests = await db<
    { postId: string; status: string }[]
  >`select post_id as "postId", status from approval`
  expect(Object.fromEntries(requests.map(({ postId, status }) => [postId, status]))).toEqual({
    [left.postId]: 'superseded',
    [waiting.postId]: 'pending',
  })
})

async function indexesOf(db: Db): Promise<string[]> {
  const rows = await db<{ text: string }[]>`
    select indexdef as text from pg_indexes where schemaname = 'public' order by indexname`
  return rows.map(({ text }) => text)
}
