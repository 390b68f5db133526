import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { aWorkspace, type AWorkspace } from '../rigs/fixtures.ts'
import { MAIN } from '../rigs/built.ts'
import { root } from '../rigs/product.ts'
import { freePort } from '../rigs/free-port.ts'
import { aKey } from '../rigs/running-app.ts'
import { openWorld, type World } from '../rigs/world.ts'

/** A server as a process of its own, on a database of its own, that tests attack from outside. */
export type ServerProcess = AsyncDisposable & {
  world: World
  workspace: AWorkspace
  /** An agent key of the workspace with every permission. */
  key: string
  port: number
  baseUrl: string
  pid: number
  logged: () => string
  /** Throws, with what it logged, when it has ended. */
  expectRunning: () => void
  /** Its exit code, and how long it took to end. */
  stop: () => Promise<{ code: number | null; tookMs: number }>
  residentBytes: () => number
  /** User and system time so far, which the load of other processes does not change. */
  cpuSeconds: () => Promise<number>
  /** One of its Prometheus metrics. */
  metric: (name: string) => Promise<number>
}

export type ServerOptions = {
  env?: Record<string, string>
  /** How many file descriptors it may have. */
  descriptors?: number
  /** Options of Node itself. */
  node?: readonly string[]
}

/** Starts it: `await using server = await openServerProcess()`. */
export async function openServerProcess(requested: ServerOptions = {}): Promise<ServerProcess> {
  await using opened = new AsyncDisposableStack()
  const world = opened.use(await openWorld())
  // There before the start, so that the first start has nothing left to make.
  const workspace = await aWorkspace(world.db)
  const key = await aKey(world.db, workspace)
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-hostile-'))
  opened.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 10 }))

  const port = await freePort()
  const { child, logged } = spawnServer(requested, {
    DATABASE_URL: world.databaseUrl,
    DATA_DIR: dataDir,
    PORT: String(port),
    ROLES: 'api',
    SANDBOX_URL: 'http://127.0.0.1:9',
    SECRET_KEYS: randomBytes(32).toString('base64'),
    RATE_LIMIT_PER_MINUTE: '1000000',
    RATE_LIMIT_WRITES_PER_MINUTE: '1000000',
    LOG_LEVEL: 'warn',
  })
  const exit = once(child, 'exit')
  opened.defer(async () => {
    if (endOf(child) === null) child.kill('SIGKILL')
    await exit
  })
  const baseUrl = `http://127.0.0.1:${port}`
  await untilReady(baseUrl, child, logged)

  const metric = async (name: string) => {
    const response = await fetch(`${baseUrl}/metrics`)
    const line = (await response.text()).split('\n').find((text) => text.startsWith(`${name} `))
    return Number(line?.split(' ')[1])
  }
  const pid = child.pid ?? 0
  const running = opened.move()
  return {
    world,
    workspace,
    key,
    port,
    baseUrl,
    pid,
    logged,
    metric,
    expectRunning: () => expectRunning(child, logged),
    async stop() {
      const askedMs = performance.now()
      child.kill('SIGTERM')
      await exit
      return { code: child.exitCode, tookMs: performance.now() - askedMs }
    },
    residentBytes: () => residentBytes(pid),
    cpuSeconds: () => metric('process_cpu_seconds_total'),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

function spawnServer(
  { env, descriptors, node: options = [] }: ServerOptions,
  settings: Record<string, string>,
) {
  const node = [process.execPath, ...options, MAIN, 'serve']
  const limit = descriptors === undefined ? '' : `ulimit -n ${descriptors}; `
  const { PATH, HOME } = process.env
  const child = spawn('sh', ['-c', `${limit}exec "$@"`, 'sh', ...node], {
    cwd: root,
    env: { PATH, HOME, ...settings, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let text = ''
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()))
  return { child, logged: () => text }
}

async function untilReady(baseUrl: string, child: ChildProcess, logged: () => string): Promise<void> {
  for (;;) {
    expectRunning(child, logged)
    const answer = await fetch(`${baseUrl}/readyz`).catch(() => null)
    await answer?.arrayBuffer()
    if (answer?.status === 200) return
    await delay(50)
  }
}

function expectRunning(child: ChildProcess, logged: () => string): void {
  const end = endOf(child)
  if (end !== null) throw new Error(`The server ended with ${end}.\n${logged()}`)
}

function endOf({ exitCode, signalCode }: ChildProcess): string | null {
  return exitCode === null && signalCode === null ? null : `exit code ${exitCode}, signal ${signalCode}`
}

function residentBytes(pid: number): number {
  if (process.platform !== 'linux') {
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1_024
  }
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1_024
}

/** The most memory that the server had while `attack` went on, above what it had before. */
export async function peakGrowth(server: ServerProcess, attack: () => Promise<void>): Promise<number> {
  const before = server.residentBytes()
  let peak = before
  const sampling = setInterval(() => (peak = Math.max(peak, server.residentBytes())), 20)
  try {
    await attack()
  } finally {
    clearInterval(sampling)
  }
  return Math.max(peak, server.residentBytes()) - before
}

const ROUNDS = 10

/**
 * The seconds of a processor that the server takes for a request: in the first of several rounds that keeps to the bound, or the least.
 * Load only ever adds to them.
 */
export async function cpuSecondsOf(
  server: ServerProcess,
  bound: number,
  send: () => Promise<unknown>,
  rounds = ROUNDS,
): Promise<number> {
  let least = Infinity
  for (let round = 0; round < rounds && least >= bound; round++) {
    const before = await server.cpuSeconds()
    await send()
    least = Math.min(least, (await server.cpuSeconds()) - before)
  }
  return least
}
