import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { commandLineWith } from '../../../test/rigs/command-line.ts'
import { openWorld } from '../../../test/rigs/world.ts'
import type { Finding } from './doctor-findings.ts'

test('a look that fails is told in its place, and hides nothing of what the others find', async () => {
  await using world = await openWorld()
  const folder = await mkdtemp(join(tmpdir(), 'postrider-doctor-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const doctor = commandLineWith({ DATABASE_URL: world.databaseUrl, DATA_DIR: folder, SANDBOX: 'off' })
  const found = async () => JSON.parse((await doctor('doctor', '--json')).said) as Finding[]
  const usual = await found()
  await world.db.script(`
    create function full_disk() returns int language plpgsql as
      $$ begin raise exception 'could not write to file: No space left on device' using errcode = '53100'; end $$;
    alter table activity rename to really_active;
    create view activity as select part, now() + full_disk() * interval '1 s' as at from really_active;
    insert into really_active (part) values ('webhooks');`)

  const broken = await found()

  const full = {
    name: 'work',
    detail: 'could not be looked at',
    fix: 'The disk of the database is full. Free some room on it.',
  }
  expect(broken).toContainEqual({ ...full, status: 'fail' })
  const others = usual
    .map(({ name }) => name)
    .filter((name) => ['disk', 'schema', 'channels', 'API'].includes(name))
  expect(others).toHaveLength(4)
  expect(broken.map(({ name }) => name)).toEqual(expect.arrayContaining(others))
})

test('a file of keys that any user of the machine can read, and one that is damaged, are told of', async () => {
  await using world = await openWorld()
  const folder = await mkdtemp(join(tmpdir(), 'postrider-doctor-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const doctor = commandLineWith({ DATABASE_URL: world.databaseUrl, DATA_DIR: folder, SANDBOX: 'off' })
  const file = join(folder, 'secret-keys')
  const told = async (name: string) =>
    (JSON.parse((await doctor('doctor', '--json')).said) as Finding[]).find(
      (finding) => finding.name === name,
    )
  await writeFile(file, randomBytes(32).toString('base64'), { mode: 0o600 })
  expect(await told('secret keys')).toMatchObject({ status: 'ok' })
  await chmod(file, 0o604)
  expect(await told('secret keys')).toMatchObject({
    status: 'warn',
    fix: expect.stringContaining(`chmod 600 ${file}`) as string,
  })
  await writeFile(file, '')
  expect(await told('secret keys')).toMatchObject({
    status: 'fail',
    detail: 'could not be looked at',
    fix: expect.stringMatching(/holds no usable keys: .+ Restore it from your backup/) as string,
  })
})
