import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import type { Inspection } from '../media/inspection.ts'
import { isObjection } from '../media/inspector.ts'
import { recognise } from '../media/media-type.ts'
import { type CheckedFile, type MediaParts, orNoRoom, takeUpload } from '../media/upload-media.ts'
import { isRefusal, refuse, type Refusal } from '../platform/refusal.ts'
import type { Prepared } from '../platform/route.ts'

/** As much as tells what bytes are. */
const HEAD = 65_536

/**
 * Takes in what a model drew, as if a stranger had uploaded it: recognised by its bytes, decoded in a process of its
 * own, cut to exactly the ratio, checked and kept. A media item of it is all that is missing. Refused with
 * `not_ready` where there is no room for it.
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
  const { workbench } = parts
  const [drawn, cut] = [workbench.place(), workbench.place()]
  try {
    return await orNoRoom(parts, async () => {
      await writeFile(drawn, bytes, { mode: 0o600 })
      const objection = await crop(parts, workspaceId, {
        from: drawn,
        to: cut,
        contentType: seen.contentType,
        ratio,
      })
      return objection ?? (await upload(parts, workspaceId, cut))
    })
  } finally {
    await workbench.clear(drawn, cut)
  }
}

type Cut = Pick<Extract<Inspection, { do: 'crop' }>, 'from' | 'to' | 'contentType' | 'ratio'>

async function crop(
  { inspector, limits }: MediaParts,
  workspaceId: string,
  cut: Cut,
): Promise<Refusal | null> {
  const order = { do: 'crop', maxPixels: limits.maxPixels, ...cut } as const
  const found = await inspector.inspect(order, workspaceId)
  if (!isObjection(found)) return null
  return refuse('media_rejected', `What the model made cannot be used. ${found.objection}`)
}

async function upload(
  parts: MediaParts,
  workspaceId: string,
  path: string,
): Promise<Prepared<CheckedFile> | Refusal> {
  const taken = await takeUpload(parts, workspaceId, { bytes: createReadStream(path), claimedType: null })
  if (isRefusal(taken)) return taken
  try {
    return await taken.prepare()
  } finally {
    await taken.dispose()
  }
}
