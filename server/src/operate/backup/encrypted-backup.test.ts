import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Decrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commandLineWith } from '../../../test/rigs/command-line.ts'
import { aFullWorkspace } from '../../../test/rigs/full-workspace.ts'
import { startS3, type S3Process } from '../../../test/rigs/s3-process.ts'
import { openEmptyWorld, openWorld, type World } from '../../../test/rigs/world.ts'
import { makeKeyring } from '../../platform/sealing/sealing.ts'
import { downloadFile, uploadFile } from './bucket-file.ts'

/* Backups that are encrypted for a key, and backups in a bucket. */

let folder: string
let world: World
let env: Record<string, string>
let identity: string
let recipient: string
/** The file with the key, as age writes it. */
let keyFile: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider-encrypted-'))
  world = await openWorld()
  const key = randomBytes(32)
  await aFullWorkspace(world.db, makeKeyring([key]))
  await world.db`delete from media_item`
  identity = await generateX25519Identity()
  recipient = await identityToRecipient(identity)
  keyFile = join(folder, 'backup.key')
  await writeFile(keyFile, `# created: today\n# public key: ${recipient}\n${identity}\n`)
  env = {
    DATABASE_URL: world.databaseUrl,
    DATA_DIR: await mkdtemp(join(folder, 'data-')),
    SECRET_KEYS: key.toString('base64'),
  }
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

/** A store, which commands reach from then on. */
async function aStore(): Promise<S3Process> {
  const s3 = await startS3(await mkdtemp(join(folder, 'store-')))
  const { endpoint, region, accessKeyId, secretAccessKey } = s3.options
  Object.assign(env, {
    S3_ENDPOINT: endpoint ?? '',
    S3_REGION: region,
    S3_ACCESS_KEY_ID: accessKeyId?.reveal() ?? '',
    S3_SECRET_ACCESS_KEY: secretAccessKey?.reveal() ?? '',
  })
  return s3
}

async function run(...args: string[]): Promise<any> {
  const { exitCode, said, errors } = await commandLineWith(env)(...args, '--json')
  expect({ args, exitCode, errors: exitCode === 0 ? '' : errors }).toEqual({ args, exitCode: 0, errors: '' })
  return JSON.parse(said)
}

async function refused(...args: string[]): Promise<string> {
  const { exitCode, errors } = await commandLineWith(env)(...args)
  expect({ args, failed: exitCode !== 0 }).toEqual({ args, failed: true })
  return errors
}

/** What a restore into an empty database, with a data folder of its own, says. */
async function restored(file: string, ...more: string[]): Promise<{ rows: number }> {
  await using empty = await openEmptyWorld()
  // Without SECRET_KEYS: those of the backup are its own.
  const own = {
    ...env,
    SECRET_KEYS: '',
    DATABASE_URL: empty.databaseUrl,
    DATA_DIR: await mkdtemp(join(folder, 'restored-')),
  }
  const { exitCode, said, errors } = await commandLineWith(own)('restore', file, ...more, '--json')
  expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' })
  return JSON.parse(said) as { rows: number }
}

const leftovers = async () => (await readdir(tmpdir())).filter((name) => name.startsWith('postrider-open-'))

test('a backup that is encrypted for a key shows nothing, opens with the key alone, and is restored with it', async () => {
  const path = join(folder, 'all.backup.age')
  const { rows } = await run('backup', path, '--recipient', recipient)
  const bytes = await readFile(path)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(bytes.subarray(0, 21).toString()).toBe('age-encryption.org/v1')
  expect(bytes.includes('postrider-backup')).toBe(false)
  // As any other program that knows the format does.
  const decrypter = new Decrypter()
  decrypter.addIdentity(identity)
  const lines = gunzipSync(await decrypter.decrypt(bytes))
    .toString()
    .split('\n')
  expect(JSON.parse(lines[0]!)).toMatchObject({ header: { format: 'postrider-backup' } })

  const before = await leftovers()
  expect(await run('backup', '--check', path, '--identity', keyFile)).toMatchObject({ file: path, rows })
  expect(await restored(path, '--identity', keyFile)).toMatchObject({ rows })
  expect(await refused('backup', '--check', path)).toContain('--identity')
  const other = join(folder, 'other.key')
  await writeFile(other, `${await generateX25519Identity()}\n`)
  expect(await refused('backup', '--check', path, '--identity', other)).toContain('None of the keys')
  await writeFile(other, 'nothing\n')
  expect(await refused('backup', '--check', path, '--identity', other)).toContain('has no key of age')
  const cut = join(folder, 'cut.backup.age')
  await writeFile(cut, bytes.subarray(0, bytes.length - 100))
  expect(await refused('backup', '--check', cut, '--identity', keyFile)).toContain('no whole backup')
  expect(await leftovers()).toEqual(before)
  expect(await refused('backup', join(folder, 'x'), '--recipient', 'age1nobody')).toContain(
    'no public key of age',
  )
  expect((await readdir(folder)).filter((name) => name.startsWith('x') || name.endsWith('.partial'))).toEqual(
    [],
  )
})

