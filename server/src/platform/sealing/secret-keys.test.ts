import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeKeyring, Secret } from './sealing.ts'
import { createKeyring, readKeyring } from './secret-keys.ts'

async function openDir() {
  const dataDir = await mkdtemp(join(tmpdir(), 'keys-'))
  return {
    dataDir,
    path: join(dataDir, 'secret-keys'),
    [Symbol.asyncDispose]: () => rm(dataDir, { recursive: true }),
  }
}

test('the key file is created once, for its owner alone, whoever starts at the same time', async () => {
  await using dir = await openDir()
  const rings = await Promise.all([createKeyring(dir), createKeyring(dir), createKeyring(dir)])

  const read = await readKeyring({ secretKeys: null, dataDir: dir.dataDir })
  expect(new Set([...rings, read].map((ring) => ring?.keyId)).size).toBe(1)
  expect((await stat(dir.path)).mode & 0o777).toBe(0o600)
})

test('a key file that is not there is not made by a look', async () => {
  await using dir = await openDir()
  expect(await readKeyring({ secretKeys: null, dataDir: dir.dataDir })).toBeNull()
  await expect(stat(dir.path)).rejects.toThrow('ENOENT')
})

test('the key file is not read when SECRET_KEYS is set', async () => {
  await using dir = await openDir()
  await writeFile(dir.path, 'rubbish')
  const key = randomBytes(32)
  const secretKeys = new Secret(key.toString('base64'))
  const ring = await readKeyring({ secretKeys, dataDir: dir.dataDir })
  expect(ring?.keyId).toBe(makeKeyring([key]).keyId)
})

test('a damaged key file is never replaced', async () => {
  await using dir = await openDir()
  await writeFile(dir.path, 'rubbish')
  await expect(readKeyring({ secretKeys: null, dataDir: dir.dataDir })).rejects.toThrow(
    'holds no usable keys',
  )
  await expect(createKeyring(dir)).rejects.toThrow('holds no usable keys')
  expect(await readFile(dir.path, 'utf8')).toBe('rubbish')
})

test.each([
  [
    'is empty',
    (path: string) => writeFile(path, ''),
    /^\/.+ holds no usable keys: .+ Restore it from your backup, or set SECRET_KEYS/,
  ],
  [
    'is cut',
    (path: string) => writeFile(path, 'c2hvcnQ='),
    /^\/.+ holds no usable keys: .+ Restore it from your backup/,
  ],
  [
    'is a folder',
    (path: string) => mkdir(path),
    /^\/.+ cannot be read \(EISDIR\)\. Restore it from your backup/,
  ],
])('a key file that %s is told of in words', async (_, damage, told) => {
  await using dir = await openDir()
  await damage(dir.path)
  await expect(readKeyring({ secretKeys: null, dataDir: dir.dataDir })).rejects.toMatchObject({
    name: 'UnusableSecretKeys',
    message: expect.stringMatching(told) as string,
  })
})
