import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openWorld } from '../../test/world.ts'
import type { Db } from './db.ts'
import { migrate, MigrationRefused, SchemaTooNew, schemaStatus } from './migrate.ts'

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

test('processes that start at once apply each file once between them', async () => {
  await using place = await openPlace()
  await place.write(second)

  const results = await Promise.all([1, 2, 3, 4].map(() => migrate(place.db, place.dir)))

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
  await using place = await openPlace()
  await place.write(first)
  await migrate(place.db, place.dir)
  await place.write({ ...second, '0001_people.sql': 'create table people (id int);' })

  await expect(migrate(place.db, place.dir)).rejects.toThrow(/0001_people was edited/)
  expect(await tables(place.db)).toEqual(['person', 'pet', 'schema_migration'])
})

test('other line ends are no edit', async () => {
  await using place = await openPlace()
  await place.write(first)
  await migrate(place.db, place.dir)
  await place.write({ '0001_people.sql': first['0001_people.sql'].replaceAll('\n', '\r\n') })

  expect(await migrate(place.db, place.dir)).toEqual({ applied: [], version: 1 })
})

test('a database written by a newer release is refused', async () => {
  await using place = await openPlace()
  await place.write(second)
  await migrate(place.db, place.dir)
  await rm(join(place.dir, '0002_names.sql'))

  expect(await schemaStatus(place.db, place.dir)).toBe('too_new')
  const refusal = migrate(place.db, place.dir)
  await expect(refusal).rejects.toBeInstanceOf(SchemaTooNew)
  await expect(refusal).rejects.toThrow('schema version 2, and this release knows versions up to 1')
})

test.each<[string, Record<string, string>, string]>([
  ['two files of one number', { ...first, '0001_again.sql': '' }, 'have the same number'],
  ['a name without a number', { 'people.sql': '' }, 'people.sql is not named like'],
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
