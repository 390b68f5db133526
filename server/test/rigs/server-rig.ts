import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { chmod, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { startSandboxNetwork } from '@postrider/sandbox-network'
import { afterAll, expect } from 'vitest'
import { type Db, openDb } from '../../src/platform/postgres/db.ts'
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres/embedded-postgres.ts'
import { readPostmasterPid } from '../../src/platform/embedded-postgres/pid-file.ts'
import { migrate } from '../../src/platform/postgres/migrate.ts'
import { makeKeyring } from '../../src/platform/sealing/sealing.ts'
import { openSandboxAccount } from '../../src/accounts/sandbox/sandbox-accounts.ts'
import { MAIN } from './built.ts'
import { type Cluster, copyCluster, openCluster } from './cluster.ts'
import { makeDatabaseFolder } from './database-folder.ts'
import type { Machine } from './disk-and-clock.ts'
import { aChannel, aWorkspace, type AWorkspace } from './fixtures.ts'
import { guardFolder } from './guard.ts'
import { openPooler } from './pooler.ts'
import { root } from './product.ts'
import { openReplicatedCluster } from './replicated-cluster.ts'
import { freePort } from './free-port.ts'
import { aKey } from './running-app.ts'
import { openEmptyWorld, openWorld } from './world.ts'

const children = new Set<ChildProcess>()
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})

export type RigDatabaseKind = keyof typeof DATABASES

type Options = {
  channels: number
  /**
   * Whose the database is: a cluster of the test's own, the same behind a pooler, the one that the server runs itself, a
   * primary of the test's own with a synchronous standby, which takes over where the others restart, or that of all tests.
   */
  database?: RigDatabaseKind
  /** The folder of the release whose schema a database among those of all tests begins with; this one when left out. */
  release?: string
  /** Further settings of the servers. */
  env?: Record<string, string>
  /** What the servers and their database run on; this one when left out. */
  machine?: Machine
}

type Serving = {
  /** The port; the rig's own when left out. */
  at?: number
  /** The folder of the release; this one when left out. */
  from?: string
  /** How many file descriptors it may have. */
  descriptors?: number
}

/** How long the network takes for each post, so that there is a middle to kill things in. */
const SLOW = '#sandbox:slow=300'

