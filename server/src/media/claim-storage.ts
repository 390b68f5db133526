import { v4 as uuidv4 } from 'uuid'
import type { Db } from '../platform/postgres/db.ts'
import { LABEL_NAME, type MediaStorage } from './media-storage.ts'
import { lockStorageId, setStorageId } from '../platform/sealing/installation-store.ts'

/**
 * Makes sure that this is the storage which the media of the installation is in: the first process that starts labels
 * it, and every other one has to see that label. Returns what is wrong otherwise, and what to do. Throws Unready where the storage does not answer.
 */
export async function claimStorage(db: Db, storage: MediaStorage): Promise<string | null> {
  const label = await storage.readLabel()
  const id = await db.begin(async (tx) => {
    const known = await lockStorageId(tx)
    if (known !== null) return known
    // Labelled before it is recorded: a process that dies in between leaves a label, which the next one takes over.
    const chosen = label ?? uuidv4()
    if (label === null) await storage.writeLabel(chosen)
    await setStorageId(tx, chosen)
    return chosen
  })
  if (label === id || (await storage.readLabel()) === id) return null
  const carried = label === null ? 'carries no id' : `carries the id ${label}`
  return (
    `The media storage at ${storage.location} ${carried}, and the media of this database is in the one with the id ${id}: what one process stores, another could not read. ` +
    'Give all processes with the roles api and publisher the same storage: a DATA_DIR that they share, or the same S3_BUCKET and S3_PREFIX. ' +
    `If the storage was moved or restored, and this is the right one, put ${id} into ${storage.location}${LABEL_NAME}.`
  )
}
