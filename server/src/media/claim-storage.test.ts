import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
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
import { Unready } from '../edge/operations/refusal.ts'
import { createLog } from '../platform/process/log.ts'
import { readStorageId } from '../platform/sealing/installation-store.ts'
import { checkStoredFiles } from './check-stored-files.ts'
import { claimed, claimStorage } from './claim-storage.ts'
import { recordFiles } from './file-store.ts'
import { openFolderStorage } from './folder-storage.ts'
import { insertMedia } from './media-store.ts'
import { sweepStorage } from './sweep-storage.ts'
import { openTempFiles } from './temp-files.ts'
import { lookAtRoom } from './watch-room.ts'

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

test('what a crash left between the label and its record is taken over, and anything more is not', async () => {
  await using ours = await openFolder()
  await ours.storage.writeLabel('11111111-1111-4111-8111-111111111111')
  await using after = await openWorld()
  expect(await claimStorage(after.db, ours.storage)).toBeNull()
  expect(await readStorageId(after.db)).toBe('11111111-1111-4111-8111-111111111111')

  // Nothing is stored yet, but an installation uses it.
  const log = createLog({ level: 'silent' })
  await sweepStorage({ db: after.db, storage: ours.storage, address: 'http://localhost', log })
  await using another = await openWorld()
  const refused = await claimStorage(another.db, ours.storage)
  expect(refused).toMatch(/^[^.]* S3_PREFIX or DATA_DIR, or run `postrider media adopt`, [^.]*\.$/)
  expect(await readStorageId(another.db)).toBeNull()
  expect(await claimStorage(after.db, ours.storage)).toBeNull()
})

test("a storage without a label in which there is something is nobody's to label", async () => {
  await using ours = await openFolder()
  await using world = await openWorld()
  await ours.put('11111111-1111-4111-8111-111111111111', 'of somebody')
  expect(await claimStorage(world.db, ours.storage)).toContain('holds files, and this database is new')
  expect(await ours.storage.readLabel()).toBeNull()
})

test("a storage that does not answer at the start is claimed before anything is stored in it, and refused where it is another's", async () => {
  await using ours = await openFolder()
  await using world = await openWorld()
  let isAway = true
  const away = {
    ...ours.storage,
    readLabel: async () => {
      if (isAway) throw new Unready('away')
      return ours.storage.readLabel()
    },
  }
  const { storage, claim } = claimed(world.db, away)
  const path = join(ours.folder, 'new')
  const store = async () => {
    await writeFile(path, 'new')
    await storage.put(`11111111-1111-4111-8111-111111111111/${uuidv7()}`, path, {
      size: 3,
      contentType: 'image/png',
    })
  }
  await expect(claim()).rejects.toThrow(Unready)
  await expect(store()).rejects.toThrow('away')
  isAway = false
  await ours.put('11111111-1111-4111-8111-111111111111', 'of somebody')
  await expect(store()).rejects.toMatchObject({
    name: 'WrongStorage',
    cause: { message: expect.stringContaining('media adopt') },
  })
  const room = () => lookAtRoom({ storage, claim, tempFiles })
  const tempFiles = await openTempFiles(join(ours.folder, 'temp'))
  expect((await room()).fault).toContain('`postrider media adopt`')
  await rm(join(ours.folder, 'kept'), { recursive: true })
  await mkdir(join(ours.folder, 'kept'))
  expect((await room()).fault).toBeNull()
  expect(await ours.storage.readLabel()).toBe(await readStorageId(world.db))
  await store()
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

test('files that are missing or cut are found, and those that this installation has not stored', async () => {
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
  const label = '11111111-1111-4111-8111-111111111111'
  await ours.storage.writeLabel(label)
  await world.db`update installation set media_storage_id = ${label}`
  await recordFiles(world.db, keys)
  const check = () => checkStoredFiles(world.db, ours.storage)
  expect(judgeMedia(await check())).toMatchObject([
    { status: 'ok', detail: { text: `3 files in ${ours.folder}/kept/` } },
  ])

  await truncate(ours.storage.pathOf(keys[1]!)!, 1)
  await rm(ours.storage.pathOf(keys[2]!)!)
  await ours.put(workspaceId, 'of another')
  expect(await check()).toMatchObject({ isOurs: true, files: 3, missing: 1, damaged: [keys[1]], ofOthers: 1 })
  expect(judgeMedia(await check())).toMatchObject([
    { status: 'fail', detail: { text: expect.stringContaining('1 of 3') } },
    {
      status: 'warn',
      detail: { text: expect.stringMatching(/^1 file .* was not stored by this installation/) },
    },
  ])

  await using another = await openWorld()
  await another.db`update installation set media_storage_id = gen_random_uuid()`
  expect(judgeMedia(await checkStoredFiles(another.db, ours.storage))[0]!.detail.text).toContain(
    'is not where the media',
  )
})
