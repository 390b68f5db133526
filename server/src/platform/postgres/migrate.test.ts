import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTransaction, untilBlocked } from '../../../test/rigs/fixtures.ts'
import { openWorld } from '../../../test/rigs/world.ts'
import { explainUnsuitable } from './database-facts.ts'
import { type Db, openDb } from './db.ts'
import { checkSchema, migrate, MigrationRefused, SchemaTooNew } from './migrate.ts'

const first = { '0001_people.sql': 'create table person (id int);\ncreate table pet (id int);\n' }
const second = { ...first, '0002_names.sql': 'alter table person add name text;' }

/** An empty database and a folder of migration files that the test fills. */
async function openPlace() {
  const world = await openWorld()
  await world.db`drop schema public cascade`
  await world.db`create schema public`
  const dir = await mkdtemp(join(tmpdir(), 'migrations-'))
  return {
    db: world.db,
    connection: world.connection,
    databaseUrl: world.databaseUrl,
    dir,
    async write(files: Record<string, string>) {
      for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text)
    },
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]()
      await rm(dir, { recursive: true })
    },
  }
}

const tables = async (db: Db) =>
  (
    await db`select table_name as name from information_schema.tables where table_schema = 'public' order by 1`
  ).map((row) => String(row['name']))

const schemaStatus = async (db: Db, dir: string) => (await checkSchema(db, dir)).status

const recordOf = async (db: Db) => [...(await db`select * from schema_migration`)]

/** A place whose first migration has run. */
async function openMigrated() {
  const place = await openPlace()
  await place.write(first)
  await migrate(place.db, place.dir)
  return place
}

test('files are applied once, in order, and recorded', async () => {
  await using place = await openPlace()
  await place.write(first)

  expect(await schemaStatus(place.db, place.dir)).toBe('behind')
  expect(await migrate(place.db, place.dir)).toEqual({ applied: ['0001_people'], version: 1 })
  expect(await schemaStatus(place.db, place.dir)).toBe('current')
  await place.write(second)
  expect(await schemaStatus(place.db, place.dir)).toBe('behind')
  expect(await migrate(place.db, place.dir)).toEqual({ applied: ['0002_names'], version: 2 })
  expect(await migrate(place.db, place.dir)).toEqual({ applied: [], version: 2 })
  expect(await tables(place.db)).toEqual(['person', 'pet', 'schema_migration'])
})

test('a database that is too old, or cannot hold every text, is refused in words and left as it is', async () => {
  await using place = await openPlace()
  await place.write(first)
  const name = `latin_${randomBytes(6).toString('hex')}`
  await place.db`create database ${place.db(name)} encoding 'LATIN1' locale 'C' template template0`
  const latin = openDb({ ...place.connection, database: name, applicationName: 'test' })
  await expect(migrate(latin, place.dir)).rejects.toThrow('encodes text as LATIN1')
  expect(await tables(latin)).toEqual([])
  await latin.end()
  await place.db`drop database ${place.db(name)}`

  expect(explainUnsuitable({ version: 14, encoding: 'UTF8' })).toContain('15 is the oldest that works')
  expect(explainUnsuitable({ version: 15, encoding: 'UTF8' })).toBeNull()
})

test('processes that start at once apply each file once between them', async () => {
  await using place = await openPlace()
  await place.write(second)

  const waits: number[] = []
  const results = await Promise.all(
    [1, 2, 3, 4].map((n) => migrate(place.db, place.dir, { onWait: () => waits.push(n) })),
  )

  expect(new Set(waits).size).toBe(waits.length)
  expect(results.flatMap(({ applied }) => applied).toSorted()).toEqual(['0001_people', '0002_names'])
})

test('a file that fails leaves nothing of itself, and what came before it stays', async () => {
  await using place = await openPlace()
  await place.write({ ...first, '0002_broken.sql': 'create table half (id int); select nonsense;' })

  await expect(migrate(place.db, place.dir)).rejects.toThrow('nonsense')

  expect(await tables(place.db)).toEqual(['person', 'pet', 'schema_migration'])
  expect(await schemaStatus(place.db, place.dir)).toBe('behind')
})

