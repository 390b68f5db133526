import type { Db, Tx } from '../platform/postgres/db.ts'
import { setStorageId } from '../platform/sealing/installation-store.ts'
import { forgetAllFiles, recordFiles } from './file-store.ts'
import { renewInstallation } from './place-store.ts'

/**
 * Has a database that is a copy of another own none of the files that it knows, and gives it an id of its own: the other one may still use
 * them. They are read as before, and not removed.
 */
export async function disownFiles(tx: Tx): Promise<void> {
  await forgetAllFiles(tx)
  await renewInstallation(tx)
}

const AT_ONCE = 1_000

/** The same of a restored database, whose files are in the storage with this id: those that the restore has `stored` there are its own. */
export async function settleRestored(
  db: Db,
  storageId: string | null,
  stored: readonly string[],
): Promise<void> {
  await db.begin(async (tx) => {
    await disownFiles(tx)
    for (let from = 0; from < stored.length; from += AT_ONCE)
      await recordFiles(tx, stored.slice(from, from + AT_ONCE))
    await setStorageId(tx, storageId)
  })
}
