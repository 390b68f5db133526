import type { ImageBounds } from './media-job.ts'
import type { MediaStorage } from './media-storage.ts'
import type { MediaRow } from './media-store.ts'
import { isRejection } from '../platform/process/worker-pool.ts'
import { fits, UNFIT } from './prepare-media.ts'
import type { PublicAddresses } from './public-addresses.ts'
import type { Renditions } from './renditions.ts'

export type AddressParts = {
  readonly storage: Pick<MediaStorage, 'check'>
  readonly renditions: Pick<Renditions, 'fit'>
  readonly addresses: Pick<PublicAddresses, 'make'>
}
type Item = Pick<
  MediaRow,
  'mediaId' | 'kind' | 'contentType' | 'sizeBytes' | 'width' | 'height' | 'storageKey'
>
type Bounds = ImageBounds & { readonly fitted: boolean }

/** Where a network fetches a file, and what it gets there. */
export type AddressedMedia = {
  readonly url: string
  readonly contentType: string
  readonly size: number
  readonly width: number | null
  readonly height: number | null
}

/**
 * The address of an item for a network with these bounds. An image that does not keep within them is scaled and converted,
 * whole; `unfit` says why one cannot be. Throws where the bytes cannot be read: MediaUnavailable, unless it passes.
 */
export async function addressMedia(
  { storage, renditions, addresses }: AddressParts,
  { workspaceId, destinationId }: { readonly workspaceId: string; readonly destinationId: string },
  item: Item,
  bounds: Bounds,
): Promise<AddressedMedia | { unfit: string }> {
  const { mediaId, storageKey, sizeBytes: size, contentType, width, height } = item
  const of = { workspaceId, destinationId, mediaId }
  if (fits(item, bounds)) {
    // What is found missing once the network asks for it would look like a fault of the network.
    await storage.check(storageKey, size)
    const url = addresses.make({ ...of, bounds: null }, contentType)
    return { url, contentType, size, width, height }
  }
  if (item.kind !== 'image' || !bounds.fitted) return { unfit: UNFIT }
  const { contentTypes, maxBytes, maxWidth, maxHeight } = bounds
  const within = { contentTypes, maxBytes, maxWidth, maxHeight }
  // Made now, to know that it can be; where another process is asked for it, that one makes it again, equal.
  const made = await renditions.fit(item, within, NEVER)
  if (isRejection(made)) return { unfit: made.rejected }
  const url = addresses.make({ ...of, bounds: within }, made.contentType)
  return { url, contentType: made.contentType, size: made.size, width: made.width, height: made.height }
}

const NEVER = new AbortController().signal
