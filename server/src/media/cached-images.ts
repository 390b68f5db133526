import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { codeOf } from '../platform/process/error-code.ts'
import type { Image } from './media-job.ts'
import type { ByteRange } from './media-storage.ts'
import { isRejection, type Rejection } from '../platform/process/worker-pool.ts'
import { uuidv7 } from '../platform/text/uuid.ts'
import { clockOf, type TempFiles } from './temp-files.ts'

export type CachedImage = Pick<Image, 'contentType' | 'size' | 'width' | 'height'> & {
  readonly open: (range?: ByteRange) => Promise<Readable>
}

/** Images that can be made again, each made once and cached in a folder of bounded size. */
export type CachedImages<Item> = {
  /**
   * The image of this name, made of the item where it is not there; `rejected` says why there can be none. Equal requests at the
   * same time wait for one, which is given up once all of them are gone (`signal`). Throws what making it throws.
   */
  readonly find: (name: string, item: Item, signal: AbortSignal) => Promise<CachedImage | Rejection>
  /** Removes all of them. */
  readonly close: () => Promise<void>
}

/** Makes the file at the path that it is given. */
type Make<Item> = (item: Item, to: string, signal: AbortSignal) => Promise<Image | Rejection>
type Making = {
  readonly made: Promise<Image | Rejection>
  readonly abandon: AbortController
  waiting: number
}

const MAX_FILES = 20_000

/**
 * Opens an empty cache in the folder, which processes beside this one may use, too: each has a folder of its own there. What a process
 * before left there might be torn. The least recently used are removed when all take more than `maxBytes`.
 */
export async function openCachedImages<Item>(
  folder: string,
  { maxBytes, tempFiles }: { maxBytes: number; tempFiles: TempFiles },
  make: Make<Item>,
): Promise<CachedImages<Item>> {
  const cache = await openCache(folder, maxBytes)
  const obtain = makeOnce<Item>(async (name, item, signal) => {
    const to = tempFiles.newPath()
    try {
      const made = await make(item, to, signal)
      if (!isRejection(made)) await cache.take(name, to, made)
      return made
    } finally {
      await tempFiles.remove(to)
    }
  })
  return {
    close: cache.close,
    async find(name, item, signal) {
      const made = cache.find(name) ?? (await obtain(name, item, signal))
      if (isRejection(made)) return made
      return {
        ...made,
        async open(range) {
          try {
            return await cache.open(name, range)
          } catch (fault) {
            // Removed in between, to make room for others.
            if (codeOf(fault) !== 'ENOENT') throw fault
            cache.forget(name)
            await obtain(name, item, signal)
            return cache.open(name, range)
          }
        },
      }
    },
  }
}

/** How often a process shows that its cache is in use, and after how long without that it was left by one that died. */
const SHOWN_EVERY_MS = 60_000
const LEFT_AFTER_MS = 10 * SHOWN_EVERY_MS

/** Files in a folder of this process, of which the least recently used make room for others. */
async function openCache(shared: string, maxBytes: number) {
  const folder = join(shared, uuidv7())
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await removeLeft(shared, folder)
  // To write there dates the folder, by the clock of the disk.
  const show = setInterval(() => void clockOf(folder), SHOWN_EVERY_MS).unref()
  /** What they are by name, the least recently used first. */
  const kept = new Map<string, Image>()
  let total = 0

  function use(name: string, image: Image): void {
    forget(name)
    kept.set(name, image)
    total += image.size
  }

  function forget(name: string): void {
    total -= kept.get(name)?.size ?? 0
    kept.delete(name)
  }

  async function evict(): Promise<void> {
    for (const name of Array.from(kept.keys())) {
      // The newest stays, whatever its size: it is about to be read.
      if ((total <= maxBytes && kept.size <= MAX_FILES) || kept.size === 1) return
      forget(name)
      await rm(join(folder, name), { force: true })
    }
  }

  return {
    forget,
    async close(): Promise<void> {
      clearInterval(show)
      await rm(folder, { recursive: true, force: true })
    },
    /** What a file is, which counts as used; undefined where it is not there. */
    find(name: string): Image | undefined {
      const image = kept.get(name)
      if (image !== undefined) use(name, image)
      return image
    },
    /** Moves a file in. */
    async take(name: string, path: string, image: Image): Promise<void> {
      // A cache may be removed at any time, also with its folder.
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await rename(path, join(folder, name))
      use(name, image)
      await evict()
    },
    async open(name: string, range?: ByteRange): Promise<Readable> {
      const file = await open(join(folder, name))
      return file.createReadStream({ highWaterMark: 256 * 1024, ...range })
    },
  }
}

/** Removes caches of processes that died, and what releases before kept beside them. */
async function removeLeft(shared: string, own: string): Promise<void> {
  const latest = (await clockOf(own)) - LEFT_AFTER_MS
  for (const name of await readdir(shared)) {
    const path = join(shared, name)
    if (path === own || (await datedAt(path)) > latest) continue
    // A process that only stood still makes its images again.
    await rm(path, { recursive: true, force: true })
  }
}

/** What is gone by now has no date. */
async function datedAt(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => Infinity,
  )
}

type MakeNamed<Item> = (name: string, item: Item, signal: AbortSignal) => Promise<Image | Rejection>

/** Has an image made, unless that is under way. */
function makeOnce<Item>(make: MakeNamed<Item>): MakeNamed<Item> {
  const making = new Map<string, Making>()

  function begin(name: string, item: Item): Making {
    const abandon = new AbortController()
    const made = make(name, item, abandon.signal).finally(() => making.delete(name))
    const begun = { made, abandon, waiting: 0 }
    making.set(name, begun)
    return begun
  }

  return async (name, item, signal) => {
    for (;;) {
      signal.throwIfAborted()
      const one = making.get(name) ?? begin(name, item)
      try {
        return await waitFor(one, signal)
      } catch (fault) {
        // All others had left just before this one came.
        if (!one.abandon.signal.aborted || signal.aborted) throw fault
      }
    }
  }
}

/** The last caller to leave gives the job up. */
async function waitFor(one: Making, signal: AbortSignal): Promise<Image | Rejection> {
  one.waiting++
  const leave = () => {
    one.waiting--
    if (one.waiting === 0) one.abandon.abort(signal.reason)
  }
  signal.addEventListener('abort', leave, { once: true })
  try {
    return await one.made
  } finally {
    signal.removeEventListener('abort', leave)
  }
}
