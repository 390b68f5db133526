import { execFile } from 'node:child_process'
import { chmod, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, inject } from 'vitest'
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres/embedded-postgres.ts'
import { childrenOf } from '../../src/platform/embedded-postgres/postmaster.ts'
import { makeDatabaseFolder } from './database-folder.ts'
import { guardFolder } from './guard.ts'
import { type World, worldOn } from './world.ts'

/** A PostgreSQL of a test's own, which the test may crash and freeze. */
export type Cluster = AsyncDisposable & {
  /** Its migrated database. */
  world: World
  /** Its process id. */
  readonly pid: number
  /** Ends it without warning, as a power cut would, and waits until it has recovered. */
  crash(): Promise<void>
  /** Stops every process of it where it stands, as a stuck disk or an overloaded host would. */
  freeze(): void
  thaw(): void
}

/** Puts a stopped cluster with a migrated database into a data folder: sooner than one is made there. */
export async function copyCluster(dataDir: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', inject('postgres').stoppedCluster, join(dataDir, 'postgres')])
}

export async function openCluster(): Promise<Cluster> {
  const dataDir = await makeDatabaseFolder('postrider-cluster-')
  // PostgreSQL runs as another user when the tests run as root.
  await chmod(dataDir, 0o711)
  const guard = guardFolder(dataDir)
  await copyCluster(dataDir)
  const postgres = await startEmbeddedPostgres({ dataDir })
  const world = worldOn(postgres.connection)
  const { db } = world
  const answers = () =>
    db`select`.then(
      () => true,
      () => false,
    )
  const signalAll = (signal: NodeJS.Signals) => signalFamily(postgres.pid, signal)
  return {
    world,
    get pid() {
      return postgres.pid
    },
    async crash() {
      const { pid } = postgres
      process.kill(pid, 'SIGQUIT')
      await expect.poll(() => postgres.pid, { timeout: 60_000, interval: 20 }).not.toBe(pid)
      await expect.poll(answers, { timeout: 60_000, interval: 20 }).toBe(true)
    },
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    async [Symbol.asyncDispose]() {
      signalAll('SIGCONT')
      await world[Symbol.asyncDispose]()
      await postgres.stop()
      guard.dismiss()
      await rm(dataDir, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

/** Signals a process and its children: the processes of one PostgreSQL. */
export function signalFamily(pid: number, signal: NodeJS.Signals): void {
  // The parent first, so that it starts no more of them.
  for (const each of [pid, ...childrenOf(pid).map((child) => child.pid)]) signalIfAlive(each, signal)
}

/** Children of a cluster come and go; one that ended since it was listed needs no signal. */
function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
