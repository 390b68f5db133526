import { expect, test } from 'vitest'
import { openWorld } from '../../../test/rigs/world.ts'
import { sealedKinds } from '../secrets/sealed-kinds.ts'
import { listWorkspaceTables } from './workspace-store.ts'
import { movedTables, workspaceTables } from './workspace-tables.ts'

/* What a table is to an exported workspace, and to one that is deleted, is compared with the schema. */

test('of every table it is said whether it goes with an exported workspace, or why not', async () => {
  await using world = await openWorld()
  const tables = await world.db<{ name: string }[]>`
    select tablename as name from pg_tables where schemaname = current_schema()`
  expect(Object.keys(workspaceTables).toSorted()).toEqual(tables.map(({ name }) => name).toSorted())
  const ofWorkspaces = new Set((await listWorkspaceTables(world.db)).map(({ name }) => name))
  expect([...movedTables].filter((name) => !ofWorkspaces.has(name))).toEqual([])
})

test('what leads to rows of a workspace says of which it is, so that the deletion of that finds it', async () => {
  await using world = await openWorld()
  const ofWorkspaces = (await listWorkspaceTables(world.db)).map(({ name }) => name)
  const others = await world.db<{ name: string }[]>`
    select distinct f.conrelid::regclass::text as name
    from   pg_constraint f
    where  f.contype = 'f' and f.confrelid::regclass::text = any(${ofWorkspaces})
    and    f.conrelid::regclass::text <> all(${ofWorkspaces})`
  expect(others).toEqual([])
})

test('what goes leads to nothing that is left, but to people', async () => {
  await using world = await openWorld()
  const leads = await world.db<{ from: string; to: string }[]>`
    select f.conrelid::regclass::text as from, f.confrelid::regclass::text as to
    from   pg_constraint f
    where  f.contype = 'f' and f.connamespace = current_schema()::regnamespace`
  const dangling = leads.filter(({ from, to }) => movedTables.has(from) && !movedTables.has(to))
  expect(dangling).toEqual([{ from: 'member', to: 'person' }])
})

test('every secret in a table that goes is sealed anew', () => {
  const sealed = sealedKinds.filter(({ column }) => movedTables.has(column.split('.')[0] ?? ''))
  expect(sealed.length).toBeGreaterThan(0)
  expect(sealed.filter(({ ofWorkspace }) => ofWorkspace === undefined)).toEqual([])
})

test('each column of people in a table that goes has another value where they are others', async () => {
  await using world = await openWorld()
  const columns = await world.db<{ table: string; column: string }[]>`
    select table_name as table, column_name as column from information_schema.columns
    where  table_schema = current_schema() and column_name like '%person%'`
  const ofPeople = columns.filter(({ table }) => movedTables.has(table)).map(({ column }) => column)
  expect(new Set(ofPeople)).toEqual(new Set(['person_id']))
})
