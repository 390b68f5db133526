import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import type { JobOf } from '../../media/media-job.ts'
import { isRejection } from '../../platform/process/worker-pool.ts'
import { recognise } from '../../media/media-type.ts'
import { type CheckedFile, type MediaParts, orNotReady, receiveUpload } from '../../media/upload-media.ts'
import { isRefusal, refuse, type Refusal } from '../../edge/operations/refusal.ts'
import type { Prepared } from '../../edge/operations/route.ts'

/** As much as tells what bytes are. */
const HEAD = 65_536

/**
 * Takes in what a model drew, as an untrusted upload: recognised by its bytes, decoded in a process of its
 * own, cut to exactly the ratio, checked and kept. A media item of it is all that is missing. Refused with
 * `not_ready` where there is no room for it.
 */
export async function storeImage(
  parts: MediaParts,
  workspaceId: string,
  bytes: Uint8Array,
  ratio: readonly [number, number],
): Promise<Prepared<CheckedFile> | Refusal> {
  const seen = await recognise(bytes.subarray(0, HEAD))
  if (seen?.kind !== 'image')
    return refuse('media_rejected', 'The model did not make an image of a supported type.')
  const { tempFiles } = parts
  const [drawn, cropped] = [tempFiles.newPath(), tempFiles.newPath()]
  try {
    return await orNotReady(parts, async () => {
      await writeFile(drawn, bytes, { mode: 0o600 })
      const rejection = await crop(parts, workspaceId, {
        from: drawn,
        to: cropped,
        contentType: seen.contentType,
        ratio,
      })
      return rejection ?? (await upload(parts, workspaceId, cropped))
    })
  } finally {
    await tempFiles.remove(drawn, cropped)
  }
}

type Crop = Pick<JobOf<'crop'>, 'from' | 'to' | 'contentType' | 'ratio'>

async function crop(
  { workers, limits }: MediaParts,
  workspaceId: string,
  area: Crop,
): Promise<Refusal | null> {
  const job = { type: 'crop', maxPixels: limits.maxPixels, ...area } as const
  const found = await workers.run(job, { workspaceId, fileId: area.from })
  if (!isRejection(found)) return null
  return refuse('media_rejected', `What the model made cannot be used. ${found.rejected}`)
}

async function upload(
  parts: MediaParts,
  workspaceId: string,
  path: string,
): Promise<Prepared<CheckedFile> | Refusal> {
  const received = await receiveUpload(parts, workspaceId, {
    bytes: createReadStream(path),
    claimedType: null,
  })
  if (isRefusal(received)) return received
  try {
    return await received.prepare()
  } finally {
    await received.dispose()
  }
}
