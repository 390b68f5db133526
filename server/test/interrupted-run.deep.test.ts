import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { guardFolder } from './rigs/guard.ts'
import { root } from './rigs/product.ts'

/* A run of the tests that is interrupted, in whichever way, leaves no process and no file behind. */

/** The processes that have the folder in their arguments or their environment. */
async function usersOf(folder: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const told = await Promise.all(
    pids.map(async (pid) => {
      const read = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')
      const [command, settings] = await Promise.all([read('cmdline'), read('environ')])
      return command.includes(folder) || settings.includes(folder) ? [command.replaceAll('\0', ' ')] : []
    }),
  )
  return told.flat()
}

/** Beside the databases of this run, where those are in memory: its own are copied for a tenth of what it takes on a disk. */
const beside = dirname(process.env['TEST_DATABASES'] ?? '')
const HOME = beside === '/dev/shm' ? beside : '/tmp'

test.runIf(existsSync('/proc/self/environ')).each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
  'a run that is ended by %s half-way',
  async (signal) => {
    // Not in the folder of this run: the addresses of sockets below it would be too long, and be made elsewhere.
    const folder = await mkdtemp(join(HOME, 'interrupt-'))
    const guard = guardFolder(folder)
    onTestFinished(async () => {
      guard.dismiss()
      await rm(folder, { recursive: true, force: true })
    })
    const [temporary, databases] = [join(folder, 't'), join(folder, 'd')]
    for (const each of [temporary, databases]) await mkdir(each)
    for (const each of [folder, temporary, databases]) await chmod(each, 0o711)
    const config = join(folder, 'vitest.config.mjs')
    const settings = {
      include: ['server/test/rigs/interrupted-file.ts'],
      globalSetup: ['server/test/rigs/global-setup.ts'],
      pool: 'forks',
    }
    await writeFile(config, `export default { test: ${JSON.stringify(settings)} }`)
    const child = spawn(
      process.execPath,
      [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', root, '--config', config],
      {
        cwd: root,
        env: { PATH: process.env['PATH'], TMPDIR: temporary, TEST_DATABASES: databases },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    const ended = once(child, 'exit')
    onTestFinished(() => void child.kill('SIGKILL'))
    let said = ''
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
    await expect.poll(() => said, { timeout: 100_000 }).toContain('everything is there')

    child.kill(signal)
    await ended

    await expect
      .poll(
        async () => Promise.all([temporary, databases].flatMap((each) => [usersOf(each), readdir(each)])),
        { timeout: 60_000 },
      )
      .toEqual([[], [], [], []])
  },
  200_000,
)
