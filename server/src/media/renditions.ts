import { createHash } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { codeOf } from '../platform/db.ts'
import type { Image, ImageBounds, JobOf, Rejection } from './media-job.ts'
import type { ByteRange } from './media-storage.ts'
import type { MediaRow } from './media-store.ts'
import { isRejection, MediaWorkerFault } from './media-workers.ts'
import { runStoredJob, type StoredJobParts } from './run-stored-job.ts'

export type Rendition = Pick<Image, 'contentType' | 'size' | 'width' | 'height'> & {
  readonly open: (range?: ByteRange) => Promise<Readable>
}

/** Copies of images, each made once and cached in a folder of bounded size. */
export type Renditions = {
  /**
   * The copy of this width. Equal requests at the same time wait for one job, which is not begun once all of them are
   * gone (`signal`). Throws what `runStoredJob` throws.
   */
  readonly find: (item: RenditionOf, width: number, signal: AbortSignal) => Promise<Rendition>
  /** In the same way, the copy that keeps within these bounds; `rejected` says why there can be none. */
  readonly fit: (
    item: RenditionOf,
    bounds: ImageBounds,
    signal: AbortSignal,
  ) => Promise<Rendition | Rejection>
}

type RenditionOf = Pick<MediaRow, 'storageKey' | 'sizeBytes' | 'contentType'>
type Job = JobOf<'resize' | 'fit'>
type Making = {
  readonly made: Promise<Image | Rejection>
  readonly abandon: AbortController
  waiting: number
}

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
  const obtain = makeOnce(async (name, item, jobOf, signal) => {
    const to = parts.tempFiles.newPath()
    try {
      const made = await runStoredJob(parts, item, (from) => jobOf(from, to), signal)
      if (!isRejection(made)) await cache.take(name, to, made)
      return made
    } finally {
      await parts.tempFiles.remove(to)
    }
  })

  async function findOr(
    name: string,
    item: RenditionOf,
    jobOf: MakeJob,
    signal: AbortSignal,
  ): Promise<Rendition | Rejection> {
    const made = cache.find(name) ?? (await obtain(name, item, jobOf, signal))
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
          await obtain(name, item, jobOf, signal)
          return cache.open(name, range)
        }
      },
    }
  }

  return {
    async find(item, width, signal) {
      const { contentType } = item
      const jobOf: MakeJob = (from, to) => ({ type: 'resize', from, to, contentType, width })
      const found = await findOr(nameOf(item, String(width)), item, jobOf, signal)
      if (isRejection(found)) throw new MediaWorkerFault(`a rendition could not be made: ${found.rejected}`)
      return found
    },
    fit(item, { contentTypes, maxBytes, maxWidth, maxHeight }, signal) {
      const { contentType } = item
      const bounds = { contentTypes, maxBytes, maxWidth, maxHeight }
      const jobOf: MakeJob = (from, to) => ({ type: 'fit', from, to, contentType, bounds })
      return findOr(nameOf(item, variantOf(bounds)), item, jobOf, signal)
    },
  }
}

/** A name for these bounds: equal ones have one, and others another. */
export function variantOf({ contentTypes, maxBytes, maxWidth, maxHeight }: ImageBounds): string {
  const text = JSON.stringify([contentTypes, maxBytes, maxWidth, maxHeight])
  return `fit-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
}

function nameOf({ storageKey }: RenditionOf, variant: string): string {
  return `${storageKey.replace('/', '_')}-${variant}`
}

/** Files in a folder, of which the least recently used make room for others. */
async function openCache(folder: string, maxBytes: number) {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true, mode: 0o700 })
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
    for (const name of [...kept.keys()]) {
      // The newest stays, whatever its size: it is about to be read.
      if ((total <= maxBytes && kept.size <= MAX_FILES) || kept.size === 1) return
      forget(name)
      await rm(join(folder, name), { force: true })
    }
  }

  return {
    forget,
    /** What a file is, which counts as used; undefined where it is not there. */
    find(name: string): Image | undefined {
      const image = kept.get(name)
      if (image !== undefined) use(name, image)
      return image
    },
    /** Moves a file in. */
    async take(name: string, path: string, image: Image): Promise<void> {
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

type MakeJob = (from: string, to: string) => Job
type Make = (
  name: string,
  item: RenditionOf,
  jobOf: MakeJob,
  signal: AbortSignal,
) => Promise<Image | Rejection>

/** Has a rendition made, unless that is under way. */
function makeOnce(make: Make): Make {
  const making = new Map<string, Making>()

  function begin(name: string, item: RenditionOf, jobOf: MakeJob): Making {
    const abandon = new AbortController()
    const made = make(name, item, jobOf, abandon.signal).finally(() => making.delete(name))
    const begun = { made, abandon, waiting: 0 }
    making.set(name, begun)
    return begun
  }

  return async (name, item, jobOf, signal) => {
    for (;;) {
      signal.throwIfAborted()
      const one = making.get(name) ?? begin(name, item, jobOf)
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
