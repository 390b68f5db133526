import type { Bytes } from '@postrider/contract'
import { refuse, type Refusal } from '../edge/operations/refusal.ts'
import type { MediaStorage } from './media-storage.ts'
import type { MediaRow } from './media-store.ts'
import { extensionOf } from './media-type.ts'
import { notReady } from './not-ready.ts'
import type { Renditions } from './renditions.ts'

type Parts = { readonly storage: MediaStorage; readonly renditions: Renditions }

/** The bytes of a file of any kind as they are kept, for people who are to see what is published. */
export function readFile({ storage }: Pick<Parts, 'storage'>, row: MediaRow): Bytes {
  const { contentType, mediaId, createdAt, storageKey, sizeBytes: size } = row
  const fileName = `${mediaId}.${extensionOf(contentType)}`
  const open = (range?: { start: number; end: number }) =>
    notReady(() => storage.read(storageKey, size, range))
  return { contentType, lastModified: createdAt, fileName, size, tag: mediaId, open }
}

/**
 * The bytes of an image, or of a smaller rendition of it. Of nothing else are bytes given out to programs. `gone` is
 * aborted when the client has left.
 */
export async function readContent(
  { storage, renditions }: Parts,
  row: MediaRow,
  width: number | null,
  gone: AbortSignal,
): Promise<Bytes | Refusal<'media_not_image'>> {
  if (row.kind !== 'image') {
    const detail = `This is ${row.kind === 'audio' ? 'an audio file' : `a ${row.kind}`}. Only images can be downloaded.`
    return refuse('media_not_image', detail)
  }
  const whole = readFile({ storage }, row)
  if (width === null || row.width === null || width >= row.width) return whole
  const rendition = await notReady(() => renditions.find(row, width, gone))
  const open = (range?: { start: number; end: number }) => notReady(() => rendition.open(range))
  return { ...whole, size: rendition.size, tag: `${row.mediaId}-${width}`, open }
}
