import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rename, rm, chmod } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDb } from '../src/platform/postgres/db.ts'
import { startEmbeddedPostgres } from '../src/platform/embedded-postgres/embedded-postgres.ts'
import { readPostmasterPid } from '../src/platform/embedded-postgres/pid-file.ts'
import { copyCluster, openCluster } from './rigs/cluster.ts'
import { makeDatabaseFolder } from './rigs/database-folder.ts'
import { MAIN } from './rigs/built.ts'
import { freePort } from './rigs/free-port.ts'
import { guardFolder } from './rigs/guard.ts'
import { openWorld } from './rigs/world.ts'

/* A server that is told to stop ends, in order and soon, whatever it waits for. */

async function serve(settings: Record<string, string>) {
  const dataDir = settings['DATA_DIR'] ?? (await mkdtemp(join(tmpdir(), 'postrider-stopping-')))
  await chmod(dataDir, 0o711)
  const guard = guardFolder(dataDir)
  const port = await freePort()
  const env = { DATA_DIR: dataDir, PORT: String(port), SANDBOX: 'off', STOP_SECONDS: '1', ...settings }
  const child = spawn(process.execPath, [MAIN, 'serve'], { env, cwd: dataDir })
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
    guard.dismiss()
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
  })
  return {
    dataDir,
    baseUrl: `http://127.0.0.1:${port}`,
    child,
    ended,
    async untilSaid(words: string) {
      await expect.poll(() => said, { timeout: 50_000 }).toContain(words)
    },
    /** How long it takes to end when it is told to, and its exit code. */
    async stop(signal: NodeJS.Signals = 'SIGTERM') {
      const sinceMs = performance.now()
      child.kill(signal)
      const [exitCode] = (await ended) as [number | null]
      return { exitCode, tookMs: performance.now() - sinceMs }
    },
  }
}

