import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { vi } from 'vitest'
import { type Db, openDb } from '../../src/platform/postgres/db.ts'
import { NAME, type Place, PORT, preparePlace, runAs } from '../../src/platform/embedded-postgres/cluster.ts'
import { copyCluster, signalFamily } from './cluster.ts'
import { makeDatabaseFolder } from './database-folder.ts'
import { guardFolder } from './guard.ts'
import { type World, worldOn } from './world.ts'

/** Two PostgreSQL servers: a primary, and a standby that every commit waits for. */
export type ReplicatedCluster = AsyncDisposable & {
  /** The migrated database, at whichever of the two is the primary. */
  world: World
  readonly primary: PostgresNode
  readonly standby: PostgresNode
  /** Kills every process of the primary at once, promotes the standby, and makes a new standby of what is left. */
  failOver(): Promise<void>
  /** The same without a new standby: the former primary stays as it was when it was killed. */
  promoteStandby(): Promise<void>
}

export type PostgresNode = {
  /** The postgres database of this server, whatever its role. */
  db: Db
  kill(): Promise<void>
  /** With these settings beside those of the starts before. */
  start(settings?: Readonly<Record<string, string>>): Promise<void>
}

const run = promisify(execFile)
const WAIT = { timeout: 60_000, interval: 20 }

/** Only processes die here, never the machine: what they have handed to the kernel is on disk. */
const SETTINGS = {
  listen_addresses: '',
  port: String(PORT),
  shared_buffers: '32MB',
  wal_keep_size: '512MB',
  fsync: 'off',
  io_method: 'sync',
  max_worker_processes: '2',
  max_logical_replication_workers: '0',
}

export async function openReplicatedCluster(): Promise<ReplicatedCluster> {
  await using opened = new AsyncDisposableStack()
  const folder = await makeDatabaseFolder('postrider-replicated-')
  // PostgreSQL runs as another user when the tests run as root.
  await chmod(folder, 0o711)
  opened.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
  let primary = await prepareNode(join(folder, 'a'), opened)
  let standby = await prepareNode(join(folder, 'b'), opened)
  await copyCluster(primary.place.dataDir)
  await primary.start()
  await follow(standby, primary)
  const hosts = [primary, standby].map(({ place }) => place.socketDir).join(',')
  const world = opened.use(
    worldOn({ url: `postgresql://${NAME}@/${NAME}?host=${hosts}&target_session_attrs=read-write` }),
  )
  const running = opened.move()

  const cluster: ReplicatedCluster = {
    world,
    get primary() {
      return primary
    },
    get standby() {
      return standby
    },
    async failOver() {
      await cluster.promoteStandby()
      await follow(standby, primary)
    },
    async promoteStandby() {
      await primary.kill()
      await standby.db`select pg_promote(true, 60)`
      ;[primary, standby] = [standby, primary]
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
  return cluster
}

type Node = PostgresNode & { place: Place }

async function prepareNode(dataDir: string, opened: AsyncDisposableStack): Promise<Node> {
  const place = await preparePlace(dataDir)
  await chmod(dataDir, 0o711)
  const guard = guardFolder(dataDir)
  opened.defer(() => guard.dismiss())
  const db = openDb({
    host: place.socketDir,
    port: PORT,
    database: 'postgres',
    user: NAME,
    applicationName: 'test node',
    max: 2,
  })
  let settings: Record<string, string> = { ...SETTINGS, unix_socket_directories: place.socketDir }
  let kill = () => Promise.resolve()
  opened.defer(() => kill())
  opened.defer(() => db.end({ timeout: 0 }))
  return {
    place,
    db,
    kill: () => kill(),
    async start(more = {}) {
      settings = { ...settings, ...more }
      const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
      const child = spawn(place.binaries.postgres, ['-D', place.cluster, ...options], {
        ...runAs(place),
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      const ended = once(child, 'close')
      let logged = ''
      child.stderr.on('data', (chunk: Buffer) => (logged = (logged + chunk.toString()).slice(-4_000)))
      kill = async () => {
        signalFamily(child.pid!, 'SIGKILL')
        await ended
      }
      const hasEnded = () => child.exitCode !== null
      await vi.waitUntil(async () => hasEnded() || (await answers(db)), WAIT)
      if (hasEnded()) throw new Error(`PostgreSQL does not start:\n${logged}`)
    },
  }
}

async function answers(db: Db): Promise<boolean> {
  return db`select`.then(
    () => true,
    () => false,
  )
}

/** Copies the cluster of the primary while it runs, starts the copy as a standby, and has commits wait for it from then on. */
async function follow(standby: Node, primary: Node): Promise<void> {
  const { cluster, user } = standby.place
  await rm(cluster, { recursive: true, force: true })
  await mkdir(cluster, { mode: 0o700 })
  if (user !== null) await chown(cluster, user.uid, user.gid)
  const session = await primary.db.reserve()
  try {
    await session`select pg_backup_start('standby', true)`
    await copyRunning(primary.place.cluster, cluster)
    const [stopped] = await session<{ label: string }[]>`
      select labelfile as label from pg_backup_stop(false)`
    await writeOwned(standby.place, 'backup_label', stopped!.label)
  } finally {
    session.release()
  }
  await writeOwned(standby.place, 'standby.signal', '')
  await standby.start({
    primary_conninfo: `host=${primary.place.socketDir} port=${PORT} user=${NAME} application_name=standby`,
  })
  // Only now, so that the copy lacks it: after a promotion nothing follows that one at first.
  await primary.db`alter system set synchronous_standby_names = '*'`
  await primary.db`select pg_reload_conf()`
  const followers = () => primary.db`
    select from pg_stat_replication where state = 'streaming' and sync_state = 'sync'`
  await vi.waitUntil(async () => (await followers()).length === 1, WAIT)
}

async function writeOwned({ cluster, user }: Place, name: string, text: string): Promise<void> {
  const path = join(cluster, name)
  await writeFile(path, text)
  if (user !== null) await chown(path, user.uid, user.gid)
}

/** A file that changes or goes away meanwhile is no fault: the log of the primary makes up for it. */
async function copyRunning(from: string, to: string): Promise<void> {
  const script =
    'tar -C "$0" --exclude="./pg_wal/*" --exclude="./postmaster.*" -cf - . 2>/dev/null | tar -C "$1" -xf -'
  await run('/bin/sh', ['-c', script, from, to])
}
