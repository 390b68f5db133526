import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from './rigs/world.ts'

/* The lines of docs/operating.md for cron, run as cron runs them: with /bin/sh, hardly any environment, and another folder. */

const run = promisify(execFile)
const secretKeys = randomBytes(32).toString('base64')
const root = resolve(import.meta.dirname, '../..')

let folder: string
let world: World
let lines: string[]
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider-cron-'))
  world = await openWorld()
  const page = await readFile(join(root, 'docs/operating.md'), 'utf8')
  lines = [...page.matchAll(/^0 3 \* \* \* \S+ (.*)$/gm)].map(([, line = '']) => line)
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

async function asCron(line: string, env: Record<string, string> = {}): Promise<void> {
  // In a crontab a percent sign is the end of the line.
  expect(line).not.toContain('%')
  await run('/bin/sh', ['-c', line], { cwd: '/', env: { HOME: '/', PATH: '/usr/bin:/bin', ...env } })
}

test('beside the unit of systemd', async () => {
  const [line = ''] = lines.filter((each) => !each.includes('docker'))
  const settings = join(folder, 'postrider.env')
  await writeFile(settings, `DATABASE_URL='${world.databaseUrl}'\nSECRET_KEYS='${secretKeys}'\n`)
  const [data, backups] = [join(folder, 'data'), join(folder, 'backups')]
  await mkdir(backups)
  const here = line
    .replace('/etc/postrider.env', settings)
    .replace('/var/lib/postrider', data)
    .replace('/opt/postrider/', `${root}/`)
    .replace('/var/backups/postrider', backups)
  await asCron(here)
  expect(await readdir(backups)).toEqual([expect.stringMatching(/^postrider-[\dT-]+\.backup$/)])
})

test('in the container', async () => {
  const [line = ''] = lines.filter((each) => each.includes('docker'))
  const [, inside] = line.split(' exec -T postrider ')
  const data = join(folder, 'volume')
  await asCron(`${root}/server/bin/${inside}`, {
    DATA_DIR: data,
    DATABASE_URL: world.databaseUrl,
    SECRET_KEYS: secretKeys,
  })
  expect(await readdir(join(data, 'backups'))).toHaveLength(1)
})
