import type { Bytes } from '@postrider/contract'
import { refuse, type Refusal } from '../operations/refusal.ts'
import type { MediaStorage } from './media-storage.ts'
import type { MediaRow } from './media-store.ts'
import { extensionOf } from './media-type.ts'
import { notReady } from './not-ready.ts'
import type { Renditions } from './renditions.ts'

type Parts = { readonly storage: MediaStorage; readonly renditions: Renditions }

/**
 * The bytes of an image, or of a smaller rendition of it. Of nothing else are bytes ever given out. `gone` is aborted
 * when the client has left.
 */
export async function readContent(
  { storage, renditions }: Parts,
  row: MediaRow,
  width: number | null,
  gone: AbortSignal,
): Promise<Bytes | Refusal<'media_not_image'>> {
  if (row.kind !== 'image') {
    const detail = `This is ${row.kind === 'audio' ? 'an audio file' : `a ${row.kind}`}. Only the bytes of images can be read back.`
    return refuse('media_not_image', detail)
  }
  const { contentType, mediaId, createdAt, storageKey, sizeBytes: size } = row
  const facts = { contentType, lastModified: createdAt, fileName: `${mediaId}.${extensionOf(contentType)}` }
  if (width === null || row.width === null || width >= row.width) {
    const open = (range?: { start: number; end: number }) =>
      notReady(() => storage.read(storageKey, size, range))
    return { ...facts, size, tag: mediaId, open }
  }
  const rendition = await notReady(() => renditions.find(row, width, gone))
  const open = (range?: { start: number; end: number }) => notReady(() => rendition.open(range))
  return { ...facts, size: rendition.size, tag: `${mediaId}-${width}`, open }
}
