import { access, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { freePort } from '../../test/rigs/free-port.ts'
import { openStorage, openTransit } from './open-media.ts'
import { Secret } from '../platform/sealing/sealing.ts'
import { judgeRoom, type Room } from '../platform/postgres/room.ts'
import { lookAtRoom, watchRoom } from './watch-room.ts'

const GIB = 1024 ** 3

async function openPlaces() {
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-room-'))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  return {
    transit: join(dataDir, 'media/incoming'),
    places: { storage: await openStorage(dataDir, { s3: null }), tempFiles: await openTransit(dataDir) },
  }
}

test('a folder that takes files has room, and nothing is left in it', async () => {
  const { places, transit } = await openPlaces()
  const found = await lookAtRoom(places)
  expect(found).toEqual({ folder: transit, freeBytes: expect.any(Number) as number, fault: null })
  expect(found.freeBytes).toBeGreaterThan(0)
  expect(await readdir(transit)).toEqual([])
})

test('a folder that is gone, and a device that is full, are a fault with its code', async () => {
  const { places, transit } = await openPlaces()
  // Always full, for every user.
  const full = { ...places.tempFiles, newPath: () => '/dev/full' }
  const write = lookAtRoom({ ...places, tempFiles: { ...full, remove: async () => undefined } })
  expect((await write).fault).toMatch(/^no file can be written in \/dev \(E\w+\)$/)
  await access('/dev/full')
  await rm(transit, { recursive: true })
  await writeFile(transit, '')
  expect((await lookAtRoom(places)).fault).toBe(`no file can be written in ${transit} (ENOTDIR)`)
})

test('a storage that has lost its label is another folder: that is a fault, and without a label there was none', async () => {
  const { places } = await openPlaces()
  expect((await lookAtRoom(places)).fault).toBeNull()
  await places.storage.writeLabel('ours')
  expect((await lookAtRoom(places)).fault).toBeNull()
  await rm(join(places.storage.location, 'storage-id'))
  expect((await lookAtRoom(places)).fault).toBe(`${places.storage.location} is missing`)
})

test('a bucket that does not answer is a fault', async () => {
  const { places } = await openPlaces()
  const storage = await openStorage('', {
    s3: {
      bucket: 'b',
      endpoint: `http://127.0.0.1:${await freePort()}`,
      region: 'r',
      prefix: '',
      accessKeyId: new Secret('a'),
      secretAccessKey: new Secret('s'),
      pathStyle: true,
    },
  })
  onTestFinished(() => storage.close())
  const { fault } = await lookAtRoom({ ...places, storage })
  expect(fault).toContain(`${storage.location} does not answer`)
})

test.each([
  [{ folder: '/d', freeBytes: GIB, fault: null }, null],
  [{ folder: '/d', freeBytes: null, fault: null }, null],
  [{ folder: '/d', freeBytes: GIB - 1, fault: null }, '1023 MiB free in /d'],
  [{ folder: '/d', freeBytes: 2 * GIB, fault: 'no file' }, 'no file'],
])('of %o is said: %s', (room, detail) => {
  expect(judgeRoom(room)?.detail ?? null).toBe(detail)
})

test('a question waits for no look, a new one begins after ten seconds, and one that hangs is told', async () => {
  const { places } = await openPlaces()
  const seen: Room = { folder: '/d', freeBytes: 2 * GIB, fault: null }
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0)
  onTestFinished(() => clock.mockRestore())
  const looks = [1, 2, 3].map(() => Promise.withResolvers<Room>())
  looks[0]!.resolve(seen)
  let asked = 0
  const room = await watchRoom(places, () => looks[asked++]!.promise)
  clock.mockReturnValue(10_000)
  expect(room()).toBe(seen)
  expect(asked).toBe(1)
  clock.mockReturnValue(10_001)
  expect(room()).toBe(seen)
  expect(room()).toBe(seen)
  expect(asked).toBe(2)
  clock.mockReturnValue(25_002)
  expect(room().fault).toBe('/d does not answer')
  looks[1]!.resolve({ ...seen, fault: 'no file' })
  await looks[1]!.promise
  expect(room().fault).toBe('no file')
  expect(asked).toBe(3)
})