/** The product as processes, with one workspace and a sandbox network that counts what it is told to create. */
export async function openServerRig({
  channels,
  database = 'own',
  release: firstRelease = root,
  env: more = {},
  machine,
}: Options) {
  await using opened = new AsyncDisposableStack()
  machine?.installHere()
  const dataDir = await makeDatabaseFolder('postrider-rig-')
  // PostgreSQL runs as another user when the tests run as root.
  await chmod(dataDir, 0o711)
  const guard = guardFolder(dataDir)
  opened.defer(async () => {
    guard.dismiss()
    await rm(dataDir, { recursive: true, force: true, maxRetries: 10 })
  })
  const { db, settings, crash, release, postmaster } = await DATABASES[database](
    opened,
    dataDir,
    firstRelease,
  )
  const network = await startSandboxNetwork({ memory: true })
  opened.defer(() => network.close())

  const secret = randomBytes(32)
  const keyring = makeKeyring([secret])
  const workspace = await aWorkspace(db)
  const key = await aKey(db, workspace)
  const channelIds = await openChannels(db, workspace, network.url, secret, channels)
  const servers: Server[] = []
  /** Those of operators that still run. */
  const commands = new Set<ChildProcess>()
  opened.defer(() => {
    for (const command of commands) command.kill('SIGKILL')
  })
  opened.defer(() => Promise.all(servers.map((server) => server.end('SIGKILL'))).then(() => undefined))
  const port = await freePort()
  const env = {
    ...settings,
    DATA_DIR: dataDir,
    SECRET_KEYS: secret.toString('base64'),
    SANDBOX_URL: network.url,
    PORT: String(port),
    LEASE_SECONDS: '5',
    PUBLISH_TIMEOUT_SECONDS: '2',
    RATE_LIMIT_PER_MINUTE: '100000',
    RATE_LIMIT_WRITES_PER_MINUTE: '100000',
    ...machine?.env,
    ...more,
  }
  const baseUrl = `http://127.0.0.1:${port}`
  const running = opened.move()

  const rig = {
    db,
    keyring,
    workspace,
    key,
    channelIds,
    servers,
    port,
    baseUrl,
    dataDir,
    networkUrl: network.url,
    /** The settings of the servers, for commands of an operator. */
    settings: env,
    /** Ends the database without warning, and waits until it has recovered, or its standby has taken over. */
    restartDatabase: crash,
    /** The process id of the database, where it is one that may be hit. */
    postmaster,
    /** Starts a server: of this release, and at the one port, unless said otherwise. */
    async serve(roles: string, { at = port, from = root, descriptors }: Serving = {}): Promise<Server> {
      const settings = { ...env, PORT: String(at), ROLES: roles }
      const server = await startServer(settings, { cwd: dataDir, from, descriptors })
      servers.push(server)
      await release()
      return server
    },
    /** Runs `postrider` with these arguments, as an operator on the machine of the servers would. */
    command(...args: string[]): Promise<{ code: number; output: string }> {
      return new Promise((resolve) => {
        const child = execFile(
          process.execPath,
          [MAIN, ...args],
          { cwd: dataDir, env },
          (error, stdout, stderr) => {
            commands.delete(child)
            resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr })
          },
        )
        commands.add(child)
      })
    },

    /** Sends a post for one of the channels. */
    send(n: number, text: string, publishAt: Date): Promise<Response> {
      return fetch(`${baseUrl}/agent/v1/posts`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          confirmed: true,
          idempotencyKey: `post-${n}`,
          state: 'scheduled',
          publishAt,
          channelIds: [channelIds[n % channels]],
          text,
        }),
      })
    },

    /** Posts on one channel after the other; all of them are due as soon as the last is made. */
    async create(count: number): Promise<void> {
      const publishAt = new Date(Date.now() + 3_600_000)
      for (let n = 0; n < count; n++) {
        const response = await rig.send(n, `Post ${n} ${SLOW}`, publishAt)
        expect({
          status: response.status,
          body: response.status === 201 ? '' : await response.text(),
        }).toEqual({ status: 201, body: '' })
        await response.body?.cancel()
      }
      await db`update destination set publish_at = now(), due_at = now()`
      await db.notify('postrider_due', '')
    },

    async ask(path: string): Promise<unknown> {
      const response = await fetch(baseUrl + path, { headers: { authorization: `Bearer ${key}` } })
      return response.json()
    },

    async statuses(): Promise<Record<string, number>> {
      const rows = await db<{ status: string; count: number }[]>`
        select status, count(*)::int from destination group by status`
      return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
    },
    published: async (): Promise<number> => (await rig.statuses())['published'] ?? 0,
    async untilPublished(count: number, withinMs = 50_000): Promise<void> {
      await expect
        .poll(() => rig.published(), { timeout: withinMs, interval: 50 })
        .toBeGreaterThanOrEqual(count)
    },
    async createsAtNetwork(): Promise<number> {
      const answer = await fetch(`${network.url}/control/creates`)
      return ((await answer.json()) as { total: number }).total
    },

    async expectEachOnce(count: number): Promise<void> {
      expect(await rig.statuses()).toEqual({ published: count })
      const duplicates = await fetch(`${network.url}/control/creates/duplicates`)
      expect(await duplicates.json()).toEqual({ total: 0, items: [] })
      expect(await rig.createsAtNetwork()).toBe(count)
      const events = await db<{ events: number; destinations: number }[]>`
        select count(*)::int as events, count(distinct destination_id)::int as destinations
        from   outbox_event
        where  type = 'post.published'`
      expect(events).toEqual([{ events: count, destinations: count }])
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
  return rig
}

