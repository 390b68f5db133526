import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chown, cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { LEFT_PACKAGES } from '../build.ts'
import { readCommit, version } from '../src/platform/process/version.ts'
import { MAIN } from './rigs/built.ts'
import { makeDatabaseFolder } from './rigs/database-folder.ts'
import { freePort } from './rigs/free-port.ts'
import { guardFolder } from './rigs/guard.ts'
import { aPhoto } from './rigs/media-files.ts'
import { root } from './rigs/product.ts'
import { openRunningApp } from './rigs/running-app.ts'

test('what a checkout keeps to itself, secrets and data above all, goes into no image', async () => {
  const namesIn = async (file: string) =>
    (await readFile(join(root, file), 'utf8'))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.replace(/^\*\*\/|^\//, '').replace(/\/$/, ''))

  const kept = await namesIn('.gitignore')

  expect(kept).toEqual(expect.arrayContaining(['.env', '.webhook-secret', 'data']))
  expect(await namesIn('.dockerignore')).toEqual(expect.arrayContaining(kept))
})

test('of the repository, an image has what tells its commit, and nothing else', async () => {
  const repository = await mkdtemp(join(tmpdir(), 'postrider-repository-'))
  const image = await mkdtemp(join(tmpdir(), 'postrider-image-'))
  onTestFinished(async () => {
    for (const folder of [repository, image]) await rm(folder, { recursive: true })
  })
  const git = async (...args: string[]) =>
    (await promisify(execFile)('git', ['-C', repository, ...args])).stdout.trim()
  await git('init', '--quiet', '--initial-branch=releases/next')
  const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
  await git(...author, 'commit', '--quiet', '--allow-empty', '--message=One')

  const rules = (await readFile(join(root, '.dockerignore'), 'utf8')).match(/^!?\.git\/.*$/gm) ?? []
  const isIn = (path: string) => {
    const deciding = rules.findLast((rule) => {
      const pattern = rule.replace('!', '').replace(/\/\*$/, '/')
      return rule.endsWith('/*') ? path.startsWith(pattern) : `${path}/`.startsWith(`${pattern}/`)
    })
    return deciding?.startsWith('!') === true
  }
  const copied = async () => {
    await rm(image, { recursive: true })
    const files = await readdir(join(repository, '.git'), { recursive: true, withFileTypes: true })
    for (const { parentPath, name } of files.filter((file) => file.isFile())) {
      const path = relative(repository, join(parentPath, name))
      if (isIn(path)) await cp(join(repository, path), join(image, path))
    }
    return readdir(join(image, '.git'))
  }

  expect((await copied()).toSorted()).toEqual(['HEAD', 'refs'])
  expect(readCommit(image)).toBe(await git('rev-parse', 'HEAD'))
  await git('tag', 'v1')
  await git('pack-refs', '--all')
  expect((await copied()).toSorted()).toEqual(['HEAD', 'packed-refs'])
  expect(readCommit(image)).toBe(await git('rev-parse', 'HEAD'))
  await rm(join(image, '.git'), { recursive: true })
  expect(readCommit(image)).toBe('unknown')
})

test(
  'the image has what its installation builds from, and what the server loads',
  { timeout: 600_000 },
  async () => {
    const [before = ''] = (await readFile(join(root, 'Dockerfile'), 'utf8')).split('RUN npm ci')
    const copies = [...before.matchAll(/^COPY (.+) (\S+)$/gm)]
    const image = await mkdtemp(join(tmpdir(), 'postrider-image-'))
    onTestFinished(() => rm(image, { recursive: true }))
    for (const [, from = '', to = ''] of copies) {
      for (const name of from.split(' ')) {
        const target = to.endsWith(`${name}/`) ? join(image, to) : join(image, to, basename(name))
        await cp(join(root, name), target, {
          recursive: true,
          filter: (path) => !/\/(node_modules|dist)$/.test(path),
        })
      }
    }
    const run = async (command: string, ...args: string[]) =>
      (await promisify(execFile)(command, args, { cwd: image, maxBuffer: 16 * 1_024 * 1_024 })).stdout

    await run('npm', 'ci', '--omit=dev', '--no-audit', '--no-fund')

    expect(await readdir(join(image, 'dashboard/dist'))).toContain('index.html')
    // Each from the folder that asks for it, and each of what a program of the README imports.
    const script = `for (const name of ${JSON.stringify(LEFT_PACKAGES)}) import.meta.resolve(name); await import('@postrider/sdk')`
    await writeFile(join(image, 'server/dist/resolve.js'), script)
    await run(join(image, 'node_modules/.bin/node'), 'server/dist/resolve.js')
    expect(await run(join(image, 'server/bin/postrider'), '--version')).toContain(version)
  },
)

test('the health check of the image is true for a process without the API, and false for one that is not there', async () => {
  const STATUS_PORT = String(await freePort())
  const check = await healthCheck(STATUS_PORT)
  expect(await check()).toBe(1)
  const app = await openRunningApp({ roles: 'publisher', env: { STATUS_PORT } })
  expect(await check()).toBe(0)
  await app[Symbol.asyncDispose]()
})

/** The health check of the image: its exit code. */
async function healthCheck(STATUS_PORT: string) {
  const dockerfile = await readFile(join(root, 'Dockerfile'), 'utf8')
  const [, command = ''] = /^HEALTHCHECK .*? CMD (\[.*\])$/m.exec(dockerfile) ?? []
  const [, ...args] = JSON.parse(command) as string[]
  return () =>
    new Promise<unknown>((resolve) => {
      execFile(process.execPath, args, { env: { STATUS_PORT } }, (error) => resolve(error?.code ?? 0))
    })
}

test('the health check of the image asks whether the server lives, and not whether it can work', async () => {
  let isAlive = true
  const server = createServer(({ url }, response) => {
    response.writeHead(url === '/healthz' && isAlive ? 200 : 503).end()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const check = await healthCheck(String((server.address() as AddressInfo).port))
  expect(await check()).toBe(0)
  isAlive = false
  expect(await check()).toBe(1)
})

type Service = {
  read_only: boolean
  tmpfs: string[]
  volumes: string[]
  cap_drop: string[]
  cap_add?: string[]
  privileged?: boolean
  security_opt: string[]
  mem_limit: string
  pids_limit: number
  environment: Record<string, string>
}

async function composed(): Promise<Service> {
  const { services } = parse(await readFile(join(root, 'compose.yaml'), 'utf8')) as {
    services: Record<string, Service>
  }
  expect(Object.keys(services)).toEqual(['postrider'])
  return services['postrider']!
}

test('the container is left as little as the unit for systemd leaves', async () => {
  const page = await readFile(join(root, 'docs/operating.md'), 'utf8')
  const [, unit = ''] = /```ini\n(# \/etc\/systemd[^]*?)```/.exec(page)!
  expect(unit).toMatch(/^NoNewPrivileges=true$[^]*^CapabilityBoundingSet=$[^]*^ProtectSystem=strict$/m)
  const service = await composed()
  expect(service).toMatchObject({
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
  })
  expect(service.mem_limit).toMatch(/^\d+g$/)
  expect(service.pids_limit).toBeGreaterThan(0)
  expect(service).not.toHaveProperty('cap_add')
  expect(service).not.toHaveProperty('privileged')
  expect(service.volumes).toEqual([`data:${service.environment['DATA_DIR']}`])
  const dockerfile = await readFile(join(root, 'Dockerfile'), 'utf8')
  expect(dockerfile).toMatch(/^ARG BASE=node:24-[a-z]+-slim(@sha256:[0-9a-f]{64})?\nFROM \$\{BASE\}$/m)
  expect(dockerfile).toMatch(/^USER node$/m)
})

/** As the container has it, and stricter: a root that is read-only, without /tmp, no capability, and none to be had. */
const AS_COMPOSED = `
set -e
mount --make-rprivate /
mount --bind "$DATA_DIR" "$DATA_DIR"
mount -o remount,bind,ro /
if touch "$ROOT/written" 2>/dev/null; then exit 9; fi
cd /
exec setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all \
  "$NODE" "$MAIN" "$@"`

const canBeComposed =
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['-m', 'sh', '-c', 'mount --make-rprivate / && mount -o remount,bind,ro /']).status ===
    0 &&
  spawnSync('setpriv', ['--reuid=65534', '--regid=65534', '--clear-groups', 'test', '-r', root]).status === 0

test.skipIf(!canBeComposed)(
  'the server runs, and writes a backup, on a root that is read-only, without any capability',
  async () => {
    const dataDir = await makeDatabaseFolder('postrider-composed-')
    const guard = guardFolder(dataDir)
    await chown(dataDir, 65_534, 65_534)
    const [PORT, STATUS_PORT, SANDBOX_PORT] = (await Promise.all([1, 2, 3].map(freePort))).map(String)
    const env = {
      PATH: process.env['PATH'],
      NODE: process.execPath,
      ROOT: root,
      MAIN,
      DATA_DIR: dataDir,
      LOG_PRETTY: 'off',
      NODE_ENV: 'production',
      PORT,
      STATUS_PORT,
      SANDBOX_PORT,
      STOP_SECONDS: '1',
    }
    const run = (...args: string[]) =>
      spawn('unshare', ['-m', 'sh', '-c', AS_COMPOSED, 'sh', ...args], { env })
    const server = run('serve')
    onTestFinished(async () => {
      server.kill('SIGKILL')
      await guard.act()
    })
    let said = ''
    server.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
    await expect.poll(() => said, { timeout: 50_000 }).toContain('Postrider is ready')
    expect(await (await healthCheck(STATUS_PORT!))()).toBe(0)
    const [, key = ''] =
      /POSTRIDER_KEY=(\S+)/.exec(await readFile(join(dataDir, 'first-start.txt'), 'utf8')) ?? []
    const form = new FormData()
    form.set('confirmed', 'true')
    form.set('file', new Blob([new Uint8Array(await aPhoto())]))
    const uploaded = await fetch(`http://127.0.0.1:${PORT}/agent/v1/media`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'idempotency-key': 'one' },
      body: form,
    })
    expect(uploaded.status).toBe(201)

    const backup = run('backup')
    const [backupCode] = (await once(backup, 'close')) as [number]
    expect(backupCode).toBe(0)
    server.kill('SIGTERM')
    expect(await once(server, 'close')).toEqual([0, null])
    expect(said).not.toMatch(/"level":"(warn|error|fatal)"|EROFS|EPERM|EACCES/)
  },
)
