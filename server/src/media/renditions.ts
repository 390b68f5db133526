import { createHash } from 'node:crypto'
import { type CachedImage, openCachedImages } from './cached-images.ts'
import type { ImageBounds, JobOf } from './media-job.ts'
import type { MediaRow } from './media-store.ts'
import { isRejection, WorkerFault, type Rejection } from '../platform/process/worker-pool.ts'
import { runStoredJob, type StoredJobParts } from './run-stored-job.ts'

/** Copies of images, each made once and cached in a folder of bounded size. */
export type Renditions = {
  /** The copy of this width. Throws what `runStoredJob` throws. */
  readonly find: (item: RenditionOf, width: number, signal: AbortSignal) => Promise<CachedImage>
  /** In the same way, the copy that keeps within these bounds; `rejected` says why there can be none. */
  readonly fit: (
    item: RenditionOf,
    bounds: ImageBounds,
    signal: AbortSignal,
  ) => Promise<CachedImage | Rejection>
  readonly close: () => Promise<void>
}

type RenditionOf = Pick<MediaRow, 'storageKey' | 'sizeBytes' | 'contentType'>
type Wanted = {
  readonly item: RenditionOf
  readonly jobOf: (from: string, to: string) => JobOf<'resize' | 'fit'>
}

export async function openRenditions(
  parts: StoredJobParts,
  folder: string,
  maxBytes: number,
): Promise<Renditions> {
  const { tempFiles } = parts
  const cached = await openCachedImages<Wanted>(
    folder,
    { maxBytes, tempFiles },
    ({ item, jobOf }, to, signal) => runStoredJob(parts, item, (from) => jobOf(from, to), signal),
  )
  return {
    close: cached.close,
    async find(item, width, signal) {
      const { contentType } = item
      const jobOf: Wanted['jobOf'] = (from, to) => ({ type: 'resize', from, to, contentType, width })
      const found = await cached.find(nameOf(item, String(width)), { item, jobOf }, signal)
      if (isRejection(found)) throw new WorkerFault(`a rendition could not be made: ${found.rejected}`)
      return found
    },
    fit(item, { contentTypes, maxBytes: most, maxWidth, maxHeight }, signal) {
      const { contentType } = item
      const bounds = { contentTypes, maxBytes: most, maxWidth, maxHeight }
      const jobOf: Wanted['jobOf'] = (from, to) => ({ type: 'fit', from, to, contentType, bounds })
      return cached.find(nameOf(item, variantOf(bounds)), { item, jobOf }, signal)
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
