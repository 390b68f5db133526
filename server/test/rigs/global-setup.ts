import { execFile } from 'node:child_process'
import { appendFile, chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { MIGRATIONS } from '../../src/platform/embedded-postgres/database.ts'
import { openDb } from '../../src/platform/postgres/db.ts'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/platform/embedded-postgres/embedded-postgres.ts'
import { migrate } from '../../src/platform/postgres/migrate.ts'
import { makeDatabaseFolder } from './database-folder.ts'
import { guardFolder } from './guard.ts'
import { useInstalledPostgres } from './other-postgres.ts'

export type TestPostgres = {
  host: string
  port: number
  user: string
  /** The migrated database that `openWorld` clones. */
  template: string
  /** The folder of a stopped cluster with such a database, for `copyCluster`. */
  stoppedCluster: string
}

declare module 'vitest' {
  interface ProvidedContext {
    postgres: TestPostgres
    /** Only tests with some names run. */
    someTests: boolean
  }
}

/** Shared memory of one that is killed and not started again stays in the machine's memory where it is not in the folder of the cluster. */
const IN_ITS_FOLDER = { dynamic_shared_memory_type: 'mmap' }

/**
 * What the tests' PostgreSQL may forget in a crash, nobody misses. Statistics are gathered by tests alone: plans must not hang
 * on when it does so by itself.
 */
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  autovacuum: 'off',
  max_connections: '400',
  max_wal_size: '1GB',
  ...IN_ITS_FOLDER,
}

let tearDown: () => Promise<void> = () => Promise.resolve()

/** One PostgreSQL for the whole run, with one migrated database that openWorld clones, and a copy of it for clusters of a test's own. */
export async function setup(project: TestProject): Promise<void> {
  const dataDir = await makeDatabaseFolder('postrider-test-')
  // PostgreSQL runs as another user when the tests run as root.
  await chmod(dataDir, 0o711)
  // Whatever tests make in the folder of temporary files, and whatever they start, goes with the run, however that ends.
  const temporary = await mkdtemp(join(tmpdir(), 'postrider-test-'))
  await chmod(temporary, 0o1777)
  const guards = [dataDir, temporary].map((folder) => guardFolder(folder))
  process.env['TMPDIR'] = temporary
  process.env['TEST_DATABASES'] = dataDir

  const { TEST_POSTGRES: bin } = process.env
  if (bin !== undefined) await useInstalledPostgres(bin, join(dataDir, 'other-postgres'))

  const stoppedCluster = join(dataDir, 'stopped')
  const first = await startEmbeddedPostgres({ dataDir, settings: SETTINGS })
  await migrateDatabase(first)
  await first.stop()
  await promisify(execFile)('cp', ['-a', join(dataDir, 'postgres'), stoppedCluster])
  await appendFile(
    join(stoppedCluster, 'postgresql.conf'),
    `dynamic_shared_memory_type = ${IN_ITS_FOLDER.dynamic_shared_memory_type}\n`,
  )

  const postgres = await startEmbeddedPostgres({ dataDir, settings: SETTINGS })
  tearDown = async () => {
    await postgres.stop()
    // It is left running where a worker that was killed has left clients behind.
    await Promise.all(guards.map((guard) => guard.act()))
  }
  await warmUp(postgres)
  const { host, port, user, database } = postgres.connection
  project.provide('someTests', project.vitest.config.testNamePattern !== undefined)
  project.provide('postgres', { host, port, user, template: database, stoppedCluster })
}

export async function teardown(): Promise<void> {
  await tearDown()
}

/** The first connection after a start writes the catalog cache of its database, which clones of it get, too. */
async function warmUp({ connection }: EmbeddedPostgres): Promise<void> {
  const db = openDb({ ...connection, applicationName: 'test setup', max: 1 })
  await db`select`
  await db.end()
}

async function migrateDatabase({ connection }: EmbeddedPostgres): Promise<void> {
  const db = openDb({ ...connection, applicationName: 'test setup', max: 1 })
  await migrate(db, MIGRATIONS)
  await db.end()
}
