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

/** A watch whose looks end when the test says so, and whose clock the test moves. */
async function openWatch(first: Room) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { places } = await openPlaces()
  const looks = [Promise.withResolvers<Room>()]
  let asked = 0
  looks[0]!.resolve(first)
  const watch = await watchRoom(places, () => {
    const look = (looks[asked++] ??= Promise.withResolvers<Room>())
    return look.promise
  })
  onTestFinished(watch.stop)
  return {
    ...watch,
    asked: () => asked,
    /** Ends the look that is under way. */
    async end(found: Room) {
      looks[asked - 1]!.resolve(found)
      await looks[asked - 1]!.promise
    },
  }
}

const roomy: Room = { folder: '/d', freeBytes: 2 * GIB, fault: null }

test('a fault that is over is gone though nobody has asked meanwhile, and one that came is told', async () => {
  const { room, end } = await openWatch({ ...roomy, fault: 'no file can be written' })
  expect(judgeRoom(room())).not.toBeNull()
  vi.advanceTimersByTime(15_000)
  await end(roomy)
  vi.advanceTimersByTime(5_000)
  expect(room()).toEqual({ ...roomy, ageSeconds: 5 })
  vi.advanceTimersByTime(10_000)
  await end({ ...roomy, freeBytes: 0 })
  expect(judgeRoom(room())?.detail).toBe('0 MiB free in /d')
})

test('a look that hangs holds up no question and no other look begins; it is told, with the age of what was seen last', async () => {
  const { room, end, asked, stop } = await openWatch(roomy)
  vi.advanceTimersByTime(15_000)
  expect(room()).toEqual({ ...roomy, ageSeconds: 15 })
  vi.advanceTimersByTime(16_000)
  expect(asked()).toBe(2)
  expect(room()).toEqual({ ...roomy, fault: '/d does not answer', ageSeconds: 31 })
  await end(roomy)
  expect(room()).toEqual({ ...roomy, ageSeconds: 0 })
  vi.advanceTimersByTime(15_000)
  expect(asked()).toBe(3)
  stop()
  await end(roomy)
  vi.advanceTimersByTime(60_000)
  expect(asked()).toBe(3)
})
