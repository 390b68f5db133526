import type { Db, Sql, Tx } from '../platform/postgres/db.ts'
import { lockStorageId, readStorageId, setStorageId } from '../platform/sealing/installation-store.ts'
import { v4 as uuidv4 } from 'uuid'
import { otherUsers } from './check-stored-files.ts'
import { recordedOf, recordFiles, recordFilesOfItems } from './file-store.ts'
import type { MediaStorage } from './media-storage.ts'
import { sizesOf } from './media-store.ts'
import { renewInstallation } from './place-store.ts'
import { type User, usersOf } from './storage-marks.ts'

/** What is in a storage, before anybody takes it over. */
export type StorageView = {
  readonly location: string
  /** Null where it carries none. */
  readonly label: string | null
  /** The id of the storage that the media of this database is in; null where it never had one. */
  readonly storageId: string | null
  readonly files: number
  readonly bytes: number
  /** When the latest was stored; null where there is none. */
  readonly newest: Date | null
  /** How many of the files media items of this database refer to. */
  readonly ofItems: number
  /** How many of them this installation has stored, or was told to be its own. */
  readonly own: number
  /** Which installations have noted that they use it, this one among them, the latest first. */
  readonly users: readonly User[]
}

const BATCH = 500

/** Looks at everything that is there, and changes nothing. */
export async function viewStorage(sql: Sql, storage: MediaStorage): Promise<StorageView> {
  let [files, bytes, ofItems, own] = [0, 0, 0, 0]
  let newest: Date | null = null
  for await (const some of inBatches(storage)) {
    const keys = some.map(({ key }) => key)
    files += some.length
    ofItems += (await sizesOf(sql, keys)).length
    own += (await recordedOf(sql, keys)).length
    for (const { size, storedAt } of some) {
      bytes += size
      if (newest === null || storedAt > newest) newest = storedAt
    }
  }
  return {
    location: storage.location,
    label: await storage.readLabel(),
    storageId: await readStorageId(sql),
    files,
    bytes,
    newest,
    ofItems,
    own,
    users: await usersOf(sql, storage),
  }
}

async function* inBatches(storage: MediaStorage) {
  let some: { key: string; size: number; storedAt: Date }[] = []
  for await (const file of storage.list()) {
    some.push(file)
    if (some.length < BATCH) continue
    yield some
    some = []
  }
  if (some.length > 0) yield some
}

/**
 * Which files become this installation's own: those that it has stored itself only, those that its items refer to, too, or all that are
 * there.
 */
export const adoptedFiles = ['own', 'known', 'all'] as const
export type AdoptedFiles = (typeof adoptedFiles)[number]

export type Adoption = {
  /** The label that the storage was seen with; null for none. */
  readonly label: string | null
  readonly files: AdoptedFiles
}

/**
 * Has the database use this storage, under an id of its own, and says how many files have become its own. Or says why not, with nothing
 * changed. `record` writes what was done in the same transaction.
 */
export async function adoptStorage(
  db: Db,
  storage: MediaStorage,
  { label, files }: Adoption,
  record: (tx: Tx, done: { installationId: string; adopted: number }) => Promise<void>,
): Promise<{ installationId: string; adopted: number } | { why: string }> {
  const found = await storage.readLabel()
  if (found !== label)
    return notTaken(
      `The storage carries ${found === null ? 'no id' : `the id ${found}`} by now. Look at it again`,
    )
  const known = await readStorageId(db)
  if (known !== null && known !== label)
    return notTaken(
      `The media of this database is in the storage with the id ${known}, and not in this one. If it was moved here, put that id into ${storage.location}storage-id`,
    )
  const [other] = files === 'all' ? await otherUsers(db, storage) : []
  if (other !== undefined)
    return notTaken(
      `Another installation, ${other.address} on ${other.host}, uses this storage: it was there at ${other.at.toISOString()}. Its files can become this one's a week after it was there last`,
    )
  const chosen = label ?? uuidv4()
  if (label === null) await storage.writeLabel(chosen)
  const keys = files === 'all' ? (await Array.fromAsync(storage.list())).map(({ key }) => key) : []
  const done = await db.begin(async (tx) => {
    await lockStorageId(tx)
    await setStorageId(tx, chosen)
    const installationId = await renewInstallation(tx)
    let adopted = files === 'own' ? 0 : await recordFilesOfItems(tx)
    for (let from = 0; from < keys.length; from += BATCH) {
      const some = keys.slice(from, from + BATCH).filter((key) => WORKSPACE.test(key))
      const before = new Set(await recordedOf(tx, some))
      const more = some.filter((key) => !before.has(key))
      await recordFiles(tx, more)
      adopted += more.length
    }
    await record(tx, { installationId, adopted })
    return { installationId, adopted }
  })
  if (files === 'all')
    for (const { installationId } of await usersOf(db, storage)) await storage.removeMark(installationId)
  return done
}

/** Keys that begin with the id of a workspace, as all of ours do. */
const WORKSPACE = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\//

function notTaken(why: string): { why: string } {
  return { why: `${why}. Nothing was changed.` }
}
