import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Db, type DbOptions, openDb } from '../server/src/platform/postgres/db.ts'
import { MIGRATIONS } from '../server/src/platform/embedded-postgres/database.ts'
import { NAME, PORT } from '../server/src/platform/embedded-postgres/cluster.ts'
import { startEmbeddedPostgres } from '../server/src/platform/embedded-postgres/embedded-postgres.ts'
import { migrate } from '../server/src/platform/postgres/migrate.ts'
import { MAIN } from '../server/test/rigs/built.ts'
import { type Keyring, makeKeyring } from '../server/src/platform/sealing/sealing.ts'

const ROOT = join(import.meta.dirname, '..')

/** The product as a user starts it, in a process of its own on a folder of its own. */
export type Product = AsyncDisposable & {
  url: string
  /** The agent key of the first start. */
  key: string
  pid: number
  /** The first process of its database. */
  postmasterPid: number
  /** The processes of its database. */
  databasePids: () => Promise<number[]>
  db: Db
  socketDir: string
  keyring: Keyring
}

export async function startProduct(): Promise<Product> {
  await using opened = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-bench-'))
  await chmod(dataDir, 0o711)
  opened.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 10 }))
  const secret = randomBytes(32)
  const [port, sandboxPort] = [await freePort(), await freePort()]
  const { PATH, HOME } = process.env
  const env = {
    PATH,
    HOME,
    DATA_DIR: dataDir,
    PORT: String(port),
    SANDBOX_PORT: String(sandboxPort),
    SECRET_KEYS: secret.toString('base64'),
    RATE_LIMIT_PER_MINUTE: '1000000',
    RATE_LIMIT_WRITES_PER_MINUTE: '1000000',
    // The networks of the bench have ports of their own on this machine.
    TRUSTED_ORIGINS: 'any',
  }
  const child = spawn(process.execPath, [MAIN, 'serve'], {
    env,
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(child, 'close')
  opened.defer(async () => {
    child.kill('SIGTERM')
    await ended
  })
  const key = await readKey(child.stderr, ended)

  const postgres = await startEmbeddedPostgres({ dataDir })
  opened.defer(() => postgres.stop())
  const db = openDb({ ...postgres.connection, applicationName: 'bench', max: 4 })
  opened.defer(() => db.end({ timeout: 5 }))
  const running = opened.move()
  return {
    url: `http://127.0.0.1:${port}`,
    key,
    pid: child.pid ?? 0,
    postmasterPid: postgres.pid,
    async databasePids() {
      const rows = await db<{ pid: number }[]>`select pid from pg_stat_activity where pid is not null`
      return [postgres.pid, ...rows.map(({ pid }) => pid)]
    },
    db,
    socketDir: postgres.connection.host,
    keyring: makeKeyring([secret]),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** An empty database of its own beside the product's. */
export async function createDatabase(
  { db: admin }: Product,
  name: string,
): Promise<{ name: string } & AsyncDisposable> {
  await admin`create database ${admin(name)}`
  return {
    name,
    async [Symbol.asyncDispose]() {
      await admin`drop database ${admin(name)} with (force)`
    },
  }
}

/** The same with the product's tables, and a pool on it. */
export async function openBeside(
  product: Product,
  name: string,
  options: Pick<DbOptions, 'max' | 'byIndex'> = {},
): Promise<{ db: Db } & AsyncDisposable> {
  const database = await createDatabase(product, name)
  const session = { host: product.socketDir, port: PORT, user: NAME, database: name }
  const db = openDb({ ...session, applicationName: 'bench', ...options })
  await migrate(db, MIGRATIONS)
  return {
    db,
    async [Symbol.asyncDispose]() {
      await db.end({ timeout: 5 })
      await database[Symbol.asyncDispose]()
    },
  }
}

async function readKey(log: NodeJS.ReadableStream, ended: Promise<unknown[]>): Promise<string> {
  let said = ''
  const ready = new Promise<string>((resolve) => {
    function read(chunk: Buffer): void {
      said += chunk.toString()
      const file = /"greeting":"([^"]+)"/.exec(said)?.[1]
      if (file === undefined) return
      resolve(readFile(file, 'utf8').then((text) => /POSTRIDER_KEY=(\S+)\n/.exec(text)?.[1] ?? ''))
      // What follows is the log: to keep and search it would take more CPU than the requests that it tells of.
      log.off('data', read).resume()
    }
    log.on('data', read)
  })
  const failed = ended.then(() => Promise.reject(new Error(`The product did not start:\n${said}`)))
  const key = await Promise.race([ready, failed])
  failed.catch(() => undefined)
  return key
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : freePort()
}
