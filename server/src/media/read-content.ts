import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Bytes } from '@postrider/contract'
import { refuse, type Refusal } from '../platform/refusal.ts'
import { type MediaStorage, workspaceOfKey } from './media-storage.ts'
import { type MediaWorkers, isRejection } from './media-workers.ts'
import type { MediaRow } from './media-store.ts'
import { extensionOf } from './media-type.ts'
import { createFile, type TempFiles } from './temp-files.ts'

type Parts = { readonly storage: MediaStorage; readonly tempFiles: TempFiles; readonly workers: MediaWorkers }

/** The bytes of an image, or of a smaller rendition of it. Of nothing else are bytes ever given out. */
export async function readContent(
  parts: Parts,
  row: MediaRow,
  width: number | null,
): Promise<Bytes | Refusal<'media_not_image'>> {
  if (row.kind !== 'image') {
    const detail = `This is ${row.kind === 'audio' ? 'an audio file' : `a ${row.kind}`}. Only the bytes of images can be read back.`
    return refuse('media_not_image', detail)
  }
  const { contentType, mediaId, createdAt } = row
  const facts = { contentType, lastModified: createdAt, fileName: `${mediaId}.${extensionOf(contentType)}` }
  if (width === null || row.width === null || width >= row.width) {
    return {
      ...facts,
      size: row.sizeBytes,
      tag: mediaId,
      open: (range) => parts.storage.read(row.storageKey, range),
    }
  }
  return { ...facts, tag: `${mediaId}-${width}`, ...(await rendition(parts, row, width)) }
}

/** Makes a rendition in a temporary file, which is removed once it is read. */
async function rendition(parts: Parts, row: MediaRow, width: number): Promise<Pick<Bytes, 'size' | 'open'>> {
  const { tempFiles, workers, storage } = parts
  const [from, to] = [tempFiles.newPath(), tempFiles.newPath()]
  try {
    await pipeline(await storage.read(row.storageKey), await createFile(from))
    const job = { type: 'resize', from, to, contentType: row.contentType, width } as const
    const made = await workers.run(job, workspaceOfKey(row.storageKey))
    if (isRejection(made))
      throw new Error(`a rendition of ${row.mediaId} could not be made: ${made.rejected}`)
    const { size } = made
    const whole = await readFile(to)
    return {
      size,
      open: async (range) =>
        Readable.from([range === undefined ? whole : whole.subarray(range.start, range.end + 1)]),
    }
  } finally {
    await tempFiles.remove(from, to)
  }
}
