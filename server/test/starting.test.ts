import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { version } from '../src/platform/process/version.ts'
import { MAIN } from './rigs/built.ts'
import { openDatabaseProxy } from './rigs/database-proxy.ts'
import { freePort } from './rigs/free-port.ts'
import { guardFolder } from './rigs/guard.ts'
import { root } from './rigs/product.ts'
import { openWorld } from './rigs/world.ts'

/* What keeps a server from starting is in its log, in the format of everything else there; one that is ready has told its key. */

async function begin(settings: Record<string, string>, { args = [] as string[], envFile = '' } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-start-'))
  const guard = guardFolder(folder)
  await writeFile(join(folder, '.env'), envFile)
  const env = { DATA_DIR: folder, PORT: '0', SANDBOX: 'off', STOP_SECONDS: '1', ...settings }
  const command = [MAIN, 'serve', ...args]
  const child = spawn(process.execPath, command, { env, cwd: folder })
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill()
    await ended
    guard.dismiss()
    await rm(folder, { recursive: true, force: true })
  })
  return { child, ended, folder }
}

/** A start that fails. */
async function serve(...started: Parameters<typeof begin>) {
  const { child, ended } = await begin(...started)
  const [said, errors, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  const lines = errors
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  return { exitCode: exitCode as number, said, lines, last: lines.at(-1) }
}

const failure = (code: string, detail: RegExp) => ({
  level: 'fatal',
  time: expect.stringMatching(/^\d{4}-.*Z$/) as string,
  code,
  detail: expect.stringMatching(detail) as string,
  msg: 'the server did not start',
})

test('settings that are wrong, with what is odd in .env, and a command line that is not understood', async () => {
  const faulty = await serve({ PORT: 'four', LEASE_SECONDS: '-1' }, { envFile: 'PORT: 1\n' })
  expect(faulty).toMatchObject({ exitCode: 1, said: '' })
  expect(faulty.lines).toEqual([
    expect.objectContaining({ level: 'warn', msg: expect.stringContaining('Line 1 of .env') as string }),
    failure('invalid_settings', /PORT.*\nLEASE_SECONDS|LEASE_SECONDS.*\nPORT/),
  ])

  const misspelt = await serve({}, { args: ['--rolse', 'api'] })
  expect(misspelt).toMatchObject({ exitCode: 2, said: '' })
  expect(misspelt.lines).toEqual([failure('usage_error', /--roles/)])
})

test('a data folder that cannot be used, a database that is not there, a port that is taken', async () => {
  await using world = await openWorld()
  const { databaseUrl } = world
  const file = join(root, 'package.json')
  const unusable = await serve({ DATA_DIR: join(file, 'data') })
  expect(unusable).toMatchObject({ exitCode: 1, last: failure('command_failed', /DATA_DIR/) })

  const missing = new URL(databaseUrl)
  missing.pathname = '/no-such-database'
  const absent = await serve({ DATABASE_URL: missing.href })
  expect(absent).toMatchObject({ exitCode: 1, last: failure('command_failed', /does not exist.*createdb/) })

  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const { port } = other.address() as { port: number }
  const taken = await serve({ DATABASE_URL: databaseUrl, PORT: String(port) })
  expect(taken).toMatchObject({ exitCode: 1, last: failure('command_failed', /listens on .*set PORT/) })
})

test('a taken STATUS_PORT ends in one line, before anything has begun', async () => {
  await using world = await openWorld()
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const { port } = other.address() as { port: number }
  const taken = await serve({ DATABASE_URL: world.databaseUrl, STATUS_PORT: String(port) })
  expect(taken.exitCode).toBe(1)
  expect(taken.lines).toEqual([failure('command_failed', /listens on .*set STATUS_PORT/)])
})

test('a server is ready when its greeting can be read, and not before', async () => {
  await using world = await openWorld()
  const port = await freePort()
  const { child, folder } = await begin({ DATABASE_URL: world.databaseUrl, PORT: String(port) })
  child.stdout.resume()
  child.stderr.resume()
  const look = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null)
    const isTold = existsSync(join(folder, 'first-start.txt'))
    return { status: answer?.status ?? null, isTold }
  }
  const seen: Awaited<ReturnType<typeof look>>[] = []
  await vi.waitUntil(async () => seen[seen.push(await look()) - 1]?.status === 200, {
    timeout: 50_000,
    interval: 1,
  })
  expect(seen.at(-1)).toEqual({ status: 200, isTold: true })
  expect(await readFile(join(folder, 'first-start.txt'), 'utf8')).toMatch(/POSTRIDER_KEY=pr_/)
  const said = await (await fetch(`http://127.0.0.1:${port}/readyz`)).json()
  expect(said).toMatchObject({ version, commit: expect.stringMatching(/^[0-9a-f]{40}$|^unknown$/) as string })
})

test('a database that goes away at any moment of the start is waited for', { timeout: 300_000 }, async () => {
  await using world = await openWorld()
  await using proxy = await openDatabaseProxy(world.connection)
  const home = await mkdtemp(join(tmpdir(), 'postrider-start-'))
  const guard = guardFolder(home)
  onTestFinished(async () => {
    guard.dismiss()
    await rm(home, { recursive: true, force: true })
  })
  const startWith = async (cutAt: number) => {
    proxy.syncs = 0
    let isCut = false
    proxy.rewrite = (bytes) => {
      if (proxy.syncs >= cutAt && !isCut) {
        isCut = true
        proxy.cut()
      }
      return bytes
    }
    const { child, ended } = await begin({ DATABASE_URL: proxy.url, DATA_DIR: home })
    const errors: string[] = []
    const ready = new Promise<true>((resolve) => {
      child.stderr.on('data', (said: Buffer) => {
        errors.push(said.toString())
        if (said.includes('Postrider is ready')) resolve(true)
      })
    })
    const isReady = await Promise.race([ready, ended.then(() => false)])
    child.kill('SIGKILL')
    await ended
    return { isReady, syncs: proxy.syncs, said: isReady ? '' : errors.join('') }
  }
  const { syncs } = await startWith(Infinity)
  for (let step = 1; step <= 8; step++)
    expect(await startWith(Math.ceil((syncs * step) / 9))).toMatchObject({ isReady: true, said: '' })
})

test('with --record, calls to networks go into a file of the owner’s, and a file that cannot be written ends the start', async () => {
  await using world = await openWorld()
  const settings = { DATABASE_URL: world.databaseUrl }
  const { child, ended, folder } = await begin(settings, { args: ['--record', 'calls.jsonl'] })
  let logged = ''
  child.stderr.on('data', (chunk: Buffer) => (logged += chunk.toString()))
  await vi.waitUntil(() => logged.includes('Postrider is ready'), { timeout: 60_000 })
  const file = join(folder, 'calls.jsonl')
  expect(logged).toContain(`Calls to networks are recorded in ${file}, without tokens`)
  child.kill('SIGTERM')
  await ended
  const [first = ''] = (await readFile(file, 'utf8')).split('\n')
  expect(JSON.parse(first)).toMatchObject({ record: 'Postrider', version: expect.any(String) as string })
  expect((await stat(file)).mode & 0o777).toBe(0o600)

  const nowhere = await serve(settings, { args: ['--record', 'no-such-folder/calls.jsonl'] })
  expect(nowhere).toMatchObject({
    exitCode: 1,
    last: failure('command_failed', /record cannot be written to .*ENOENT/),
  })
})
