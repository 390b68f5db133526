import { createReadStream } from 'node:fs'
import type { ImageBounds } from './media-job.ts'
import type { MediaStorage } from './media-storage.ts'
import type { MediaRow } from './media-store.ts'
import { isRejection } from '../platform/process/worker-pool.ts'
import { runStoredJob, type StoredJobParts } from './run-stored-job.ts'

type Item = Pick<MediaRow, 'kind' | 'contentType' | 'sizeBytes' | 'width' | 'height' | 'storageKey'>
type Bounds = ImageBounds & { readonly fitted: boolean }

/** Bytes from `from` up to and without `to`. */
type Range = { readonly from: number; readonly to: number }

/** Bytes to be sent. `release` is called when they are needed no longer. */
type PreparedMedia = {
  readonly file: {
    readonly contentType: string
    readonly size: number
    readonly open: (range?: Range) => AsyncIterable<Uint8Array>
  }
  /** Pixels of the file as it is sent; null where they are not known. */
  readonly width: number | null
  readonly height: number | null
  readonly release: () => Promise<void>
}

/** Why a file that is no picture cannot be sent. */
export const UNFIT = 'The file is larger than the network allows, or of another type.'

/**
 * Prepares an item for a network with these bounds. An image that does not keep within them is scaled and converted,
 * whole; `unfit` says why one cannot be. Throws where the bytes cannot be read: MediaUnavailable, unless it passes.
 */
export async function prepareMedia(
  parts: StoredJobParts,
  item: Item,
  bounds: Bounds,
): Promise<PreparedMedia | { unfit: string }> {
  const { storage, tempFiles } = parts
  const { contentType, sizeBytes: size, storageKey } = item
  if (fits(item, bounds)) {
    // Before anything is sent: what is found missing in the middle of a call looks like a fault of the network.
    await storage.check(storageKey, size)
    const open = (range?: Range) => storedBytes(storage, item, range)
    const { width, height } = item
    return { file: { contentType, size, open }, width, height, release: () => Promise.resolve() }
  }
  if (item.kind !== 'image' || !bounds.fitted) return { unfit: UNFIT }

  const to = tempFiles.newPath()
  const release = () => tempFiles.remove(to)
  try {
    const { contentTypes, maxBytes, maxWidth, maxHeight } = bounds
    const limits = { contentTypes, maxBytes, maxWidth, maxHeight }
    const jobOf = (from: string) => ({ type: 'fit', from, to, contentType, bounds: limits }) as const
    const made = await runStoredJob(parts, { storageKey, sizeBytes: size }, jobOf)
    if (isRejection(made)) {
      await release()
      return { unfit: made.rejected }
    }
    const open = (range?: Range) => createReadStream(to, inclusive(range))
    const { width, height } = made
    return { file: { contentType: made.contentType, size: made.size, open }, width, height, release }
  } catch (fault) {
    await release()
    throw fault
  }
}

async function* storedBytes(
  storage: MediaStorage,
  { storageKey, sizeBytes }: Item,
  range?: Range,
): AsyncGenerator<Uint8Array> {
  yield* (await storage.read(storageKey, sizeBytes, inclusive(range))) as AsyncIterable<Uint8Array>
}

function inclusive(range: Range | undefined): { start: number; end: number } | undefined {
  return range === undefined ? undefined : { start: range.from, end: range.to - 1 }
}

/** Whether an item keeps within the bounds as it is. */
export function fits(
  { contentType, sizeBytes, width, height }: Pick<Item, 'contentType' | 'sizeBytes' | 'width' | 'height'>,
  bounds: ImageBounds,
): boolean {
  return (
    bounds.contentTypes.includes(contentType) &&
    sizeBytes <= bounds.maxBytes &&
    (width ?? 0) <= (bounds.maxWidth ?? Infinity) &&
    (height ?? 0) <= (bounds.maxHeight ?? Infinity)
  )
}
