import { writeInTransaction } from '../edge/operations/write-transaction.ts'
import { v4 as uuidv4 } from 'uuid'
import type { Db } from '../platform/postgres/db.ts'
import { lockStorageId, setStorageId } from '../platform/sealing/installation-store.ts'
import { LABEL_NAME, type MediaStorage, WrongStorage } from './media-storage.ts'

/**
 * Makes sure that this is the storage which the media of the installation is in: the first process that starts labels
 * it, and every other one has to see that label. A storage in which there is something is nobody's to label: a database that has none of
 * its own does not take it over unasked. Returns what is wrong otherwise, and what to do. Throws Unready where the storage does not answer.
 */
export async function claimStorage(db: Db, storage: MediaStorage): Promise<string | null> {
  const label = await storage.readLabel()
  const id = await writeInTransaction(db, async (tx) => {
    const known = await lockStorageId(tx)
    if (known !== null) return known
    if (!(await storage.isEmpty())) return null
    // Labelled before it is recorded: a process that dies in between leaves a label and nothing else, which the next one takes over.
    const chosen = label ?? uuidv4()
    if (label === null) await storage.writeLabel(chosen)
    await setStorageId(tx, chosen)
    return chosen
  })
  if (id === null) return ofOthers(storage, label)
  if (label === id || (await storage.readLabel()) === id) return null
  const carried = label === null ? 'carries no id' : `carries the id ${label}`
  return (
    `The media storage at ${storage.location} ${carried}, and the media of this database is in the one with the id ${id}: what one process stores, another could not read. ` +
    'Give all processes with the roles api and publisher the same storage: a DATA_DIR that they share, or the same S3_BUCKET and S3_PREFIX. ' +
    `If the storage was moved or restored, and this is the right one, put ${id} into ${storage.location}${LABEL_NAME}.`
  )
}

function ofOthers({ location }: MediaStorage, label: string | null): string {
  const carries = label === null ? 'holds files' : `holds files and carries the id ${label}`
  return (
    `The media storage at ${location} ${carries}, and this database is new: give it a place of its own with S3_PREFIX or DATA_DIR, ` +
    'or run `postrider media adopt`, which shows what is there before it takes it over.'
  )
}

export type ClaimedStorage = {
  /** The same storage: nothing is stored before it was found to be the right one. */
  readonly storage: MediaStorage
  /** As `claimStorage`, which is asked until it has found nothing wrong. */
  readonly claim: () => Promise<string | null>
}

/** A storage that does not answer at the start is claimed once it does. */
export function claimed(db: Db, storage: MediaStorage): ClaimedStorage {
  let isClaimed = false
  async function claim(): Promise<string | null> {
    if (isClaimed) return null
    const wrong = await claimStorage(db, storage)
    isClaimed = wrong === null
    return wrong
  }
  return {
    claim,
    storage: {
      ...storage,
      async put(...file) {
        const wrong = await claim()
        if (wrong !== null) throw new WrongStorage(wrong)
        await storage.put(...file)
      },
    },
  }
}
