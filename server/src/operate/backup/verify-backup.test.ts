import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest'
import { commandLineWith } from '../../../test/rigs/command-line.ts'
import { aFullWorkspace } from '../../../test/rigs/full-workspace.ts'
import { openWorld, type World } from '../../../test/rigs/world.ts'
import { openFolderStorage } from '../../media/folder-storage.ts'
import { urlOf } from '../../platform/postgres/db.ts'
import { makeKeyring } from '../../platform/sealing/sealing.ts'
import { type BackupEntry, writeBackupFile } from './backup-file.ts'
import { listTables } from './backup-store.ts'
import { openOwnFolder } from './own-folder.ts'
import { differencesOf } from './verify-backup.ts'

let folder: string
let world: World
let backup: string
let server: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider-verify-test-'))
  world = await openWorld()
  const key = randomBytes(32)
  await aFullWorkspace(world.db, makeKeyring([key]))
  const [file] = await world.db<{ key: string }[]>`
    update media_item set size_bytes = 5, sha256 = sha256('bytes') returning storage_key as key`
  await writeFile(join(folder, 'a-file'), 'bytes')
  const storage = await openFolderStorage(join(folder, 'media', 'kept'))
  await storage.put(file!.key, join(folder, 'a-file'), { size: 5, contentType: 'image/png' })
  backup = join(folder, 'all.backup')
  const env = { DATABASE_URL: world.databaseUrl, DATA_DIR: folder, SECRET_KEYS: key.toString('base64') }
  await commandLineWith(env)('backup', backup)
  const { host, port, user } = inject('postgres')
  server = urlOf({ host, port, user, database: 'postgres' })
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

/** Without a database or settings of its own: of the installation nothing may be left. */
const nowhere = commandLineWith({ DATABASE_URL: 'postgres://127.0.0.1:1/none', DATA_DIR: '/nonexistent' })

const leftFolders = async () =>
  (await readdir(tmpdir())).filter((name) => name.startsWith('postrider-verify-') && !name.includes('-test-'))
const leftDatabases = () => world.db<{ name: string }[]>`
  select datname as name from pg_database where datname like 'postrider_verify_%'`

test('a backup is restored into a database of its own, compared with the file, and all of it is removed', async () => {
  const before = await leftFolders()
  const { exitCode, said, errors } = await nowhere('backup', 'verify', backup, '--json')
  expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' })
  expect(JSON.parse(said)).toMatchObject({
    isGood: true,
    tables: (await listTables(world.db)).length,
    mediaFiles: 1,
    differing: [],
    damagedMedia: [],
    damagedSecrets: [],
    heldChannels: [{ unfinished: expect.any(Number) }, {}],
    suspended: { members: [{}, {}], keys: [{}] },
  })
  expect(await leftFolders()).toEqual(before)
})

test('the same on a server that is there, in words', async () => {
  const { exitCode, said } = await nowhere('backup', 'verify', backup, '--server', server)
  expect(exitCode).toBe(0)
  expect(said).toMatch(/was restored and removed again: \d+ rows and 1 media file in \d+ tables/)
  expect(said).toMatch(/would hold 7 posts on 2 channels, and suspend 2 members and 1 agent key/)
  expect(await leftDatabases()).toEqual([])
})

/** The same file with other entries, and a checksum that fits. */
async function forged(name: string, change: (entry: any) => BackupEntry): Promise<string> {
  const path = join(folder, `${name}.backup`)
  const lines = gunzipSync(await readFile(backup))
    .toString()
    .trimEnd()
    .split('\n')
    .slice(0, -1)
  async function* entries(): AsyncGenerator<BackupEntry> {
    for (const line of lines) yield change(JSON.parse(line))
  }
  return writeBackupFile(path, entries())
}

test.each<[string, (entry: any) => BackupEntry, string]>([
  ['media', (entry) => ('bytes' in entry ? { bytes: 'aGVsbG8=' } : entry), 'is missing or has other bytes'],
  [
    'secrets',
    (entry) =>
      'header' in entry
        ? { header: { ...entry.header, secretKeys: randomBytes(32).toString('base64') } }
        : entry,
    'do not open secrets',
  ],
])('what is damaged is told, and is no success: %s', async (name, change, words) => {
  const path = await forged(name, change)
  expect(await nowhere('backup', '--check', path)).toMatchObject({ exitCode: 0 })
  const { exitCode, said, errors } = await nowhere('backup', 'verify', path, '--server', server)
  expect({ exitCode, said }).toEqual({ exitCode: 1, said: expect.stringContaining(words) })
  expect(errors).toContain('does not give back all')
})

