import type { MediaRow } from '../../media/media-store.ts'
import { prepareMedia } from '../../media/prepare-media.ts'
import type { MediaParts } from '../../media/upload-media.ts'
import type { Picture } from './model-client.ts'

/** What every model that sees can read; more than this many pixels only costs more. */
const BOUNDS = {
  contentTypes: ['image/jpeg', 'image/png', 'image/webp'],
  maxBytes: 4_000_000,
  maxWidth: 1_024,
  maxHeight: 1_024,
  fitted: true,
}

/** The images as a model is shown them: whole and small. One that cannot be made so is left to its alt text. */
export async function loadImages(parts: MediaParts, items: readonly MediaRow[]): Promise<Picture[]> {
  const pictures: Picture[] = []
  for (const item of items) {
    const prepared = await prepareMedia(parts, item, BOUNDS)
    if ('unfit' in prepared) continue
    try {
      const chunks: Uint8Array[] = []
      for await (const chunk of prepared.file.open()) chunks.push(chunk)
      pictures.push({ bytes: Buffer.concat(chunks), contentType: prepared.file.contentType })
    } finally {
      await prepared.release()
    }
  }
  return pictures
}
