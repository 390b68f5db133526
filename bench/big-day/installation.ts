import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { chmod, mkdir, mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { MIGRATIONS } from '../../server/src/platform/embedded-postgres/database.ts'
import { type Db, openDb } from '../../server/src/platform/postgres/db.ts'
import { startEmbeddedPostgres } from '../../server/src/platform/embedded-postgres/embedded-postgres.ts'
import { migrate } from '../../server/src/platform/postgres/migrate.ts'
import { urlOf } from '../../server/src/platform/postgres/address.ts'
import { MAIN } from '../../server/test/rigs/built.ts'
import { type Keyring, makeKeyring } from '../../server/src/platform/sealing/sealing.ts'

/** One PostgreSQL, and processes of the server on it, each with one role. */
export type Installation = AsyncDisposable & {
  db: Db
  keyring: Keyring
  postgresPid: number
  /** Comes back once it works. */
  startProcess: (role: Role, settings: Record<string, string>) => Promise<ServerProcess>
}

type Role = 'publisher' | 'webhooks'

export type ServerProcess = {
  pid: number
  readLog: () => Promise<ProcessLog>
}

export type ProcessLog = {
  /** Warnings and worse, by message. */
  complaints: Map<string, number>
  /** How many rows its housekeeping removed. */
  removed: number
}

export async function openInstallation(): Promise<Installation> {
  await using opened = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-bench-'))
  // PostgreSQL runs as another user when the bench runs as root.
  await chmod(dataDir, 0o711)
  opened.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 10 }))
  const postgres = await startEmbeddedPostgres({
    dataDir,
    settings: { shared_preload_libraries: 'pg_stat_statements' },
  })
  opened.defer(() => postgres.stop())
  const db = openDb({ ...postgres.connection, applicationName: 'bench', max: 4 })
  opened.defer(() => db.end({ timeout: 5 }))
  await migrate(db, MIGRATIONS)
  await db`create extension pg_stat_statements`

  const secret = randomBytes(32)
  const files = join(dataDir, 'files')
  await mkdir(files)
  const running = opened.move()
  let started = 0
  return {
    db,
    keyring: makeKeyring([secret]),
    postgresPid: postgres.pid,
    async startProcess(role, settings) {
      const logFile = join(dataDir, `${role}-${++started}.log`)
      const log = await open(logFile, 'w')
      const { PATH, HOME } = process.env
      const env = {
        PATH,
        HOME,
        DATA_DIR: files,
        DATABASE_URL: urlOf(postgres.connection),
        LOG_PRETTY: 'off',
        SECRET_KEYS: secret.toString('base64'),
        TRUSTED_ORIGINS: 'any',
        ...settings,
      }
      const before = await connectionsOf(db, role)
      const args = [MAIN, 'serve', '--roles', role]
      const child = spawn(process.execPath, args, { env, stdio: ['ignore', log.fd, log.fd] })
      await log.close()
      const ended = once(child, 'exit')
      running.defer(async () => {
        child.kill('SIGTERM')
        await ended
      })
      while ((await connectionsOf(db, role)) === before) {
        if (child.exitCode !== null) throw new Error(`The ${role} ended: ${await readFile(logFile, 'utf8')}`)
        await delay(100)
      }
      return { pid: child.pid ?? 0, readLog: () => readLog(logFile) }
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

async function connectionsOf(db: Db, role: Role): Promise<number> {
  const [row] = await db<[{ count: number }]>`
    select count(*)::int as count from pg_stat_activity where application_name = ${`postrider ${role}`}`
  return row.count
}

const COMPLAINTS = new Set(['warn', 'error', 'fatal'])

async function readLog(logFile: string): Promise<ProcessLog> {
  const complaints = new Map<string, number>()
  let removed = 0
  for await (const text of createInterface({ input: createReadStream(logFile) })) {
    // What it tells a person at its start is no JSON.
    if (!text.startsWith('{')) continue
    const { level, msg, count, doing, err } = JSON.parse(text) as LogLine
    if (msg === 'housekeeping') removed += count ?? 0
    if (!COMPLAINTS.has(level)) continue
    const message = [msg, doing, err?.message].filter(Boolean).join(': ')
    complaints.set(message, (complaints.get(message) ?? 0) + 1)
  }
  return { complaints, removed }
}

type LogLine = { level: string; msg: string; count?: number; doing?: string; err?: { message: string } }
