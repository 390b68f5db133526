import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { aWorkspace } from '../../test/rigs/fixtures.ts'
import { freePort } from '../../test/rigs/free-port.ts'
import { openRunningApp } from '../../test/rigs/running-app.ts'
import { openWorld } from '../../test/rigs/world.ts'
import { startApp } from '../app/app.ts'
import { judgeMedia } from '../operate/commands/doctor-findings.ts'
import { readConfig } from '../platform/config/config.ts'
import { createLog } from '../platform/process/log.ts'
import { checkStoredFiles } from './check-stored-files.ts'
import { claimStorage } from './claim-storage.ts'
import { openFolderStorage } from './folder-storage.ts'
import { insertMedia } from './media-store.ts'
import { sweepOrphans } from './sweep-orphans.ts'
import { openTempFiles } from './temp-files.ts'

async function openFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-claim-'))
  const storage = await openFolderStorage(join(folder, 'kept'))
  async function put(workspaceId: string, bytes: string): Promise<string> {
    const key = `${workspaceId}/${uuidv7()}`
    const path = join(folder, uuidv7())
    await writeFile(path, bytes)
    await storage.put(key, path, { size: bytes.length, contentType: 'image/png' })
    return key
  }
  return {
    folder,
    storage,
    put,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

test('the first process labels the storage, and whoever sees another one is told what to do', async () => {
  await using world = await openWorld()
  await using ours = await openFolder()
  await using other = await openFolder()
  expect(await Promise.all([1, 2, 3].map(() => claimStorage(world.db, ours.storage)))).toEqual([
    null,
    null,
    null,
  ])
  const id = await ours.storage.readLabel()
  const wrong = await claimStorage(world.db, other.storage)
  expect(wrong).toContain(`put ${id} into ${other.folder}/kept/storage-id`)
  expect(await other.storage.readLabel()).toBeNull()

  await other.storage.writeLabel('of-another-database')
  expect(await claimStorage(world.db, other.storage)).toContain('carries the id of-another-database')
  // As the message says.
  await other.storage.writeLabel(id!)
  expect(await claimStorage(world.db, other.storage)).toBeNull()
})

test('a database that is new takes over a storage that is labelled', async () => {
  await using ours = await openFolder()
  await using before = await openWorld()
  await claimStorage(before.db, ours.storage)
  await using after = await openWorld()
  expect(await claimStorage(after.db, ours.storage)).toBeNull()
  expect(await claimStorage(before.db, ours.storage)).toBeNull()
})

test('a process that publishes from another folder does not start, and one that only delivers webhooks does', async () => {
  const secretKeys = randomBytes(32).toString('base64')
  await using app = await openRunningApp({ secretKeys })
  await using other = await openFolder()
  const start = async (roles: string) => {
    const read = readConfig({
      DATABASE_URL: app.world.databaseUrl,
      DATA_DIR: other.folder,
      ROLES: roles,
      SANDBOX: 'off',
      SECRET_KEYS: secretKeys,
      PORT: String(await freePort()),
    })
    if (!read.ok) throw new Error(read.faults.join())
    return startApp(read.config, createLog({ level: 'fatal', destination: { write: () => undefined } }))
  }
  await expect(start('publisher')).rejects.toMatchObject({
    name: 'StartupError',
    message: expect.stringContaining('a DATA_DIR that they share'),
  })
  await (await start('webhooks')).stop()
})

test('files that are missing or cut are found, and the sweep leaves the storage of others alone', async () => {
  await using world = await openWorld()
  await using ours = await openFolder()
  const { workspaceId } = await aWorkspace(world.db)
  const keys = await Promise.all(['whole', 'cut', 'gone'].map((bytes) => ours.put(workspaceId, bytes)))
  for (const [at, storageKey] of keys.entries()) {
    await insertMedia(world.db, workspaceId, {
      mediaId: uuidv7(),
      kind: 'image',
      contentType: 'image/png',
      sizeBytes: [5, 3, 4][at]!,
      width: 1,
      height: 1,
      durationMs: null,
      videoCodec: null,
      audioCodec: null,
      frameRate: null,
      audioChannels: null,
      audioSampleRate: null,
      animated: false,
      altText: null,
      sha256: Buffer.alloc(32, at),
      sentSha256: Buffer.alloc(32, at),
      storageKey,
    })
  }
  await claimStorage(world.db, ours.storage)
  const check = () => checkStoredFiles(world.db, ours.storage)
  expect(judgeMedia(await check())).toMatchObject({ status: 'ok', detail: `3 files in ${ours.folder}/kept/` })

  await truncate(ours.storage.pathOf(keys[1]!)!, 1)
  await rm(ours.storage.pathOf(keys[2]!)!)
  const orphan = await ours.put(workspaceId, 'nobody')
  expect(await check()).toMatchObject({ isOurs: true, files: 3, missing: 1, damaged: [keys[1]] })
  expect(judgeMedia(await check())).toMatchObject({
    status: 'fail',
    detail: expect.stringContaining('1 of 3'),
  })

  const parts = { storage: ours.storage, tempFiles: await openTempFiles(join(ours.folder, 'temp')) }
  await using another = await openWorld()
  await another.db`update installation set media_storage_id = gen_random_uuid()`
  expect(judgeMedia(await checkStoredFiles(another.db, ours.storage)).detail).toContain(
    'is not where the media',
  )
  expect(await sweepOrphans(another.db, parts, { olderThanMs: -60_000 })).toBe(0)
  expect(await sweepOrphans(world.db, parts, { olderThanMs: -60_000 })).toBe(1)
  await expect(ours.storage.check(orphan, 6)).rejects.toThrow('is missing')
})
