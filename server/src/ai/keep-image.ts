import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { isObjection } from '../media/inspector.ts'
import { recognise } from '../media/media-type.ts'
import { type CheckedFile, type MediaParts, takeUpload } from '../media/upload-media.ts'
import { isRefusal, refuse, type Refusal } from '../platform/refusal.ts'
import type { Prepared } from '../platform/route.ts'

/** As much as tells what bytes are. */
const HEAD = 65_536

/**
 * Takes in what a model drew, as if a stranger had uploaded it: recognised by its bytes, decoded in a process of its
 * own, cut to exactly the ratio, checked and kept. A media item of it is all that is missing.
 */
export async function keepImage(
  parts: MediaParts,
  workspaceId: string,
  bytes: Uint8Array,
  ratio: readonly [number, number],
): Promise<Prepared<CheckedFile> | Refusal> {
  const seen = await recognise(bytes.subarray(0, HEAD))
  if (seen?.kind !== 'image')
    return refuse('media_rejected', 'What the model made is no image of a type that is taken.')
  const { workbench, inspector, limits } = parts
  const [drawn, cut] = [workbench.place(), workbench.place()]
  try {
    await writeFile(drawn, bytes, { mode: 0o600 })
    const { contentType } = seen
    const order = {
      do: 'crop',
      from: drawn,
      to: cut,
      contentType,
      maxPixels: limits.maxPixels,
      ratio,
    } as const
    const found = await inspector.inspect(order)
    if (isObjection(found))
      return refuse('media_rejected', `What the model made cannot be used. ${found.objection}`)

    const upload = await takeUpload(parts, workspaceId, { bytes: createReadStream(cut), claimedType: null })
    if (isRefusal(upload)) return upload
    try {
      return await upload.prepare()
    } finally {
      await upload.dispose()
    }
  } finally {
    await workbench.clear(drawn, cut)
  }
}
