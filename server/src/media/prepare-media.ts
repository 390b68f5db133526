import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { ImageBounds } from './media-job.ts'
import { type MediaStorage, workspaceOfKey } from './media-storage.ts'
import type { MediaRow } from './media-store.ts'
import { isRejection, type MediaWorkers } from './media-workers.ts'
import { createFile, type TempFiles } from './temp-files.ts'

type Parts = { readonly storage: MediaStorage; readonly tempFiles: TempFiles; readonly workers: MediaWorkers }
type Item = Pick<MediaRow, 'kind' | 'contentType' | 'sizeBytes' | 'width' | 'height' | 'storageKey'>
type Bounds = ImageBounds & { readonly fitted: boolean }

/** Bytes to be sent. `release` is called when they are needed no longer. */
type PreparedMedia = {
  readonly file: {
    readonly contentType: string
    readonly size: number
    readonly open: () => AsyncIterable<Uint8Array>
  }
  readonly release: () => Promise<void>
}

/**
 * Prepares an item for a network with these bounds. An image that does not keep within them is scaled and converted,
 * whole; `unfit` says why one cannot be. Throws where the storage cannot be read.
 */
export async function prepareMedia(
  parts: Parts,
  item: Item,
  bounds: Bounds,
): Promise<PreparedMedia | { unfit: string }> {
  const { storage, tempFiles, workers } = parts
  const { contentType, sizeBytes: size, storageKey } = item
  if (fits(item, bounds)) {
    const open = () => storedBytes(storage, storageKey)
    return { file: { contentType, size, open }, release: () => Promise.resolve() }
  }
  if (item.kind !== 'image' || !bounds.fitted)
    return { unfit: 'The file is larger than the network allows, or of another type.' }

  const [from, to] = [tempFiles.newPath(), tempFiles.newPath()]
  try {
    await pipeline(await storage.read(storageKey), await createFile(from))
    const { contentTypes, maxBytes, maxWidth, maxHeight } = bounds
    const limits = { contentTypes, maxBytes, maxWidth, maxHeight }
    const job = { type: 'fit', from, to, contentType, bounds: limits } as const
    const made = await workers.run(job, workspaceOfKey(storageKey))
    await tempFiles.remove(from)
    if (isRejection(made)) return { unfit: made.rejected }
    const file = { contentType: made.contentType, size: made.size, open: () => createReadStream(to) }
    return { file, release: () => tempFiles.remove(to) }
  } catch (fault) {
    await tempFiles.remove(from, to)
    throw fault
  }
}

async function* storedBytes(storage: MediaStorage, key: string): AsyncGenerator<Uint8Array> {
  yield* (await storage.read(key)) as AsyncIterable<Uint8Array>
}

function fits({ contentType, sizeBytes, width, height }: Item, bounds: Bounds): boolean {
  return (
    bounds.contentTypes.includes(contentType) &&
    sizeBytes <= bounds.maxBytes &&
    (width ?? 0) <= (bounds.maxWidth ?? Infinity) &&
    (height ?? 0) <= (bounds.maxHeight ?? Infinity)
  )
}