export type ServerRig = Awaited<ReturnType<typeof openServerRig>>

type RigDatabase = {
  db: Db
  settings: Record<string, string>
  crash: () => Promise<void>
  /** Leaves the database to the server that runs by now. */
  release: () => Promise<void>
  postmaster?: () => Promise<number | null>
}

async function openOwn(opened: AsyncDisposableStack): Promise<RigDatabase> {
  const cluster = opened.use(await openCluster())
  return ownDatabase(cluster, { DATABASE_URL: cluster.world.databaseUrl })
}

/** The same by way of a pooler, which knows no sessions. */
async function openPooled(opened: AsyncDisposableStack): Promise<RigDatabase> {
  const cluster = opened.use(await openCluster())
  const { databaseUrl, connection } = cluster.world
  const pooler = opened.use(await openPooler(connection))
  return ownDatabase(cluster, { DATABASE_URL: pooler.url, DATABASE_LISTEN_URL: databaseUrl })
}

function ownDatabase(cluster: Cluster, settings: RigDatabase['settings']): RigDatabase {
  return {
    db: cluster.world.db,
    settings,
    crash: () => cluster.crash(),
    release: async () => {},
    postmaster: () => Promise.resolve(cluster.pid),
  }
}

async function openReplicated(opened: AsyncDisposableStack): Promise<RigDatabase> {
  const cluster = opened.use(await openReplicatedCluster())
  const { db, databaseUrl } = cluster.world
  return {
    db,
    settings: { DATABASE_URL: databaseUrl },
    crash: () => cluster.failOver(),
    release: async () => {},
  }
}

/** A database among those of all tests, which stays up. */
async function openShared(
  opened: AsyncDisposableStack,
  _dataDir: string,
  release: string,
): Promise<RigDatabase> {
  const world = opened.use(release === root ? await openWorld() : await openEmptyWorld())
  await migrate(world.db, join(release, 'server/migrations'))
  return {
    db: world.db,
    settings: { DATABASE_URL: world.databaseUrl },
    crash: () => Promise.reject(new Error('It is the database of other tests, too.')),
    release: async () => {},
  }
}

/** The cluster that a server finds in its data folder, and from then on runs, watches and starts again by itself. */
async function openEmbedded(opened: AsyncDisposableStack, dataDir: string): Promise<RigDatabase> {
  await copyCluster(dataDir)
  const postgres = await startEmbeddedPostgres({ dataDir })
  const { connection } = postgres
  const db = openDb({ ...connection, applicationName: 'test' })
  const cluster = join(dataDir, 'postgres')
  opened.defer(async () => {
    await db.end({ timeout: 5 })
    await endPostgresOn(cluster)
  })
  let released: Promise<void> | null = null
  return {
    db,
    settings: {},
    postmaster: () => readPostmasterPid(cluster),
    // Only once a server uses it: the last process that does shuts it down.
    release: () => (released ??= postgres.stop()),
    async crash() {
      const pid = await readPostmasterPid(cluster)
      process.kill(pid!, 'SIGQUIT')
      await expect
        .poll(async () => [null, pid].includes(await readPostmasterPid(cluster)), {
          timeout: 60_000,
          interval: 20,
        })
        .toBe(false)
      await untilAnswers(db)
    },
  }
}

/** Ends also one that was just launched and has no lock file yet: then who launched it has to be gone. */
async function endPostgresOn(cluster: string): Promise<void> {
  const end = async () => {
    const pids = await postmastersOf(cluster)
    for (const pid of pids) process.kill(pid, 'SIGQUIT')
    return pids
  }
  await expect.poll(end, { timeout: 20_000, interval: 100 }).toEqual([])
}

