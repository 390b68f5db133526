import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../src/app/app.ts'
import { watchReadiness } from '../src/edge/api/http/readiness.ts'
import { readConfig } from '../src/platform/config/config.ts'
import { createLog } from '../src/platform/process/log.ts'
import type { Db } from '../src/platform/postgres/db.ts'
import { commandLineWith } from './rigs/command-line.ts'
import { openWorld } from './rigs/world.ts'

/* One check of the schema: where a server cannot start, `doctor` and /readyz say so, in the same words. */

const newer = (db: Db, breaking: boolean) =>
  db`insert into schema_migration (version, name, checksum, breaking) values (9999, '9999_later', 'x', ${breaking})`
const edit = (db: Db) => db`update schema_migration set checksum = 'another' where version = 3`

type Case = [string, (db: Db) => Promise<unknown>, { status: string; starts: boolean }]

test.each<Case>([
  ['as this release made it', async () => undefined, { status: 'current', starts: true }],
  [
    'of a newer release, which leaves room for this one',
    (db) => newer(db, false),
    { status: 'newer', starts: true },
  ],
  [
    'of a newer release, which breaks with this one',
    (db) => newer(db, true),
    { status: 'too_new', starts: false },
  ],
  ['with a step that another build had otherwise', edit, { status: 'foreign', starts: false }],
  [
    'with such a step, and newer',
    async (db) => {
      await edit(db)
      await newer(db, false)
    },
    { status: 'foreign', starts: false },
  ],
  [
    'without a step that comes before others',
    (db) => db`delete from schema_migration where version = 3`,
    { status: 'foreign', starts: false },
  ],
  [
    'from before the first release',
    (db) => db`update schema_migration set name = '0001_first', checksum = 'another' where version = 1`,
    { status: 'foreign', starts: false },
  ],
])('a schema %s', async (_, change, { status, starts }) => {
  await using world = await openWorld()
  await change(world.db)
  const folder = await mkdtemp(join(tmpdir(), 'postrider-schema-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const env = { DATABASE_URL: world.databaseUrl, DATA_DIR: folder, SANDBOX: 'off', ROLES: 'webhooks' }

  const { exitCode, said } = await commandLineWith(env)('doctor', '--json')
  const finding = (JSON.parse(said) as { name: string; status: string; detail: string; fix: string }[]).find(
    ({ name }) => name === 'schema',
  )!
  const readiness = await watchReadiness(world.db)()
  const read = readConfig(env)
  if (!read.ok) throw new Error(read.faults.join())
  const log = createLog({ level: 'silent' })
  const refusal = await startApp(read.config, log).then(
    async (app) => {
      await app.stop()
      return null
    },
    (error: Error) => error.message,
  )

  expect(refusal === null).toBe(starts)
  expect(finding.status !== 'fail').toBe(starts)
  expect(readiness).toMatchObject({ schema: status, status: starts ? 'ready' : 'not_ready' })
  if (refusal === null) return
  expect(exitCode).toBe(1)
  expect(`The schema of the database is ${finding.detail}. ${finding.fix}`).toBe(refusal)
  expect(readiness.reason).toBe(refusal)
  // Words for those who run it: the step is named, and nothing is asked of them that only an author of it could do.
  expect(refusal).not.toMatch(/\bfile|\btext|edited|migration/i)
})
