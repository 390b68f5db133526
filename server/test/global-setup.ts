import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { openDb } from '../src/platform/db.ts'
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres/embedded-postgres.ts'
import { migrate } from '../src/platform/migrate.ts'
import { guardFolder } from './guard.ts'

export type TestPostgres = { host: string; port: number; user: string; template: string }

declare module 'vitest' {
  interface ProvidedContext {
    postgres: TestPostgres
  }
}

const TEMPLATE = 'migrated'

/** What the tests' PostgreSQL may forget in a crash, nobody misses. */
const FAST = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', max_connections: '400' }

let tearDown: () => Promise<void> = () => Promise.resolve()

/** One PostgreSQL for the whole run, with one migrated database that openWorld clones. */
export async function setup(project: TestProject): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-test-'))
  // PostgreSQL runs as another user when the tests run as root.
  await chmod(dataDir, 0o711)
  const guard = guardFolder(dataDir)
  const postgres = await startEmbeddedPostgres({ dataDir, settings: FAST })
  tearDown = async () => {
    await postgres.stop()
    guard.dismiss()
    await rm(dataDir, { recursive: true, force: true })
  }

  const { host, port, user } = postgres.connection
  await makeTemplate({ host, port, user })
  project.provide('postgres', { host, port, user, template: TEMPLATE })
}

export async function teardown(): Promise<void> {
  await tearDown()
}

async function makeTemplate(server: { host: string; port: number; user: string }): Promise<void> {
  const admin = openDb({ ...server, database: 'postgres', applicationName: 'test setup', max: 1 })
  await admin`create database ${admin(TEMPLATE)}`
  await admin.end()

  const db = openDb({ ...server, database: TEMPLATE, applicationName: 'test setup', max: 1 })
  await migrate(db, join(import.meta.dirname, '../migrations'))
  await db.end()
}
