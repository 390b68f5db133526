import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { readCommit } from '../src/platform/process/version.ts'
import { root } from './rigs/product.ts'
import { freePort } from './rigs/free-port.ts'
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
  'the image has what its installation builds from, and without tools it is small and has all that the server loads',
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
    expect(Number.parseInt(await run('du', '-sm', 'node_modules'), 10)).toBeLessThanOrEqual(300)
    const { dependencies } = JSON.parse(await readFile(join(root, 'server/package.json'), 'utf8')) as {
      dependencies: Record<string, string>
    }
    const loaded = [
      ...Object.keys(dependencies).filter((name) => !NOT_LOADED.includes(name)),
      'eld/extrasmall',
      '@noble/curves/secp256k1.js',
    ]
    // What a program of the README imports, too.
    loaded.push('@postrider/sdk')
    const script = `for (const name of ${JSON.stringify(loaded)}) await import(name); await import('./app.ts'); process.exit()`
    await writeFile(join(image, 'server/src/load.js'), script)
    await run(join(image, 'node_modules/.bin/node'), 'server/src/load.js')
  },
)

/** Of `eld` one dictionary is loaded, of `@noble/curves` one curve, and of `swagger-ui-dist` files are served. */
const NOT_LOADED = ['eld', '@noble/curves', 'swagger-ui-dist']

test('the image gives Node the options that `npm start` gives', async () => {
  const dockerfile = await readFile(join(root, 'Dockerfile'), 'utf8')
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    scripts: { start: string }
  }
  const [, options] = /^exec node (.*) server\/src\/main.js serve$/.exec(scripts.start) ?? []
  const [, given] = /^ENV NODE_OPTIONS=(.*)$/m.exec(dockerfile) ?? []
  expect(options).toMatch(/^--/)
  expect(given).toBe(options)
})

test('the health check of the image is true for a process without the API, and false for one that is not there', async () => {
  const dockerfile = await readFile(join(root, 'Dockerfile'), 'utf8')
  const [, command = ''] = /^HEALTHCHECK .*? CMD (\[.*\])$/m.exec(dockerfile) ?? []
  const [, ...args] = JSON.parse(command) as string[]
  const STATUS_PORT = String(await freePort())
  const check = () =>
    new Promise<unknown>((resolve) => {
      execFile(process.execPath, args, { env: { STATUS_PORT } }, (error) => resolve(error?.code ?? 0))
    })
  expect(await check()).toBe(1)
  const app = await openRunningApp({ roles: 'publisher', env: { STATUS_PORT } })
  expect(await check()).toBe(0)
  await app[Symbol.asyncDispose]()
})
