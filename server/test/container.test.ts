import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
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

test('the image has what its installation builds from when it is installed', async () => {
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
  await symlink(join(root, 'node_modules'), join(image, 'node_modules'))

  await promisify(execFile)('npm', ['run', 'build'], { cwd: image })
  expect(await readdir(join(image, 'dashboard/dist'))).toContain('index.html')
})

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
