import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { MAIN, sourcesOf } from '../../test/rigs/built.ts'
import { openWorld } from '../../test/rigs/world.ts'
import { version } from '../platform/process/version.ts'

const bin = join(import.meta.dirname, '../../bin/postrider')

/** The command as a shell finds it: by a link, from another folder, and with nothing but the system's programs. */
async function postrider(...args: string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-bin-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const link = join(folder, 'postrider')
  await symlink(bin, link)
  const { stdout } = await promisify(execFile)(link, args, { cwd: folder, env: { PATH: '/usr/bin:/bin' } })
  return stdout
}

test('the command runs on its own Node, wherever it is linked to and called from', async () => {
  expect(await postrider('--version')).toMatch(new RegExp(`^${version}( \\([0-9a-f]{8}\\))?\n$`))
})

test('what is not built, and a Node that is too old, are said in one line', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-bin-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const start = (path: string) =>
    promisify(execFile)(join(folder, 'server/bin/postrider'), { env: { PATH: path } }).catch(
      ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr }),
    )
  await mkdir(join(folder, 'server/bin'), { recursive: true })
  await copyFile(bin, join(folder, 'server/bin/postrider'))
  const programs = `${dirname(process.execPath)}:/usr/bin:/bin`
  const notBuilt = await start(programs)
  expect(notBuilt).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^Postrider is not built: .*npm ci.*\n$/) as string,
  })

  await writeFile(join(folder, 'node'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  const tooOld = await start(`${folder}:${programs}`)
  expect(tooOld).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^Postrider runs on Node 24 .*\n$/) as string,
  })
})

test('help lists every command, and a command knows its own', async () => {
  const help = await postrider('--help')
  const [here = '', api = ''] = help.split('Over the API')
  // What needs neither the database nor the machine is not among what works on it.
  expect(here.split('On any machine')[0]).not.toMatch(/^ {2}mcp /m)
  for (const name of [
    'serve',
    'migrate',
    'backup',
    'restore',
    'doctor',
    'reseal',
    'owner',
    'workspace',
    'restored',
  ])
    expect(here).toMatch(new RegExp(`^  ${name} `, 'm'))
  for (const name of [
    'key',
    'app',
    'webhook',
    'approval',
    'member list',
    'workspace update',
    'channel',
    'resolve',
  ])
    expect(api).toMatch(new RegExp(`[ ,]${name}[,\n]`))
  expect(await postrider('workspace', 'create', '--help')).toMatch(/--name <name> .*\(required\)/)
  expect(await postrider('key', 'create', '--help')).toMatch(/--name <text> +Required\./)
  expect(await postrider('key', '--help')).toMatch(/^ {2}key create /m)
})

/** Prints every module that was loaded, when the process ends. */
const LOADED = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  const urls = []
  registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) })
  process.on('exit', () => console.log(urls.join('\\n')))`)}`

test('no command loads schemas, a network or a model before it is run', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', LOADED, MAIN, '--help'])
  const loaded = sourcesOf(stdout.split('\n'))

  expect(loaded).toContainEqual(expect.stringMatching(/\/commands\/workspace\.ts$/))
  const heavy = /\/(node_modules\/(typebox|undici|sharp|ai)|providers\/\w+)\//
  expect(loaded.filter((source) => heavy.test(source))).toEqual([])
})

test('an answer longer than a pipe holds is written to its end, and a reader that goes away ends the command', async () => {
  await using world = await openWorld()
  await world.db`
    insert into workspace (id, name) select gen_random_uuid(), repeat('n', 200) from generate_series(1, 600)`
  const folder = await mkdtemp(join(tmpdir(), 'postrider-output-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const through = async (reader: string) => {
    const script = `"$0" "$1" workspace list --json | ${reader}`
    const env = { PATH: '/usr/bin:/bin', DATABASE_URL: world.databaseUrl, DATA_DIR: folder }
    return promisify(execFile)('sh', ['-c', script, process.execPath, MAIN], { env, maxBuffer: 4_000_000 })
  }

  const { stdout } = await through('cat')
  expect(stdout.length).toBeGreaterThan(2 * 65_536)
  expect(JSON.parse(stdout)).toHaveLength(600)
  expect(await through('head -c 5')).toEqual({ stdout: stdout.slice(0, 5), stderr: '' })
})