async function postmastersOf(cluster: string): Promise<number[]> {
  const locked = await readPostmasterPid(cluster)
  if (!existsSync('/proc/self/cmdline')) return locked === null ? [] : [locked]
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && argumentsOf(pid).includes(cluster))
}

function argumentsOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  } catch {
    return []
  }
}

const DATABASES = {
  own: openOwn,
  pooled: openPooled,
  embedded: openEmbedded,
  replicated: openReplicated,
  shared: openShared,
}

async function untilAnswers(db: Db): Promise<void> {
  const answers = () =>
    db`select`.then(
      () => true,
      () => false,
    )
  await expect.poll(answers, { timeout: 60_000, interval: 20 }).toBe(true)
}
async function openChannels(
  db: Db,
  { workspaceId }: AWorkspace,
  networkUrl: string,
  secret: Buffer,
  count: number,
): Promise<string[]> {
  const keyring = makeKeyring([secret])
  return Promise.all(
    Array.from({ length: count }, async (_none, n) => {
      const wanted = { handle: `account_${n}`, displayName: `Account ${n}`, profile: 'short' } as const
      const { id, token } = await openSandboxAccount(networkUrl, wanted, { takeOver: false })
      const authorization = { baseUrl: networkUrl, accessToken: token, accountId: id }
      return aChannel(db, workspaceId, { remoteAccountId: id, authorization, keyring })
    }),
  )
}

export type Server = {
  readonly pid: number
  /** Whether the process still runs. */
  readonly isRunning: boolean
  /** The end of what it has logged. */
  readonly logged: string
  /** The errors that it has logged, line by line. */
  readonly errors: readonly string[]
  /** The same of warnings. */
  readonly warnings: readonly string[]
  end: (signal: NodeJS.Signals) => Promise<unknown[]>
}

/** Seconds on a machine that does nothing else. */
const START_LIMIT_MS = 240_000

/** `postrider serve`, up and ready. */
async function startServer(
  env: Record<string, string>,
  { cwd, from, descriptors }: { cwd: string; from: string; descriptors: number | undefined },
): Promise<Server> {
  // A release before may be one that ran its sources.
  const built = join(from, 'server/dist/main.js')
  const main = from === root ? MAIN : existsSync(built) ? built : join(from, 'server/src/main.js')
  const limit = descriptors === undefined ? '' : `ulimit -n ${descriptors}; `
  const child = spawn('/bin/sh', ['-c', `${limit}exec "$@"`, 'sh', process.execPath, main, 'serve'], {
    env,
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.add(child)
  const ended = once(child, 'close')
  let said = ''
  const ready = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      // As a release before does.
      if (said.includes('Postrider is ready')) resolve()
    })
    child.stderr.on('data', (chunk: Buffer) => {
      if (chunk.includes('Postrider is ready')) resolve()
    })
  })
  let logged = ''
  const errors: string[] = []
  const warnings: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => {
    logged = `${logged}${line}\n`.slice(-4_000)
    if (line.includes('"level":"error"')) errors.push(line)
    if (line.includes('"level":"warn"')) warnings.push(line)
  })
  const failed = ended.then(() => Promise.reject(new Error(`The server ended:\n${said}\n${logged}`)))
  const late = delay(START_LIMIT_MS, undefined, { ref: false }).then(() =>
    Promise.reject(new Error(`The server is not ready:\n${said}\n${logged}`)),
  )
  try {
    await Promise.race([ready, failed, late])
  } catch (error) {
    // Else it would start its PostgreSQL again whenever that is ended.
    child.kill('SIGKILL')
    await ended
    throw error
  }
  failed.catch(() => undefined)
  late.catch(() => undefined)
  return {
    errors,
    warnings,
    pid: child.pid!,
    get isRunning() {
      return child.exitCode === null && child.signalCode === null
    },
    get logged() {
      return logged
    },
    end(signal) {
      child.kill(signal)
      children.delete(child)
      return ended
    },
  }
}
