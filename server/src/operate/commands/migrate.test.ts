import { expect, test } from 'vitest'
import { commandLineWith } from '../../../test/rigs/command-line.ts'
import { openWorld } from '../../../test/rigs/world.ts'

test('while another process migrates, the command says that it waits, and then what was left to do', async () => {
  await using world = await openWorld()
  const other = await world.db.reserve()
  await other`select pg_advisory_lock(7205759403)`

  const migrating = commandLineWith({ DATABASE_URL: world.databaseUrl })('migrate')
  const asking = () => world.db`
    select from pg_stat_activity
    where  datname = current_database() and application_name = 'postrider migrate' and query like '%pg_try_advisory_lock%'
    and    state like 'idle%'`
  await expect.poll(async () => (await asking()).length, { timeout: 20_000 }).toBe(1)
  await other`select pg_advisory_unlock(7205759403)`
  other.release()

  const { exitCode, said, errors } = await migrating
  expect({ exitCode, errors }).toEqual({
    exitCode: 0,
    errors: 'Another process brings the schema up to date. Waiting for it…\n',
  })
  expect(said).toMatch(/^Nothing to do: the schema is at version \d+\.\n$/)
})

test('a database from before 0.1.0 is left alone by every command, which says why', async () => {
  await using world = await openWorld()
  await world.db`update schema_migration set name = '0001_first', checksum = 'another'`
  const before = [...(await world.db`select * from schema_migration`)]

  const postrider = commandLineWith({ DATABASE_URL: world.databaseUrl })
  for (const args of [['migrate'], ['workspace', 'list'], ['doctor']])
    expect(await postrider(...args)).toMatchObject({ exitCode: 1 })
  for (const args of [['migrate'], ['workspace', 'list']])
    expect((await postrider(...args)).errors).toMatch(
      /^The schema of the database is from before release 0\.1\.0, /,
    )
  expect((await postrider('doctor')).said).toContain('from before release 0.1.0')
  // Nothing of it is left to the next command of the process.
  expect(await postrider('--version')).toMatchObject({ exitCode: 0 })
  expect(process.exitCode).toBeUndefined()
  expect([...(await world.db`select * from schema_migration`)]).toEqual(before)
})