/** A listener that takes connections and says nothing, as a frozen database does. */
async function listenSilently() {
  const server = createServer((socket) => void socket.on('error', () => undefined)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { port: (server.address() as { port: number }).port, connected: once(server, 'connection') }
}

test('a server whose database is absent when it starts', async () => {
  const server = await serve({ DATABASE_URL: `postgres://postrider@127.0.0.1:${await freePort()}/postrider` })
  await server.untilSaid('waiting for the database')

  const { exitCode, tookMs } = await server.stop()

  expect(exitCode).toBe(0)
  expect(tookMs).toBeLessThan(8_000)
})

test('a server whose database says nothing when it starts', async () => {
  const { port, connected } = await listenSilently()
  const server = await serve({ DATABASE_URL: `postgres://postrider@127.0.0.1:${port}/postrider` })
  await connected

  const { exitCode, tookMs } = await server.stop()

  expect(exitCode).toBe(0)
  expect(tookMs).toBeLessThan(8_000)
})

test('a server whose embedded database is gone and does not start again', async () => {
  const dataDir = await makeDatabaseFolder('postrider-stopping-')
  await chmod(dataDir, 0o711)
  await copyCluster(dataDir)
  const server = await serve({ DATA_DIR: dataDir })
  await server.untilSaid('Postrider is ready')
  const cluster = join(dataDir, 'postgres')
  const pid = await readPostmasterPid(cluster)
  await rename(cluster, `${cluster}.away`)
  process.kill(pid!, 'SIGKILL')
  await server.untilSaid('could not be started again')

  const { exitCode, tookMs } = await server.stop()

  expect(exitCode).toBe(0)
  expect(tookMs).toBeLessThan(8_000)
})

test('a server that waits for something else when it starts: no database of its own is left', async () => {
  const dataDir = await makeDatabaseFolder('postrider-stopping-')
  await chmod(dataDir, 0o711)
  await copyCluster(dataDir)
  const postgres = await startEmbeddedPostgres({ dataDir })
  // Looks like no user of the database, and holds what a start waits for: the lock of migrations.
  const holder = openDb({
    ...postgres.connection,
    applicationName: 'postrider keeper',
    max: 1,
    permanent: true,
  })
  onTestFinished(() => holder.end({ timeout: 0 }))
  await holder`select pg_advisory_lock(${7_205_759_403})`
  const server = await serve({ DATA_DIR: dataDir })
  await server.untilSaid('another process brings the schema up to date')
  await postgres.stop()
  const cluster = join(dataDir, 'postgres')
  expect(await readPostmasterPid(cluster)).toBe(postgres.pid)

  const { exitCode } = await server.stop()

  expect(exitCode).toBe(0)
  expect(await readPostmasterPid(cluster)).toBeNull()
})

test('a server whose database froze under it', async () => {
  await using cluster = await openCluster()
  const server = await serve({ DATABASE_URL: cluster.world.databaseUrl })
  await server.untilSaid('Postrider is ready')
  cluster.freeze()

  const { exitCode, tookMs } = await server.stop()

  expect(exitCode).toBe(0)
  expect(tookMs).toBeLessThan(15_000)
})

test('for STOP_DELAY_SECONDS a server that stops says so at /readyz and works on', async () => {
  await using world = await openWorld()
  const server = await serve({ DATABASE_URL: world.databaseUrl, STOP_DELAY_SECONDS: '3' })
  await server.untilSaid('Postrider is ready')
  const look = async (path: string) => {
    const response = await fetch(server.baseUrl + path)
    const { status } = (await response.json()) as { status: string }
    return { http: response.status, status }
  }
  expect(await look('/readyz')).toEqual({ http: 200, status: 'ready' })

  const stopping = server.stop()

  await expect.poll(() => look('/readyz'), { timeout: 2_500 }).toEqual({ http: 503, status: 'stopping' })
  expect((await fetch(`${server.baseUrl}/agent/v1/me`)).status).toBe(401)
  expect(await look('/healthz')).toEqual({ http: 200, status: 'ok' })
  const { exitCode, tookMs } = await stopping
  expect(exitCode).toBe(0)
  expect(tookMs).toBeGreaterThanOrEqual(3_000)
})

test.each(['SIGHUP', 'SIGQUIT', 'SIGINT'] as const)(
  '%s has a server stop in order, as SIGTERM does',
  async (signal) => {
    await using world = await openWorld()
    const server = await serve({ DATABASE_URL: world.databaseUrl })
    await server.untilSaid('Postrider is ready')

    expect(await server.stop(signal)).toMatchObject({ exitCode: 0 })
    await server.untilSaid(`"reason":"${signal}","msg":"stopped"`)
  },
)

const hasTerminals = spawnSync('script', ['--version']).status === 0

test.skipIf(!hasTerminals)('a server whose terminal goes away stops in order', async () => {
  await using world = await openWorld()
  const folder = await mkdtemp(join(tmpdir(), 'postrider-hangup-'))
  await chmod(folder, 0o711)
  const guard = guardFolder(folder)
  const port = await freePort()
  const env = {
    PATH: process.env['PATH'],
    DATABASE_URL: world.databaseUrl,
    DATA_DIR: folder,
    PORT: String(port),
    SANDBOX: 'off',
    STOP_DELAY_SECONDS: '6',
  }
  const command = `exec '${process.execPath}' '${MAIN}' serve`
  const terminal = spawn('script', ['-qec', command, join(folder, 'typescript')], { env, cwd: folder })
  onTestFinished(async () => {
    terminal.kill('SIGKILL')
    await guard.act()
  })
  const look = () =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      async (answer) => ((await answer.json()) as { status: string }).status,
      () => 'gone',
    )
  await expect.poll(look, { timeout: 50_000 }).toBe('ready')
  const connections = () => world.db`
    select from pg_stat_activity where datname = current_database() and application_name like 'postrider %'`

  terminal.kill('SIGKILL')

  await expect.poll(look, { timeout: 5_900 }).toBe('stopping')
  await expect.poll(look, { timeout: 20_000 }).toBe('gone')
  await expect.poll(async () => (await connections()).length).toBe(0)
})
