import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { type Connection, openDb } from '../../src/platform/postgres/db.ts'
import { unpackDebian } from './debian-packages.ts'
import { freePort } from './free-port.ts'

export type Pooler = AsyncDisposable & {
  /** The same database by way of the pooler. */
  url: string
}

/** 1.18: it knows no prepared statements, and refuses settings at the start of a connection. */
const RELEASE = 'bookworm'
const PACKAGES = ['pgbouncer', 'libc-ares2', 'libevent-2.1-7']

/**
 * PgBouncer in front of a PostgreSQL that is reached by the folder of its socket. In transaction mode each transaction gets
 * the server that has been idle for longest, so that hardly two of one client have the same.
 */
export async function openPooler(
  connection: Connection,
  settings: Readonly<Record<string, string>> = {},
): Promise<Pooler> {
  if ('url' in connection) throw new Error('The pooler wants the folder of a socket.')
  const { host, port, user, database } = connection
  const root = await unpackDebian(RELEASE, PACKAGES)
  const folder = await mkdtemp(join(tmpdir(), 'postrider-pooler-'))
  await chmod(folder, 0o755)
  const listenPort = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  await writeFile(join(folder, 'users'), `"${user}" ""\n`)
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: String(listenPort),
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: join(folder, 'users'),
    pool_mode: 'transaction',
    default_pool_size: '20',
    max_client_conn: '500',
    server_round_robin: '1',
    server_login_retry: '1',
    ...settings,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`)
  await writeFile(
    file,
    ['[databases]', `* = host=${host} port=${port}`, '[pgbouncer]', ...lines, ''].join('\n'),
  )
  const libraries = join(root, 'usr/lib')
  const [machine = ''] = readdirSync(libraries).filter((name) => name.endsWith('-linux-gnu'))
  const args = process.getuid?.() === 0 ? ['-u', ownerOf(host), file] : [file]
  const child = spawn(join(root, 'usr/sbin/pgbouncer'), args, {
    env: { LD_LIBRARY_PATH: join(libraries, machine) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(child, 'close')
  let logged = ''
  child.stderr.on('data', (chunk: Buffer) => (logged = (logged + chunk.toString()).slice(-4_000)))
  const url = `postgresql://${user}@127.0.0.1:${listenPort}/${database}`
  const hasEnded = () => child.exitCode !== null
  await vi.waitUntil(async () => hasEnded() || (await answers(url)), { timeout: 30_000 })
  if (hasEnded()) throw new Error(`PgBouncer does not start:\n${logged}`)
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** PgBouncer does not run as root, and the folder of the socket lets in its owner alone. */
function ownerOf(folder: string): string {
  return execFileSync('id', ['-nu', String(statSync(folder).uid)], { encoding: 'utf8' }).trim()
}

async function answers(url: string): Promise<boolean> {
  const db = openDb({ url, listenUrl: url, applicationName: 'test', max: 1 })
  const answered = await db`select`.then(
    () => true,
    () => false,
  )
  await db.end({ timeout: 1 })
  return answered
}
