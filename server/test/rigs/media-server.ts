import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { MAIN } from './built.ts'
import { aWorkspace } from './fixtures.ts'
import { freePort } from './free-port.ts'
import { aKey } from './running-app.ts'
import { openWorld, type World } from './world.ts'

export const BOUNDARY = 'a-boundary-that-is-in-no-file'
export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`

/** The form of an upload, byte by byte. */
export function formOf(bytes: Buffer): Buffer {
  const head = (name: string, more = '') =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`
  return Buffer.concat([
    Buffer.from(`${head('confirmed')}true\r\n${head('file', '; filename="x"')}`),
    bytes,
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ])
}

export async function sendForm(to: { url: string; key: string }, form: Buffer, idempotencyKey: string) {
  const response = await fetch(`${to.url}/agent/v1/media`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${to.key}`,
      'idempotency-key': idempotencyKey,
      'content-type': FORM_TYPE,
    },
    body: form as never,
  })
  return { status: response.status, body: (await response.json()) as any }
}

/** The names of all files below a folder that may not be there, but the marks of installations in a media storage. */
export function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile() && !one.parentPath.endsWith('/used-by'))
    .map((one) => one.name)
}

/** Memory of a process as Linux counts it: now, at its peak, and how much of it is the files of its program. */
export function memoryOf(pid: number): { now: number; peak: number; program: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)![1]) * 1_024
  return { now: bytes('VmRSS'), peak: bytes('VmHWM'), program: bytes('RssFile') }
}

/** Resets the peak. */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

export function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
}

export type MediaServer = AsyncDisposable & {
  url: string
  key: string
  kill: () => void
  /** What it logged as an error. */
  logged: () => string
  pid: number
  /** Its data folder. */
  folder: string
  ask: (path: string) => Promise<any>
  bytes: (path: string) => Promise<Buffer>
}

/**
 * The product in a process of its own, as `npm start` begins it, which may be killed; on this database and folder, or on fresh
 * ones. No file of it may be larger than `mostFileBytes`; the line of shell `enter` runs in that process first.
 */
export async function startMediaServer(
  place?: { world: World; folder: string },
  { mostFileBytes, enter }: { mostFileBytes?: number; enter?: string } = {},
): Promise<MediaServer> {
  const world = place?.world ?? (await openWorld())
  const folder = place?.folder ?? (await mkdtemp(join(tmpdir(), 'postrider-server-')))
  const key = await aKey(world.db, await workspaceOf(world))
  const port = await freePort()
  const rates = { RATE_LIMIT_PER_MINUTE: '100000', RATE_LIMIT_WRITES_PER_MINUTE: '100000' }
  const settings = { DATABASE_URL: world.databaseUrl, DATA_DIR: folder, ROLES: 'api', SANDBOX: 'off' }
  const command = [process.execPath, MAIN, 'serve']
  const limits = [
    // The shell counts in blocks of 512 bytes.
    ...(mostFileBytes === undefined ? [] : [`ulimit -f ${mostFileBytes / 512}`]),
    ...(enter === undefined ? [] : [enter]),
  ]
  const limit = limits.length === 0 ? [] : ['sh', '-c', [...limits, 'exec "$0" "$@"'].join(' && ')]
  const [name = '', ...rest] = [...limit, ...command]
  const logPath = join(folder, 'log')
  const log = openSync(logPath, 'a')
  const child = spawn(name, rest, {
    env: { ...settings, ...rates, PORT: String(port), LOG_LEVEL: 'error', PATH: process.env['PATH'] },
    stdio: ['ignore', 'ignore', log],
  })
  closeSync(log)
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const url = `http://127.0.0.1:${port}`
  const authorization = `Bearer ${key}`
  const server: MediaServer = {
    url,
    key,
    kill: () => child.kill('SIGKILL'),
    logged: () => readFileSync(logPath, 'utf8'),
    pid: child.pid!,
    folder,
    ask: async (path) => (await fetch(url + path, { headers: { authorization } })).json(),
    bytes: async (path) =>
      Buffer.from(await (await fetch(url + path, { headers: { authorization } })).arrayBuffer()),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
      if (place !== undefined) return
      await world[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  try {
    const isReady = async () => (await fetch(`${url}/readyz`).catch(() => null))?.status
    await expect.poll(isReady, { timeout: 40_000 }).toBe(200)
    return server
  } catch (error) {
    await server[Symbol.asyncDispose]()
    throw error
  }
}

/** The one workspace of a world: made the first time. */
async function workspaceOf({ db }: World) {
  const [row] = await db<{ workspaceId: string; memberId: string }[]>`
    select workspace_id as "workspaceId", id as "memberId" from member limit 1`
  return row ?? aWorkspace(db)
}