test('an applied file that was edited is refused by name', async () => {
  await using place = await openMigrated()
  await place.write({ ...second, '0001_people.sql': 'create table people (id int);' })

  await expect(migrate(place.db, place.dir)).rejects.toThrow(
    /another build of Postrider, whose step 0001_people/,
  )
  expect(await tables(place.db)).toEqual(['person', 'pet', 'schema_migration'])
})

test('other line ends are no edit', async () => {
  await using place = await openMigrated()
  await place.write({ '0001_people.sql': first['0001_people.sql'].replaceAll('\n', '\r\n') })

  expect(await migrate(place.db, place.dir)).toEqual({ applied: [], version: 1 })
})

test('a schema of a newer release is worked on as it is, unless a migration of it says that it breaks others', async () => {
  await using place = await openPlace()
  const third = { '0003_gone.sql': '-- migrate: breaking\ndrop table pet;' }
  await place.write(second)
  await migrate(place.db, place.dir)
  await rm(join(place.dir, '0002_names.sql'))

  expect(await schemaStatus(place.db, place.dir)).toBe('newer')
  expect(await migrate(place.db, place.dir)).toEqual({ applied: [], version: 2 })

  await place.write({ ...second, ...third })
  await migrate(place.db, place.dir)
  await rm(join(place.dir, '0002_names.sql'))
  await rm(join(place.dir, '0003_gone.sql'))
  expect(await schemaStatus(place.db, place.dir)).toBe('too_new')
  const refusal = migrate(place.db, place.dir)
  await expect(refusal).rejects.toBeInstanceOf(SchemaTooNew)
  await expect(refusal).rejects.toThrow('it has version 3, and releases that know versions up to 1')
})

test('a database from before 0.1.0 is refused in words, and left as it is', async () => {
  await using place = await openMigrated()
  await place.db`update schema_migration set name = '0001_first', checksum = 'another'`
  await place.write(second)
  const before = await recordOf(place.db)

  const refusal = migrate(place.db, place.dir)
  await expect(refusal).rejects.toBeInstanceOf(MigrationRefused)
  await expect(refusal).rejects.toThrow('from before release 0.1.0')
  expect(await schemaStatus(place.db, place.dir)).toBe('foreign')
  expect(await recordOf(place.db)).toEqual(before)
})

test('a migration makes way for the work that it holds up, and tries again', async () => {
  await using place = await openMigrated()
  await place.write(second)
  const reader = await openTransaction(place.db)
  await reader.tx`select from person`

  const locked: string[] = []
  const migrating = migrate(place.db, place.dir, { lockTimeoutMs: 20, onLocked: (name) => locked.push(name) })
  await expect.poll(() => locked.length, { timeout: 20_000 }).toBeGreaterThan(1)
  // Nobody waits behind it for long.
  expect(await place.db`select from person`).toHaveLength(0)
  await reader.commit()

  expect(await migrating).toEqual({ applied: ['0002_names'], version: 2 })
})

test('a migration that never gets its locks says what to do, and has changed nothing', async () => {
  await using place = await openMigrated()
  await place.write(second)
  const reader = await openTransaction(place.db)
  await reader.tx`select from person`

  const refusal = migrate(place.db, place.dir, { lockTimeoutMs: 10, triesForMs: 50 })

  await expect(refusal).rejects.toThrow(/0002_names could not get its locks.*pg_stat_activity/)
  await reader.commit()
  expect(await schemaStatus(place.db, place.dir)).toBe('behind')
})

const indexes = {
  ...first,
  '0002_indexes.sql': `-- migrate: concurrently
create index concurrently if not exists person_id on person (id);
-- The other one.
create unique index concurrently if not exists pet_id on pet (id);`,
}

const indexesOf = async (db: Db) =>
  (
    await db`
      select c.relname as name, i.indisvalid as valid from pg_index i join pg_class c on c.oid = i.indexrelid
      where c.relname in ('person_id', 'pet_id') order by 1`
  ).map((row) => `${String(row['name'])} ${row['valid'] === true ? 'valid' : 'invalid'}`)