test('a folder keeps the newest of those that are encrypted, of this installation alone', async () => {
  const backups = await mkdtemp(join(folder, 'kept-'))
  const made = async (...more: string[]) =>
    (await run('backup', `${backups}/`, '--recipient', recipient, ...more)) as {
      file: string
      removed: string[]
    }
  const { file } = await made()
  const [, id = ''] = /_([0-9a-f]{8})\.backup\.age$/.exec(file) ?? []
  const mine = (day: string) => join(backups, `postrider-2020-01-${day}T00-00-00_${id}.backup.age`)
  const others = [
    'postrider-2020-01-01T00-00-00_ffffffff.backup.age',
    'mine.backup.age',
    'postrider-2020-01-01T00-00-00.backup',
  ]
  for (const path of [mine('01'), mine('02'), ...others.map((name) => join(backups, name))])
    await writeFile(path, 'x')
  const { removed } = await made('--keep', '3')
  expect(removed).toEqual([mine('01')])
  expect(await readdir(backups)).toEqual(expect.arrayContaining(others))
})

test('a backup is written to a bucket, and checked and restored from there', async () => {
  await using s3 = await aStore()
  const { file, rows } = await run('backup', `s3://${s3.options.bucket}/nightly/`, '--recipient', recipient)
  expect(file).toMatch(/^s3:\/\/media-test\/nightly\/postrider-[\dT-]+_[0-9a-f]{8}\.backup\.age$/)
  expect((await readdir(env['DATA_DIR']!)).filter((name) => name.startsWith('backup'))).toEqual([])
  const before = await leftovers()
  expect(await run('backup', '--check', file, '--identity', keyFile)).toMatchObject({ file, rows })
  expect(await restored(file, '--identity', keyFile)).toMatchObject({ rows })
  const plain = `s3://${s3.options.bucket}/plain.backup`
  await run('backup', plain)
  expect(await restored(plain)).toMatchObject({ rows: rows + 1 })
  expect(await refused('backup', plain)).toContain('is there already')
  expect(await leftovers()).toEqual(before)
  expect(await refused('backup', plain, '--keep', '3')).toContain('life cycle')
  expect(await refused('restore', `s3://${s3.options.bucket}/none.backup`)).toContain('NoSuchKey')
  expect(await refused('backup', 's3://no-such-bucket/a')).toContain('NoSuchBucket')
})

test('a large file goes to a bucket in parts, and is there whole', async () => {
  await using s3 = await aStore()
  const bytes = randomBytes(11 * 1_024 * 1_024)
  const [from, to] = [join(folder, 'large'), join(folder, 'large-again')]
  await writeFile(from, bytes)
  const place = { bucket: s3.options.bucket, key: 'large.backup' }
  await uploadFile(s3.options, place, from, 5 * 1_024 * 1_024)
  await downloadFile(s3.options, place, to)
  expect((await readFile(to)).equals(bytes)).toBe(true)
})

test('an exported workspace is encrypted and opened in the same way', async () => {
  const [row] = await world.db<{ id: string }[]>`select id from workspace`
  const path = join(folder, 'a.workspace.age')
  await run('workspace', 'export', row!.id, path, '--recipient', recipient)
  await using to = await openWorld()
  const own = { ...env, DATABASE_URL: to.databaseUrl, DATA_DIR: await mkdtemp(join(folder, 'to-')) }
  const refusedThere = await commandLineWith(own)('workspace', 'import', path)
  expect(refusedThere).toMatchObject({ exitCode: 1, errors: expect.stringContaining('--identity') })
  const done = await commandLineWith(own)('workspace', 'import', path, '--identity', keyFile)
  expect(done).toMatchObject({ exitCode: 0, errors: '' })
})
