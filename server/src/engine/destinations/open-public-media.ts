import type { Bytes } from '@postrider/contract'
import { findMedia } from '../../media/media-store.ts'
import type { MediaStorage } from '../../media/media-storage.ts'
import { extensionOf } from '../../media/media-type.ts'
import { isRejection } from '../../platform/process/worker-pool.ts'
import { notReady } from '../../media/not-ready.ts'
import { readFile } from '../../media/read-content.ts'
import { type Renditions, variantOf } from '../../media/renditions.ts'
import type { PublicMediaPass } from '../../edge/operations/public-media-pass.ts'
import { refuse, type Refusal } from '../../edge/operations/refusal.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { isPast } from '../../platform/text/instant.ts'
import { isBeingPublished } from './destination-store.ts'

type Parts = { readonly db: Db; readonly storage: MediaStorage; readonly renditions: Renditions }

/**
 * What an address of `publicAddresses` gives out: the file in the form that its destination publishes, and only while it does.
 * `gone` is aborted when the client has left.
 */
export async function openPublicMedia(
  { db, storage, renditions }: Parts,
  pass: PublicMediaPass,
  gone: AbortSignal,
): Promise<Bytes | Refusal<'link_not_valid'>> {
  const { workspaceId, mediaId, bounds } = pass
  if (await isPast(db, pass.expiresAt)) return OVER
  if (!(await isBeingPublished(db, pass))) return OVER
  const row = (await findMedia(db, workspaceId, [mediaId])).get(mediaId)
  if (row === undefined) return OVER
  const whole = readFile({ storage }, row)
  if (bounds === null) return whole
  const fitted = await notReady(() => renditions.fit(row, bounds, gone))
  // It could be made when the address was: the file itself cannot have changed.
  if (isRejection(fitted)) return OVER
  const { contentType, size, open } = fitted
  return {
    ...whole,
    contentType,
    size,
    tag: `${mediaId}-${variantOf(bounds)}`,
    fileName: `${mediaId}.${extensionOf(contentType)}`,
    open: (range) => notReady(() => open(range)),
  }
}

const OVER = refuse('link_not_valid', 'This address has expired, or its post is not being published now.')
