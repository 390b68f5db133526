import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { permissionNames, type Permission } from '@postrider/contract'
import { type App, startApp } from '../../src/app/app.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import { createKey } from '../../src/people/keys/key-store.ts'
import type { CallRecorder } from '../../src/networks/providers/port/record-call.ts'
import type { Db } from '../../src/platform/postgres/db.ts'
import { createLog } from '../../src/platform/process/log.ts'
import type { Keyring } from '../../src/platform/sealing/sealing.ts'
import { openSecrets } from '../../src/operate/secrets/open-secrets.ts'
import { aWorkspace, type AWorkspace } from './fixtures.ts'
import { freePort } from './free-port.ts'
import { rowsOfTables } from './table-rows.ts'
import { openWorld, type World } from './world.ts'

/** The real app on a database of its own, listening on a port of its own, with one workspace and a key for all. */
export type RunningApp = AsyncDisposable & {
  world: World
  db: Db
  baseUrl: string
  /** The folder of everything durable but the database. */
  dataDir: string
  /** The address of a second app on the same database; equal to `baseUrl` unless one was asked for. */
  otherUrl: string
  keyring: Keyring
  /** The settings of the first app: with them, `postrider` is that server's. */
  env: Record<string, string>
  workspace: AWorkspace
  /** An agent key of the workspace with every permission. */
  key: string
  /** What was logged so far, as written. */
  logged: string[]
  ask: (method: string, path: string, asking?: RequestOptions) => Promise<Answer>
}

export type RequestOptions = {
  /** Another agent key; null for none. */
  key?: string | null
  body?: unknown
  headers?: Record<string, string>
  /** The address of one app among several. */
  at?: string
  /** Ends the request, as a client that goes away. */
  signal?: AbortSignal
}
export type Answer = { status: number; headers: Headers; text: string; body: any }

type Options = {
  roles?: string
  /** A sandbox network that runs; without one, nothing can be published. */
  sandboxUrl?: string
  logLevel?: string
  secretKeys?: string
  /** Instead of a clone of the migrated one. */
  world?: World
  /** How many apps share the database; 1 when left out. */
  apps?: number
  /** Further settings. */
  env?: Record<string, string>
  /** Notes the calls to networks. */
  recorder?: CallRecorder
}

/** Starts it: `await using app = await openRunningApp()`. */
export async function openRunningApp(options: Options = {}): Promise<RunningApp> {
  await using opened = new AsyncDisposableStack()
  const world = opened.use(options.world ?? (await openWorld()))
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-app-'))
  opened.defer(() => rm(dataDir, { recursive: true, force: true }))
  const secretKeys = options.secretKeys ?? randomBytes(32).toString('base64')
  // There before the start, so that the first start finds nothing to seed.
  const workspace = await aWorkspace(world.db)
  const key = await aKey(world.db, workspace)
  const logged: string[] = []

  const apps: App[] = []
  const env = { ...environment(options, world, dataDir), SECRET_KEYS: secretKeys, ...options.env }
  for (let n = 0; n < (options.apps ?? 1); n++) {
    const app = await startOnFreePort(env, logged, options.recorder)
    opened.defer(() => app.stop())
    apps.push(app)
  }
  const [baseUrl = '', otherUrl = baseUrl] = apps.map((app) => app.addresses.api ?? '')
  const { keyring } = await openSecrets(world.db, {
    secretKeys: readOrThrow({ SECRET_KEYS: secretKeys }).secretKeys,
    dataDir,
  })
  const running = opened.move()
  return {
    world,
    db: world.db,
    baseUrl,
    dataDir,
    otherUrl,
    keyring,
    env: baseUrl === '' ? env : { ...env, PORT: new URL(baseUrl).port },
    workspace,
    key,
    logged,
    ask: (method, path, asking = {}) => ask(method, path, { at: baseUrl, key, ...asking }),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** A new agent key of the workspace, as its secret. */
export async function aKey(
  db: Db,
  { workspaceId, memberId }: Pick<AWorkspace, 'workspaceId' | 'memberId'>,
  {
    permissions = permissionNames,
    expiresAt = null,
  }: { permissions?: readonly Permission[]; expiresAt?: Date | null } = {},
): Promise<string> {
  const made = await createKey(db, workspaceId, { memberId, name: 'a key', permissions, expiresAt })
  return made.key
}

/** Every row of every table, as text, or those that hold a text: equal before and after what must change nothing. */
export async function dumpTables(db: Db, held = ''): Promise<Record<string, string[]>> {
  // Those that outlive a crash: what is counted of requests is no effect of them.
  const tables = await db<{ name: string }[]>`
    select relname as name from pg_class
    where  relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relpersistence = 'p'`
  return rowsOfTables(
    db,
    tables,
    (rows) => db`select t::text as content from ${rows} t where position(${held} in t::text) > 0`,
  )
}

function environment(
  { roles = 'api', sandboxUrl, logLevel = 'info' }: Options,
  world: World,
  dataDir: string,
) {
  return {
    DATABASE_URL: world.databaseUrl,
    DATA_DIR: dataDir,
    ROLES: roles,
    LOG_LEVEL: logLevel,
    // Nothing is started, and unless a test says where, nothing is there.
    SANDBOX_URL: sandboxUrl ?? 'http://127.0.0.1:9',
    RATE_LIMIT_PER_MINUTE: '1000000',
    RATE_LIMIT_WRITES_PER_MINUTE: '1000000',
  }
}

async function startOnFreePort(
  env: Record<string, string>,
  logged: string[],
  recorder?: CallRecorder,
): Promise<App> {
  const config = readOrThrow({ ...env, PORT: String(await freePort()) })
  const log = createLog({
    level: config.log.level,
    destination: { write: (line) => void logged.push(line) },
  })
  return startApp(config, log, recorder === undefined ? {} : { recorder })
}

function readOrThrow(env: Record<string, string>) {
  const read = readConfig(env)
  if (!read.ok) throw new Error(read.faults.join('\n'))
  return read.config
}

function bodyOf(body: unknown): string | FormData {
  return typeof body === 'string' || body instanceof FormData ? body : JSON.stringify(body)
}

async function ask(
  method: string,
  path: string,
  { at, key, body, headers, signal }: RequestOptions & { at: string; key: string | null },
): Promise<Answer> {
  const response = await fetch(at + path, {
    method,
    ...(signal === undefined ? {} : { signal }),
    redirect: 'manual',
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: bodyOf(body) }),
  })
  const text = await response.text()
  const isJson = /json/.test(response.headers.get('content-type') ?? '')
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? (JSON.parse(text) as unknown) : null,
  }
}
