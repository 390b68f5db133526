import { type ChildProcess, spawn } from 'node:child_process'
import { openSync, closeSync, statSync, renameSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { codeOf, type Db, openDb } from '../postgres/db.ts'
import { ownChild } from '../process/own-child.ts'
import { cannotRun, ensureCluster, NAME, type Place, PORT, preparePlace, runAs } from './cluster.ts'
import { healLockFile, readPostmasterPid } from './pid-file.ts'
import { endPostmaster } from './postmaster.ts'
import { explainSaid } from './reasons.ts'
import { type Recovery, type Unopened, watchRecovery } from './recovery.ts'
import { EmbeddedPostgresFault } from './system-user.ts'

export { EmbeddedPostgresFault }

export type EmbeddedPostgres = {
  /** What openDb needs; `host` is the folder of the Unix socket. */
  connection: { host: string; port: number; database: string; user: string }
  /** The process that runs now; another one after a restart. */
  readonly pid: number
  /** It was running already: left by a killed process, or in use by another one. */
  alreadyRunning: boolean
  /** For how long it has been gone without recovering; 0 while it runs or recovers. */
  goneForMs(): number
  /** Releases it; the last process that does shuts it down. Close your own connections before. */
  stop(): Promise<void>
}

/** A warning is about what a person may have to see to. */
export type EmbeddedLog = (message: string, level?: 'info' | 'warn') => void

type Options = {
  dataDir: string
  log?: EmbeddedLog
  /** Further settings of postgresql.conf; the tests turn fsync off with them. */
  settings?: Readonly<Record<string, string>>
  /** How long to wait before each try to start it again after its death; the last one before all further tries. */
  restartWaitsMs?: readonly number[]
  /** Ends the start, and a PostgreSQL that this start has launched. */
  signal?: AbortSignal
}

/** Held shared by every process that uses the cluster, and alone by the one that shuts it down. */
const USERS_LOCK = 7_205_759_402
const KEEPER = 'postrider keeper'

const START_LIMIT_MS = 5 * 60_000
const STOP_LIMIT_MS = 60_000
const OTHERS_END_WITHIN_MS = 3_000
/** The backends of a postmaster that was just killed hold its shared memory until they have noticed. */
const LOCK_RETRY_MS = 3_000
const RESTART_WAITS_MS = [0, 500, 1_000, 2_000, 4_000, 8_000, 15_000]
/** A PostgreSQL that ends again sooner than this is started after the second wait, not the first. */
const STEADY_MS = 10_000
const LOG_LIMIT_BYTES = 5_000_000

/** Small, and as durable as PostgreSQL is by default: fsync and synchronous_commit stay on. */
const SETTINGS = {
  listen_addresses: '',
  port: String(PORT),
  unix_socket_permissions: '0700',
  max_connections: '100',
  shared_buffers: '64MB',
  max_wal_size: '512MB',
  jit: 'off',
  // Parallel queries want shared memory that containers are short of, and gain nothing on our statements.
  max_parallel_workers_per_gather: '0',
  io_method: 'sync',
  // A long statement, such as the build of an index, ends with its client; the end of PostgreSQL would wait for it.
  client_connection_check_interval: '500ms',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Failed statements are the client's to report. Their details hold customers' data.
  log_min_messages: 'log',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
}

/**
 * Runs PostgreSQL on the data folder, or joins the one that runs on it already: after a kill -9 of the server its
 * PostgreSQL is still up, and several processes (server, command line) may share one. It outlives this process until
 * the last of them calls `stop`, and is started again when it dies: for as long as it takes, since a full disk or a lack
 * of memory may end at any time. Creates cluster and database on first start. Throws EmbeddedPostgresFault in words.
 */
export async function startEmbeddedPostgres({
  dataDir,
  log = () => undefined,
  settings = {},
  restartWaitsMs = RESTART_WAITS_MS,
  signal = new AbortController().signal,
}: Options): Promise<EmbeddedPostgres> {
  const place = await preparePlace(dataDir)
  await ensureCluster(place, { sync: settings['fsync'] !== 'off', log, signal })
  const recovery = watchRecovery(place.cluster, log)
  const { keeper, launched } = await connectOrLaunch(place, { settings, recovery, signal })
  await ensureDatabase(keeper.db)
  const supervised = supervise(place, keeper, { log, settings, restartWaitsMs, recovery })
  return {
    connection: { host: place.socketDir, port: PORT, database: NAME, user: NAME },
    get pid() {
      return supervised.pid()
    },
    alreadyRunning: launched?.pid !== keeper.pid,
    goneForMs: supervised.goneForMs,
    stop: supervised.stop,
  }
}

type Launched = { pid: number | undefined; running: boolean; fault: Error | null }

/**
 * In a session of its own, so that Ctrl-C in the terminal reaches the server alone, which then finishes its work
 * before it turns its database off. A direct child, not one of pg_ctl: as process 1 of a container no other process
 * would reap it, and a zombie keeps its lock.
 */
function launch(place: Place, settings: Options['settings']): Launched {
  const all = { ...SETTINGS, unix_socket_directories: place.socketDir, ...settings }
  const args = [
    '-D',
    place.cluster,
    ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
  const log = openSync(place.logFile, 'a', 0o600)
  const child: ChildProcess = spawn(place.binaries.postgres, args, {
    ...runAs(place),
    detached: true,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  ownChild(child)
  child.unref()
  const launched: Launched = { pid: child.pid, running: true, fault: null }
  child.once('exit', () => (launched.running = false))
  child.once('error', (error) => {
    launched.running = false
    launched.fault = cannotRun(place, error)
  })
  return launched
}

type Opening = { settings: Options['settings']; recovery: Recovery; signal: AbortSignal }

/**
 * PostgreSQL itself decides whether a cluster is free: it is launched until it runs, or someone else's answers. A
 * recovery may take as long as it works; one that has stopped for good is ended, and PostgreSQL launched again.
 */
async function connectOrLaunch(
  place: Place,
  { settings, recovery, signal }: Opening,
): Promise<{ keeper: Keeper; launched: Launched | null }> {
  let deadlineMs = performance.now() + START_LIMIT_MS
  let launched: Launched | null = null
  let refusedSinceMs: number | null = null
  try {
    while (performance.now() < deadlineMs) {
      const keeper = await openKeeper(place)
      if (typeof keeper === 'object') return { keeper, launched }
      if (await recovery.progresses(keeper)) deadlineMs = performance.now() + START_LIMIT_MS
      if (keeper === 'absent' && launched?.running !== true) {
        signal.throwIfAborted()
        if (launched === null) {
          boundLog(place.logFile)
        } else {
          if (launched.fault !== null) throw launched.fault
          refusedSinceMs ??= performance.now()
          if (performance.now() - refusedSinceMs > LOCK_RETRY_MS) throw await refusedToStart(place)
          // PostgreSQL locks both: the cluster, and the socket.
          await healLockFile(join(place.cluster, 'postmaster.pid'), launched.pid)
          await healLockFile(join(place.socketDir, `.s.PGSQL.${PORT}.lock`), launched.pid)
        }
        launched = launch(place, settings)
      }
      await delay(refusedSinceMs === null ? 20 : 100, undefined, { signal })
    }
  } catch (error) {
    if (signal.aborted && launched?.running === true && launched.pid !== undefined)
      await endPostmaster(launched.pid, ['SIGINT', 'SIGQUIT', 'SIGKILL'])
    throw error
  }
  throw new EmbeddedPostgresFault(
    `PostgreSQL was not ready within ${START_LIMIT_MS / 60_000} minutes. See ${place.logFile}.`,
  )
}

async function refusedToStart(place: Place): Promise<EmbeddedPostgresFault> {
  const lines = (await readFile(place.logFile, 'utf8')).trim().split('\n')
  return new EmbeddedPostgresFault(
    `PostgreSQL does not start: ${explainSaid(lines.slice(-6).join('\n'))} ${place.logFile} has more.`,
  )
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function boundLog(logFile: string): void {
  const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0
  if (size > LOG_LIMIT_BYTES) renameSync(logFile, `${logFile}.1`)
}

/** A connection that holds the shared lock for as long as this process uses the cluster. */
type Keeper = { db: Db; pid: number; lost: Promise<void> }

/** What a postmaster on its way up or down, or in recovery, answers with. */
const REFUSING = '57P03'
/** Other failures of one on its way down, and of one that has no connection left. */
const BUSY = [
  '57P01',
  '57P02',
  '53300',
  'CONNECTION_CLOSED',
  'CONNECT_TIMEOUT',
  'ECONNRESET',
  'EPIPE',
  'EAGAIN',
]
const ABSENT = ['ENOENT', 'ECONNREFUSED']

async function openKeeper(place: Place): Promise<Keeper | Unopened> {
  const lost = Promise.withResolvers<void>()
  const db = openDb({
    host: place.socketDir,
    port: PORT,
    database: 'postgres',
    user: NAME,
    applicationName: KEEPER,
    max: 1,
    permanent: true,
    onClose: lost.resolve,
  })
  try {
    const [row] = await db<{ cluster: string }[]>`
      select current_setting('data_directory') as cluster, pg_advisory_lock_shared(${USERS_LOCK})`
    if (row?.cluster === place.cluster) {
      const pid = await readPostmasterPid(place.cluster)
      // Kept as a promise: it may be lost before anyone asks.
      if (pid !== null) return { db, pid, lost: lost.promise }
      await db.end({ timeout: 0 })
      return 'absent'
    }
  } catch (error) {
    await db.end({ timeout: 0 })
    const code = codeOf(error) ?? ''
    if (ABSENT.includes(code)) return 'absent'
    if (code === REFUSING) return 'refusing'
    if (BUSY.includes(code)) return 'busy'
    throw error
  }
  await db.end({ timeout: 0 })
  throw new EmbeddedPostgresFault(
    `The PostgreSQL behind ${place.socketDir} serves another data folder. Stop it first.`,
  )
}

async function ensureDatabase(db: Db): Promise<void> {
  const found = await db`select from pg_database where datname = ${NAME}`
  if (found.length > 0) return
  try {
    await db`create database ${db(NAME)}`
  } catch (error) {
    // Another process was first: 42P04 when it had finished, 23505 when it was about to.
    if (codeOf(error) !== '42P04' && codeOf(error) !== '23505') throw error
  }
}

type Supervision = Required<Pick<Options, 'log' | 'settings' | 'restartWaitsMs'>> & { recovery: Recovery }

/** Watches over the keeper until `stop`, and starts PostgreSQL again when it has died. */
function supervise(place: Place, first: Keeper, { log, settings, restartWaitsMs, recovery }: Supervision) {
  let keeper: Keeper | null = first
  let { pid } = first
  let keptSinceMs = performance.now()
  let lostAtMs = keptSinceMs
  let tries = 0
  let stopped: Promise<void> | null = null
  const stopping = new AbortController()
  let reopening: Promise<void> = Promise.resolve()

  function watch(next: Keeper): void {
    keeper = next
    pid = next.pid
    keptSinceMs = performance.now()
    void next.lost.then(() => (reopening = recover()))
  }

  async function recover(): Promise<void> {
    keeper = null
    lostAtMs = performance.now()
    // Only starts that fail make the waits longer: one that has answered may be needed again at once.
    tries = performance.now() - keptSinceMs > STEADY_MS ? 0 : 1
    while (!stopping.signal.aborted) {
      const next = (await reopenKeeper(place, recovery, stopping.signal)) ?? (await restart())
      if (next !== null) return watch(next)
    }
  }

  async function restart(): Promise<Keeper | null> {
    const waitMs = restartWaitsMs[Math.min(tries, restartWaitsMs.length - 1)]
    tries += 1
    log(`PostgreSQL has gone away; it is started again (try ${tries})`, 'warn')
    try {
      await delay(waitMs, undefined, { signal: stopping.signal })
      const { keeper: next } = await connectOrLaunch(place, { settings, recovery, signal: stopping.signal })
      log('PostgreSQL is back')
      return next
    } catch (error) {
      if (!stopping.signal.aborted) log(`PostgreSQL could not be started again: ${messageOf(error)}`, 'warn')
      return null
    }
  }

  watch(first)
  return {
    pid: () => pid,
    goneForMs: () =>
      keeper === null ? performance.now() - Math.max(lostAtMs, recovery.lastSeenAtWorkMs()) : 0,
    stop(): Promise<void> {
      stopping.abort()
      // A keeper that is just being opened again would count as another process.
      stopped ??= reopening.then(async () => {
        const last = keeper ?? (await openKeeperToLeave(place))
        if (last !== null) await release(place, last)
      })
      return stopped
    },
  }
}

/** After the crash of one backend PostgreSQL drops all connections and recovers: it has not ended. */
async function reopenKeeper(place: Place, recovery: Recovery, signal: AbortSignal): Promise<Keeper | null> {
  let deadlineMs = performance.now() + 30_000
  while (performance.now() < deadlineMs && !signal.aborted) {
    const keeper = await openKeeper(place).catch(() => 'absent' as const)
    if (typeof keeper === 'object') return keeper
    if (await recovery.progresses(keeper)) deadlineMs = performance.now() + 30_000
    if (keeper === 'absent') return null
    await delay(100, undefined, { signal }).catch(() => undefined)
  }
  return null
}

/**
 * A stop may come while the connection that a crash has dropped is being opened again; without one, PostgreSQL would be left
 * running. Null where there is none, or where it still recovers after some seconds.
 */
async function openKeeperToLeave(place: Place): Promise<Keeper | null> {
  const deadlineMs = performance.now() + OTHERS_END_WITHIN_MS
  while (performance.now() < deadlineMs) {
    const keeper = await openKeeper(place).catch(() => 'absent' as const)
    if (typeof keeper === 'object') return keeper
    if (keeper === 'absent') return null
    await delay(50)
  }
  return null
}

async function release(place: Place, { db }: Keeper): Promise<void> {
  try {
    if (await isLast(db)) await shutDown(place)
  } catch (error) {
    if (![...ABSENT, ...BUSY, REFUSING].includes(codeOf(error) ?? '')) throw error
  } finally {
    await db.end({ timeout: 1 })
  }
}

/** Whether no other process uses the cluster. If so, new ones wait for the lock, and lose their connection by the shutdown. */
async function isLast(db: Db): Promise<boolean> {
  await db`select pg_advisory_unlock_shared(${USERS_LOCK})`
  const [row] = await db<{ mine: boolean }[]>`select pg_try_advisory_lock(${USERS_LOCK}) as mine`
  if (row?.mine !== true) return false
  const deadlineMs = performance.now() + OTHERS_END_WITHIN_MS
  for (;;) {
    const others = await db`
      select from pg_stat_activity where backend_type = 'client backend' and application_name <> ${KEEPER}`
    if (others.length === 0) return true
    if (performance.now() > deadlineMs) return false
    // A connection that was closed a moment ago is listed until its backend has noticed, also in a long statement.
    await delay(20)
  }
}

/** A fast shutdown: open transactions are rolled back, a checkpoint is written, and the lock file is removed last. */
async function shutDown({ cluster, logFile }: Place): Promise<void> {
  const pid = await readPostmasterPid(cluster)
  if (pid === null) return
  process.kill(pid, 'SIGINT')
  const deadlineMs = performance.now() + STOP_LIMIT_MS
  while ((await readPostmasterPid(cluster)) === pid) {
    if (performance.now() > deadlineMs)
      throw new EmbeddedPostgresFault(`PostgreSQL is still shutting down. See ${logFile}.`)
    await delay(20)
  }
}
