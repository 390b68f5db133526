import type { Db } from '../platform/postgres/db.ts'
import type { Log } from '../platform/process/log.ts'
import { readStorageId } from '../platform/sealing/installation-store.ts'
import {
  filesToDiscard,
  filesToRemove,
  forgetFile,
  noteDiscarded,
  recordFile,
  sliceOfFiles,
  takeUnused,
} from './file-store.ts'
import type { MediaStorage } from './media-storage.ts'
import { isContested, TRASH_DAYS } from './place-store.ts'
import { renewMark } from './storage-marks.ts'

export type SweepParts = {
  readonly db: Db
  readonly storage: MediaStorage
  /** Where this installation is reached, to be noted in the storage. */
  readonly address: string
  readonly log: Pick<Log, 'warn'>
}

const SLICE = 5_000
const BATCH = 100

/**
 * Brings to the trash what this installation has stored and no item refers to, and removes what was there for a week. Only what the
 * database notes as its own is touched, and nothing while another database has the same id. Says how many files it has moved or removed;
 * `signal` ends it early, and the rest is left to the next run.
 */
export async function sweepStorage(parts: SweepParts, signal?: AbortSignal): Promise<number> {
  const { db, storage, address, log } = parts
  const place = await readStorageId(db)
  if (place === null || (await storage.readLabel(signal)) !== place) return 0
  const { contested } = await renewMark(db, storage, address, signal)
  if (contested) log.warn({ place: storage.location }, CONTESTED)
  if (await isContested(db)) return 0
  const removed = await emptyTrash(parts, signal)
  await findUnused(parts, signal)
  return removed + (await discardUnused(parts, signal))
}

const CONTESTED =
  'another database uses the media storage under the id of this one: one is a copy of the other, and neither removes anything'

async function emptyTrash({ db, storage, log }: SweepParts, signal?: AbortSignal): Promise<number> {
  let count = 0
  for (;;) {
    const files = await filesToRemove(db, BATCH)
    for (const { key, isUsed } of files) {
      if (signal?.aborted === true) return count
      if (isUsed) {
        await storage.recover(key)
        await recordFile(db, key)
        log.warn(
          { key, place: storage.location },
          'a media file in the trash is in use, and was brought back',
        )
      } else {
        await storage.removeDiscarded(key)
        await forgetFile(db, key)
        count++
      }
    }
    if (files.length < BATCH) return count
  }
}

/** Notes which files are unused, so many in an hour. */
async function findUnused({ db }: SweepParts, signal?: AbortSignal): Promise<void> {
  let after: string | null = null
  do {
    if (signal?.aborted === true) return
    const slice = await sliceOfFiles(db, after, SLICE)
    const { unused } = slice
    if (unused.length > 0) {
      const taken = await db.begin((tx) => takeUnused(tx, unused))
      if (taken.length < unused.length) return
    }
    after = slice.last
  } while (after !== null)
}

async function discardUnused({ db, storage, log }: SweepParts, signal?: AbortSignal): Promise<number> {
  let count = 0
  for (;;) {
    const keys = await filesToDiscard(db, BATCH)
    if (keys.length === 0) return count
    log.warn(
      { keys, place: storage.location, days: TRASH_DAYS },
      'media files that no item refers to go into the trash, and are removed in some days',
    )
    for (const key of keys) {
      if (signal?.aborted === true) return count
      await storage.discard(key)
      await noteDiscarded(db, key)
      count++
    }
  }
}
