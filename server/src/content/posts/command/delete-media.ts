import type { Answer, deleteMedia as operation, RefusalCode } from '@postrider/contract'
import { lockMedia, removeMedia } from '../../../media/media-store.ts'
import { refuseMediaId } from '../../../media/refuse-media.ts'
import { refuse, type Refusal } from '../../../edge/operations/refusal.ts'
import type { Tx } from '../../../platform/postgres/db.ts'
import { isMediaUsed, type MediaKey } from '../media-use-store.ts'

/**
 * Deletes a media item that no post carries. A post that is written meanwhile with it waits for the lock, or is waited for: it
 * either has the item, or is refused for want of it.
 */
export async function deleteMedia(
  tx: Tx,
  key: MediaKey,
): Promise<Answer<typeof operation> | Refusal<RefusalCode<typeof operation>>> {
  const { workspaceId, mediaId } = key
  if ((await lockMedia(tx, workspaceId, mediaId)) === null) return refuseMediaId()
  if (await isMediaUsed(tx, key)) {
    return refuse(
      'invalid_state',
      'A post, series or template uses this file. Remove it from there first. Published posts keep it.',
    )
  }
  return { mediaId, deletedAt: (await removeMedia(tx, workspaceId, mediaId)).toISOString() }
}
