import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { codeOf } from '../platform/db.ts'
import type { ByteRange } from './media-storage.ts'
import type { MediaRow } from './media-store.ts'
import { isRejection, MediaWorkerFault } from './media-workers.ts'
import { runStoredJob, type StoredJobParts } from './run-stored-job.ts'

export type Rendition = { readonly size: number; readonly open: (range?: ByteRange) => Promise<Readable> }

/** Smaller copies of images, each made once and cached in a folder of bounded size. */
export type Renditions = {
  /**
   * The copy of this width. Equal requests at the same time wait for one job, which is not begun once all of them are
   * gone (`signal`). Throws what `runStoredJob` throws.
   */
  readonly find: (item: RenditionOf, width: number, signal: AbortSignal) => Promise<Rendition>
}

type RenditionOf = Pick<MediaRow, 'storageKey' | 'sizeBytes' | 'contentType'>
type Making = { readonly made: Promise<number>; readonly abandon: AbortController; waiting: number }

const MAX_FILES = 20_000

/**
 * Opens an empty cache in the folder: what a process before left there might be torn. The least recently used are
 * removed when all take more than `maxBytes`.
 */
export async function openRenditions(
  parts: StoredJobParts,
  folder: string,
  maxBytes: number,
): Promise<Renditions> {
  const cache = await openCache(folder, maxBytes)
  const obtain = makeOnce(async (name, item, width, signal) => {
    const to = parts.tempFiles.newPath()
    const { contentType } = item
    try {
      const jobOf = (from: string) => ({ type: 'resize', from, to, contentType, width }) as const
      const made = await runStoredJob(parts, item, jobOf, signal)
      if (isRejection(made)) throw new MediaWorkerFault(`a rendition could not be made: ${made.rejected}`)
      await cache.take(name, to, made.size)
      return made.size
    } finally {
      await parts.tempFiles.remove(to)
    }
  })
  return {
    async find(item, width, signal) {
      const name = `${item.storageKey.replace('/', '_')}-${width}`
      const size = cache.find(name) ?? (await obtain(name, item, width, signal))
      return {
        size,
        async open(range) {
          try {
            return await cache.open(name, range)
          } catch (fault) {
            // Removed in between, to make room for others.
            if (codeOf(fault) !== 'ENOENT') throw fault
            cache.forget(name)
            await obtain(name, item, width, signal)
            return cache.open(name, range)
          }
        },
      }
    },
  }
}

/** Files in a folder, of which the least recently used make room for others. */
async function openCache(folder: string, maxBytes: number) {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  /** Sizes by name, the least recently used first. */
  const sizes = new Map<string, number>()
  let total = 0

  function use(name: string, size: number): void {
    forget(name)
    sizes.set(name, size)
    total += size
  }

  function forget(name: string): void {
    total -= sizes.get(name) ?? 0
    sizes.delete(name)
  }

  async function evict(): Promise<void> {
    for (const name of [...sizes.keys()]) {
      // The newest stays, whatever its size: it is about to be read.
      if ((total <= maxBytes && sizes.size <= MAX_FILES) || sizes.size === 1) return
      forget(name)
      await rm(join(folder, name), { force: true })
    }
  }

  return {
    forget,
    /** The size of a file, which counts as used; undefined where it is not there. */
    find(name: string): number | undefined {
      const size = sizes.get(name)
      if (size !== undefined) use(name, size)
      return size
    },
    /** Moves a file in. */
    async take(name: string, path: string, size: number): Promise<void> {
      await rename(path, join(folder, name))
      use(name, size)
      await evict()
    },
    async open(name: string, range?: ByteRange): Promise<Readable> {
      const file = await open(join(folder, name))
      return file.createReadStream({ highWaterMark: 256 * 1024, ...range })
    },
  }
}

type Make = (name: string, item: RenditionOf, width: number, signal: AbortSignal) => Promise<number>

/** Has a rendition made, unless that is under way. */
function makeOnce(make: Make): Make {
  const making = new Map<string, Making>()

  function begin(name: string, item: RenditionOf, width: number): Making {
    const abandon = new AbortController()
    const made = make(name, item, width, abandon.signal).finally(() => making.delete(name))
    const begun = { made, abandon, waiting: 0 }
    making.set(name, begun)
    return begun
  }

  return async (name, item, width, signal) => {
    for (;;) {
      signal.throwIfAborted()
      const one = making.get(name) ?? begin(name, item, width)
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
async function waitFor(one: Making, signal: AbortSignal): Promise<number> {
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
