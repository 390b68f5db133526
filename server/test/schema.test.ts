import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Db } from '../src/platform/db.ts'
import { openEmptyWorld, openWorld } from './rigs/world.ts'

/** Every fact of a schema that a statement could notice, a line each: the record of migrations apart, and orders of columns. */
async function factsOf(db: Db): Promise<string[]> {
  const facts = await Promise.all(
    [
      `select 'column', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity,
              a.attstattarget, pg_get_expr(d.adbin, d.adrelid)
       from   pg_class c
       join   pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       left   join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
       where  c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'i')
       and    c.relname not like 'schema_migration%'`,
      `select 'relation', relname, relkind, reloptions from pg_class
       where  relnamespace = 'public'::regnamespace and relkind in ('r', 'i', 'S', 'v') and relname not like 'schema_migration%'`,
      `select 'constraint', conrelid::regclass::text, conname, contype, convalidated, pg_get_constraintdef(oid)
       from   pg_constraint
       where  connamespace = 'public'::regnamespace and contype <> 'n' and conrelid::regclass::text <> 'schema_migration'`,
      `select 'index', indexdef from pg_indexes where schemaname = 'public' and tablename <> 'schema_migration'`,
      `select 'function', pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace`,
      `select 'trigger', pg_get_triggerdef(oid) from pg_trigger where not tgisinternal`,
      // Which tables have statistics to begin with; their values hang on the sample of ANALYZE.
      `select distinct 'statistics', tablename from pg_stats where schemaname = 'public' and tablename <> 'schema_migration'`,
      `select 'rows', count(*)::int from installation`,
    ].map((text) => db.script(text)),
  )
  return facts
    .flat()
    .map((row) => JSON.stringify(Object.values(row)))
    .toSorted()
}

test('schema.sql is the schema that the migrations leave', async () => {
  await using migrated = await openWorld()
  await using read = await openEmptyWorld()
  await read.db.script(await readFile(join(import.meta.dirname, '../schema.sql'), 'utf8'))
  const facts = await factsOf(migrated.db)
  expect(facts.length).toBeGreaterThan(1_000)
  expect(await factsOf(read.db)).toEqual(facts)
})