test('rows that cannot be restored are no success either, and nothing is left of the try', async () => {
  const path = await forged('rows', (entry) =>
    'table' in entry && entry.table === 'member' ? { ...entry, rows: [] } : entry,
  )
  const before = await leftFolders()
  expect(await nowhere('backup', 'verify', path, '--server', server)).toMatchObject({ exitCode: 1 })
  expect(await leftDatabases()).toEqual([])
  expect(await leftFolders()).toEqual(before)
  await writeFile(path, 'no backup')
  expect(await nowhere('backup', 'verify', path)).toMatchObject({
    exitCode: 1,
    errors: expect.stringContaining('no whole backup'),
  })
})

test('tables with another number of rows are named, those that are only on one side, too', () => {
  const inFile = new Map([
    ['post', 3],
    ['part', 2],
    ['series', 1],
  ])
  const restored = new Map([
    ['post', 3],
    ['part', 1],
    ['worker', 4],
    ['mail', 0],
  ])
  expect(differencesOf(inFile, restored)).toEqual([
    { table: 'part', inFile: 2, restored: 1 },
    { table: 'series', inFile: 1, restored: 0 },
    { table: 'worker', inFile: 0, restored: 4 },
  ])
})

/** A folder for temporary files, whose path leaves room for that of a socket. */
async function aTempDir(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'pv-'))
  await chmod(path, 0o711)
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

const processesOn = (path: string) =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(path)
    } catch {
      return false
    }
  })

test.runIf(existsSync('/proc/self/cmdline')).each(['SIGTERM', 'SIGKILL'] as const)(
  'a command that is ended by %s leaves no folder and no PostgreSQL',
  async (signal) => {
    const temp = await aTempDir()
    const main = join(import.meta.dirname, '../../main.ts')
    const child = spawn(process.execPath, [main, 'backup', 'verify', backup], {
      env: { PATH: process.env['PATH'], TMPDIR: temp, DATA_DIR: '/nonexistent' },
      cwd: folder,
      stdio: 'ignore',
    })
    onTestFinished(() => {
      child.kill('SIGKILL')
      for (const pid of processesOn(temp)) process.kill(Number(pid), 'SIGKILL')
    })
    const ended = once(child, 'exit')
    const isUp = () =>
      readdirSync(temp).some((name) => existsSync(join(temp, name, 'database/postgres/postmaster.pid')))
    await expect.poll(isUp, { timeout: 30_000, interval: 5 }).toBe(true)
    child.kill(signal)
    expect((await ended)[1]).toBe(signal)
    const left = () => ({
      folders: readdirSync(temp).filter((name) => name.startsWith('postrider-')),
      processes: processesOn(temp),
    })
    await expect.poll(left, { timeout: 15_000 }).toEqual({ folders: [], processes: [] })
  },
)

test('folders of processes that are gone are removed by the next command, and no others', async () => {
  const temp = await aTempDir()
  const own = await openOwnFolder(temp, 'postrider-verify')
  const { pid: gone } = spawnSync(process.execPath, ['--version'])
  const of = (pid: number) => own.path.replace(/\.\d+\.\w+$/, `.${pid}.abcdef`)
  const others = [of(process.ppid), join(temp, 'postrider-verify-Abc123')]
  for (const path of [of(gone), ...others]) {
    await mkdir(path)
    await writeFile(join(path, 'secret-keys'), 'secret')
  }
  const next = await openOwnFolder(temp, 'postrider-open')
  const namesOf = (paths: string[]) => paths.map((path) => path.slice(temp.length + 1)).toSorted()
  expect((await readdir(temp)).toSorted()).toEqual(namesOf([own.path, next.path, ...others]))
  await own.remove()
  await next.remove()
  expect((await readdir(temp)).toSorted()).toEqual(namesOf(others))
})

test('commands make their temporary folders in this one way', async () => {
  const operate = join(import.meta.dirname, '..')
  const files = (await readdir(operate, { recursive: true })).filter((name) => /(?<!\.test)\.ts$/.test(name))
  const making = files.filter((name) => readFileSync(join(operate, name), 'utf8').includes('mkdtemp'))
  expect(making).toEqual(['backup/own-folder.ts'])
})
