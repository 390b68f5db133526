import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { type Depot, holderOf } from './depot.ts'
import type { PictureBounds } from './inspection.ts'
import { type Inspector, isObjection } from './inspector.ts'
import type { MediaRow } from './media-store.ts'
import { newFile, type Workbench } from './workbench.ts'

type Parts = { readonly depot: Depot; readonly workbench: Workbench; readonly inspector: Inspector }
type Item = Pick<MediaRow, 'kind' | 'contentType' | 'sizeBytes' | 'width' | 'height' | 'storageKey'>
type Bounds = PictureBounds & { readonly fitted: boolean }

/** Bytes to be sent, and how to say that they are needed no longer. */
export type Taken = {
  readonly file: {
    readonly contentType: string
    readonly size: number
    readonly open: () => AsyncIterable<Uint8Array>
  }
  readonly done: () => Promise<void>
}

/**
 * Takes an item out of the depot for a network with these bounds. A picture that does not keep within them is scaled
 * and converted, whole; `unfit` says why one cannot be. Throws where the depot cannot be read.
 */
export async function takeMedia(
  parts: Parts,
  item: Item,
  bounds: Bounds,
): Promise<Taken | { unfit: string }> {
  const { depot, workbench, inspector } = parts
  const { contentType, sizeBytes: size, storageKey } = item
  if (fits(item, bounds)) {
    const open = () => depotBytes(depot, storageKey)
    return { file: { contentType, size, open }, done: () => Promise.resolve() }
  }
  if (item.kind !== 'image' || !bounds.fitted)
    return { unfit: 'The file is larger than the network allows, or of another type.' }

  const [from, to] = [workbench.place(), workbench.place()]
  try {
    await pipeline(await depot.read(storageKey), await newFile(from))
    const { contentTypes, maxBytes, maxWidth, maxHeight } = bounds
    const limits = { contentTypes, maxBytes, maxWidth, maxHeight }
    const order = { do: 'fit', from, to, contentType, bounds: limits } as const
    const made = await inspector.inspect(order, holderOf(storageKey))
    await workbench.clear(from)
    if (isObjection(made)) return { unfit: made.objection }
    const file = { contentType: made.contentType, size: made.size, open: () => createReadStream(to) }
    return { file, done: () => workbench.clear(to) }
  } catch (fault) {
    await workbench.clear(from, to)
    throw fault
  }
}

async function* depotBytes(depot: Depot, key: string): AsyncGenerator<Uint8Array> {
  yield* (await depot.read(key)) as AsyncIterable<Uint8Array>
}

function fits({ contentType, sizeBytes, width, height }: Item, bounds: Bounds): boolean {
  return (
    bounds.contentTypes.includes(contentType) &&
    sizeBytes <= bounds.maxBytes &&
    (width ?? 0) <= (bounds.maxWidth ?? Infinity) &&
    (height ?? 0) <= (bounds.maxHeight ?? Infinity)
  )
}
