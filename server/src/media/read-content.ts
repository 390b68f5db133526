import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Bytes } from '@postrider/contract'
import { refuse, type Refusal } from '../platform/refusal.ts'
import { type Depot, holderOf } from './depot.ts'
import { type Inspector, isObjection } from './inspector.ts'
import type { MediaRow } from './media-store.ts'
import { extensionOf } from './media-type.ts'
import { newFile, type Workbench } from './workbench.ts'

type Parts = { readonly depot: Depot; readonly workbench: Workbench; readonly inspector: Inspector }

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
      open: (range) => parts.depot.read(row.storageKey, range),
    }
  }
  return { ...facts, tag: `${mediaId}-${width}`, ...(await rendition(parts, row, width)) }
}

/** Makes a rendition on the workbench; it is gone from there as soon as it is open. */
async function rendition(parts: Parts, row: MediaRow, width: number): Promise<Pick<Bytes, 'size' | 'open'>> {
  const { workbench, inspector, depot } = parts
  const [from, to] = [workbench.place(), workbench.place()]
  try {
    await pipeline(await depot.read(row.storageKey), await newFile(from))
    const order = { do: 'shrink', from, to, contentType: row.contentType, width } as const
    const made = await inspector.inspect(order, holderOf(row.storageKey))
    if (isObjection(made))
      throw new Error(`a rendition of ${row.mediaId} could not be made: ${made.objection}`)
    const { size } = made
    const whole = await readFile(to)
    return {
      size,
      open: async (range) =>
        Readable.from([range === undefined ? whole : whole.subarray(range.start, range.end + 1)]),
    }
  } finally {
    await workbench.clear(from, to)
  }
}
