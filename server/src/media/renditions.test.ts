import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { v7 as uuidv7 } from 'uuid'
import { expect, test } from 'vitest'
import { Unready } from '../edge/operations/refusal.ts'
import { openFolderStorage } from './folder-storage.ts'
import type { MediaJob } from './media-job.ts'
import { MediaUnavailable } from './media-storage.ts'
import { type MediaWorkers, openMediaWorkers } from './media-workers.ts'
import { notReady } from './not-ready.ts'
import { openRenditions } from './renditions.ts'
import { openTempFiles } from './temp-files.ts'

const COPY_BYTES = 1_000

/** Renditions of a stored file, made by workers that write what they are told to, when they are told to. */
async function openStage(maxBytes = 1_000_000) {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-renditions-'))
  const storage = await openFolderStorage(join(folder, 'kept'))
  const tempFiles = await openTempFiles(join(folder, 'incoming'))
  const begun: MediaJob[] = []
  const queue: (() => void)[] = []
  const workers: MediaWorkers = {
    run: (job, { signal }) =>
      new Promise((resolve, reject) => {
        let waiting = true
        queue.push(() => {
          if (!waiting) return
          waiting = false
          void finish(typeof job === 'function' ? job : async () => job).then(resolve as never, reject)
        })
        signal?.addEventListener('abort', () => {
          if (waiting) reject(signal.reason)
          waiting = false
        })
      }),
    stop: () => Promise.resolve(),
  }
  async function finish(make: () => Promise<MediaJob>): Promise<unknown> {
    const job = await make()
    begun.push(job)
    if (job.type !== 'resize') throw new Error('only copies are made')
    await writeFile(job.to, Buffer.alloc(COPY_BYTES, job.width))
    return { contentType: job.contentType, size: COPY_BYTES, width: job.width, height: 1, animated: false }
  }
  const item = { storageKey: `${uuidv7()}/${uuidv7()}`, sizeBytes: 4, contentType: 'image/png' }
  await writeFile(join(folder, 'file'), 'file')
  await storage.put(item.storageKey, join(folder, 'file'), { size: 4, contentType: 'image/png' })
  const cache = join(folder, 'renditions')
  const parts = { storage, tempFiles, workers }
  return {
    parts,
    item,
    begun,
    cache,
    storage,
    renditions: await openRenditions(parts, cache, maxBytes),
    /** Lets every job run that waits. */
    work: () => queue.splice(0).forEach((run) => run()),
    waiting: () => queue.length,
    incoming: () => readdir(join(folder, 'incoming')),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/** The paths of all files below. */
async function filesOf(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  return found
    .filter((one) => one.isFile())
    .map(({ name, parentPath }) => relative(folder, join(parentPath, name)))
}

const stays = () => new AbortController().signal

test('equal requests share one job, which reads the stored file in its place; later ones need none', async () => {
  await using stage = await openStage()
  const { renditions, item, begun } = stage
  const found = Promise.all(Array.from({ length: 20 }, () => renditions.find(item, 40, stays())))
  expect(stage.waiting()).toBe(1)
  // Nothing is copied or prepared for a job that waits.
  expect(await stage.incoming()).toEqual([])
  stage.work()
  for (const rendition of await found) {
    expect(rendition.size).toBe(COPY_BYTES)
    expect(await buffer(await rendition.open())).toEqual(Buffer.alloc(COPY_BYTES, 40))
  }
  expect(begun).toMatchObject([{ type: 'resize', from: stage.storage.pathOf(item.storageKey), width: 40 }])

  const again = await renditions.find(item, 40, stays())
  expect(await buffer(await again.open({ start: 3, end: 5 }))).toHaveLength(3)
  expect([begun.length, stage.waiting(), await stage.incoming()]).toEqual([1, 0, []])
})

test('a job is not begun when all who waited for it have left, and is when one stays', async () => {
  await using stage = await openStage()
  const leaving = [new AbortController(), new AbortController()]
  const left = leaving.map(({ signal }) => stage.renditions.find(stage.item, 40, signal))
  leaving[0]!.abort(new Error('left'))
  leaving[1]!.abort(new Error('left'))
  expect((await Promise.allSettled(left)).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  stage.work()
  expect(stage.begun).toEqual([])

  const one = new AbortController()
  const gone = stage.renditions.find(stage.item, 50, one.signal)
  const stayed = stage.renditions.find(stage.item, 50, stays())
  one.abort(new Error('left'))
  stage.work()
  expect(await stayed).toMatchObject({ size: COPY_BYTES })
  await gone
  expect(stage.begun).toHaveLength(1)

  // Whoever comes just as the last one leaves is not left with nothing.
  const last = new AbortController()
  const abandoned = stage.renditions.find(stage.item, 60, last.signal)
  last.abort(new Error('left'))
  const late = stage.renditions.find(stage.item, 60, stays())
  await expect(abandoned).rejects.toThrow('left')
  await expect.poll(() => stage.waiting()).toBeGreaterThan(0)
  stage.work()
  expect(await late).toMatchObject({ size: COPY_BYTES })
})

test('the cache keeps within its bound, by the latest use, and what was removed is made again', async () => {
  await using stage = await openStage(3 * COPY_BYTES)
  async function read(width: number): Promise<Buffer> {
    const found = stage.renditions.find(stage.item, width, stays())
    stage.work()
    return buffer(await (await found).open())
  }
  for (const width of [20, 30, 40]) await read(width)
  await read(20)
  await read(50)
  const widths = (await filesOf(stage.cache)).map((name) => Number(name.split('-').at(-1)))
  expect(widths.toSorted((a, b) => a - b)).toEqual([20, 40, 50])
  expect(stage.begun).toHaveLength(4)
  expect(await read(30)).toEqual(Buffer.alloc(COPY_BYTES, 30))
  expect(stage.begun).toHaveLength(5)

  // Removed between the look and the reading.
  const found = await stage.renditions.find(stage.item, 30, stays())
  for (const name of await filesOf(stage.cache)) await rm(join(stage.cache, name))
  const opened = found.open()
  await expect.poll(() => stage.waiting()).toBe(1)
  stage.work()
  expect(await buffer(await opened)).toHaveLength(COPY_BYTES)
})

test('a process that starts leaves alone what one beside it has in the cache, and removes what those before left', async () => {
  await using stage = await openStage()
  const found = stage.renditions.find(stage.item, 40, stays())
  stage.work()
  await found
  const [own] = await readdir(stage.cache)
  const left = ['torn', uuidv7()]
  await writeFile(join(stage.cache, left[0]!), 'x')
  await mkdir(join(stage.cache, left[1]!))
  const longAgo = new Date(Date.now() - 11 * 60_000)
  for (const name of left) await utimes(join(stage.cache, name), longAgo, longAgo)

  const program = `
    import { openCachedImages } from '${join(import.meta.dirname, 'cached-images.ts')}'
    import { openTempFiles } from '${join(import.meta.dirname, 'temp-files.ts')}'
    const tempFiles = await openTempFiles('${join(stage.cache, '../incoming')}')
    await openCachedImages('${stage.cache}', { maxBytes: 1_000, tempFiles }, () => Promise.reject(new Error('unwanted')))
    process.exit()`
  await promisify(execFile)(process.execPath, ['--input-type=module-typescript', '--eval', program])

  const folders = await readdir(stage.cache)
  expect(folders).toHaveLength(2)
  expect(folders).toContain(own)
  expect(await buffer(await (await stage.renditions.find(stage.item, 40, stays())).open())).toHaveLength(
    COPY_BYTES,
  )
  expect(stage.begun).toHaveLength(1)
  await stage.renditions.close()
  expect(await readdir(stage.cache)).toEqual(folders.filter((name) => name !== own))
})

test('a disk without room makes it wait, and a stored file that is damaged is told apart', async () => {
  await using stage = await openStage()
  const workers = openMediaWorkers({ processes: 1 })
  const tempFiles = { ...stage.parts.tempFiles, newPath: () => '/dev/full', remove: async () => undefined }
  const real = { ...stage.parts, workers }
  const full = await openRenditions({ ...real, tempFiles }, stage.cache, 1_000)
  const png = await readFile(join(import.meta.dirname, '../../../docs/examples/rider.jpg'))
  const { item } = stage
  const path = stage.storage.pathOf(item.storageKey)!
  await writeFile(path, png)
  const photo = { ...item, contentType: 'image/jpeg', sizeBytes: (await stat(path)).size }
  await expect(notReady(() => full.find(photo, 40, stays()))).rejects.toThrow(Unready)
  const roomy = await openRenditions(real, stage.cache, 1_000)
  await expect(notReady(() => roomy.find(item, 40, stays()))).rejects.toThrow(MediaUnavailable)
  await workers.stop()
})
