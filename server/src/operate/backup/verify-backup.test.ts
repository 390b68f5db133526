import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { commandLineWith } from '../../../test/rigs/command-line.ts'
import { aFullWorkspace } from '../../../test/rigs/full-workspace.ts'
import { openWorld, type World } from '../../../test/rigs/world.ts'
import { openFolderStorage } from '../../media/folder-storage.ts'
import { urlOf } from '../../platform/postgres/db.ts'
import { makeKeyring } from '../../platform/sealing/sealing.ts'
import { type BackupEntry, writeBackupFile } from './backup-file.ts'
import { listTables } from './backup-store.ts'
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
