import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { knownMigrations, listApplied, migrate } from '../src/platform/postgres/migrate.ts'
import { MAIN } from './rigs/built.ts'
import { root } from './rigs/product.ts'
import { openWorld } from './rigs/world.ts'

test('a build neither applies nor knows a migration that the checkout has got since', async () => {
  const checkout = await mkdtemp(join(tmpdir(), 'postrider-pulled-'))
  onTestFinished(() => rm(checkout, { recursive: true }))
  await cp(dirname(MAIN), join(checkout, 'server/dist'), { recursive: true })
  for (const path of ['server/package.json', 'server/migrations'])
    await cp(join(root, path), join(checkout, path), { recursive: true })
  await symlink(join(root, 'node_modules'), join(checkout, 'node_modules'))
  const pulled = join(checkout, 'server/migrations')
  const known = knownMigrations(pulled)
  await writeFile(
    join(pulled, '9999_pulled.sql'),
    '-- migrate: breaking\ncreate table pulled (id integer primary key);',
  )
  await using world = await openWorld()
  const runMigrate = () =>
    promisify(execFile)(process.execPath, [join(checkout, 'server/dist/main.js'), 'migrate'], {
      cwd: checkout,
      env: { DATABASE_URL: world.databaseUrl, DATA_DIR: join(checkout, 'data') },
    })

  await runMigrate()
  expect((await listApplied(world.db)).map(({ name }) => name)).toEqual(known.map(({ name }) => name))

  await migrate(world.db, pulled)
  await expect(runMigrate()).rejects.toMatchObject({
    stderr: expect.stringContaining('too new for this release: it has version 9999') as string,
  })
})