test('indexes are built beside running work, by several processes once', async () => {
  await using place = await openMigrated()
  await place.write(indexes)
  const writer = await openTransaction(place.db)
  await writer.tx`insert into person values (1)`

  const migrating = Promise.all([1, 2, 3].map(() => migrate(place.db, place.dir)))
  await expect
    .poll(
      () =>
        place.db`select from pg_stat_activity where query like 'create index concurrently%' and wait_event_type = 'Lock'`,
    )
    .toHaveLength(1)
  await place.db`insert into person values (2)`
  await writer.commit()

  expect((await migrating).flatMap(({ applied }) => applied)).toEqual(['0002_indexes'])
  expect(await indexesOf(place.db)).toEqual(['person_id valid', 'pet_id valid'])
})

test('an index that a crash has left half built is built again', async () => {
  await using place = await openMigrated()
  await place.db`insert into pet values (1), (1)`
  await place.write(indexes)

  await expect(migrate(place.db, place.dir)).rejects.toThrow('could not create unique index')
  expect(await indexesOf(place.db)).toEqual(['person_id valid', 'pet_id invalid'])
  expect(await schemaStatus(place.db, place.dir)).toBe('behind')
  await place.db`delete from pet`

  expect(await migrate(place.db, place.dir)).toEqual({ applied: ['0002_indexes'], version: 2 })
  expect(await indexesOf(place.db)).toEqual(['person_id valid', 'pet_id valid'])
})

test.each([
  ['goes on and ends', () => Promise.resolve()],
  [
    'is ended, too',
    async (db: Db) => {
      await db`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'migrating'`
    },
  ],
])(
  'when a process is killed while it builds indexes and its statement %s, another one finishes them',
  async (_, endStatement) => {
    await using place = await openMigrated()
    await place.write(indexes)
    const writer = await openTransaction(place.db)
    await writer.tx`insert into person values (1)`
    const script = join(import.meta.dirname, '../../../test/rigs/migrate-process.ts')
    const child = spawn(process.execPath, [script, place.databaseUrl, place.dir], { stdio: 'inherit' })
    const exited = once(child, 'exit')
    await untilBlocked(place.db)

    child.kill('SIGKILL')
    await exited
    await endStatement(place.db)
    const waits: true[] = []
    const migrating = migrate(place.db, place.dir, { onWait: () => waits.push(true) })
    await place.db`insert into person values (2)`
    await writer.commit()

    expect((await migrating).version).toBe(2)
    expect(waits.length).toBeLessThanOrEqual(1)
    expect(await indexesOf(place.db)).toEqual(['person_id valid', 'pet_id valid'])
  },
)

test.each<[string, Record<string, string>, string]>([
  ['two files of one number', { ...first, '0001_again.sql': '' }, 'have the same number'],
  ['a name without a number', { 'people.sql': '' }, 'people.sql is not named like'],
  ['an unknown word in the first line', { '0001_a.sql': '-- migrate: slowly\n' }, 'migrate: slowly'],
  [
    'anything but indexes in a file that runs concurrently',
    { '0001_a.sql': '-- migrate: concurrently\ncreate table a (n int);' },
    'nothing but “create index concurrently',
  ],
])('%s are refused', async (_, files, words) => {
  await using place = await openPlace()
  await place.write(files)

  const refusal = migrate(place.db, place.dir)
  await expect(refusal).rejects.toBeInstanceOf(MigrationRefused)
  await expect(refusal).rejects.toThrow(words)
})

test('a file that comes before an applied one is refused', async () => {
  await using place = await openPlace()
  await place.write({ '0002_names.sql': 'create table name (id int)' })
  await migrate(place.db, place.dir)
  await place.write({ '0001_late.sql': 'create table late (id int)' })

  await expect(migrate(place.db, place.dir)).rejects.toBeInstanceOf(MigrationRefused)
})
