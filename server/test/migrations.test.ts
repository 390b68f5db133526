import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MIGRATIONS } from '../src/platform/embedded-postgres/database.ts'
import { migrate } from '../src/platform/postgres/migrate.ts'
import { openTransaction } from './rigs/fixtures.ts'
import { breakages, longLocks, readSchema, type Schema } from './rigs/schema-hazards.ts'
import { openEmptyWorld, openWorld, type World } from './rigs/world.ts'

/** Findings that are no fault, by the migration and what is found, with the reason. */
const accepted: Record<string, string> = {
  '0003_endpoint_right_lost.sql: constraint endpoint.endpoint_disabled_reason_check is new for columns that are written already':
    'it allows one value more',
  '0007_endpoint_duplicate_found.sql: constraint endpoint.endpoint_event_types_check is new for columns that are written already':
    'it allows all that the one before did, and one value more',
  '0008_bulk_decisions.sql: constraint bulk_run.bulk_run_action_check is new for columns that are written already':
    'it allows all that the one before did, and two values more',
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
    'alter table delivery alter column fence type bigint',
    ['column delivery.fence was integer and is bigint', 'table delivery is rewritten'],
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
    'drop trigger destination_updated on destination',
    ['trigger destination.destination_updated is gone'],
  ],
  [
    'a function that does something else',
    `create or replace function follow_destinations() returns trigger language plpgsql as 'begin return null; end'`,
    ['function follow_destinations() does something else'],
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
  await migrate(world.db, MIGRATIONS, { upTo: 1 })
  const [, ...names] = (await readdir(MIGRATIONS)).toSorted()
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
