import type { Sql } from '../platform/postgres/db.ts'
import type { MediaStorage } from './media-storage.ts'
import { readDatabaseFacts } from '../platform/postgres/database-facts.ts'
import { recordedOf } from './file-store.ts'
import { TRASH_DAYS } from './place-store.ts'
import { type User, usersOf } from './storage-marks.ts'
import { readStorageId } from '../platform/sealing/installation-store.ts'
import { countFiles, sizesOf } from './media-store.ts'

export type StoredFilesCheck = {
  readonly location: string
  /** Whether the storage is the one that the media of this installation is in; null before the first start. */
  readonly isOurs: boolean | null
  readonly files: number
  readonly missing: number
  /** Keys of files that have another size than they had, at most MAX_NAMED. */
  readonly damaged: readonly string[]
  /** How many are there that this installation has not stored. */
  readonly ofOthers: number
  /** Which other installations have noted within a week that they use the storage. */
  readonly users: readonly User[]
}

const BATCH = 500
const MAX_NAMED = 5

/** Compares what is stored with what the items say, by names and sizes. */
export async function checkStoredFiles(sql: Sql, storage: MediaStorage): Promise<StoredFilesCheck> {
  const id = await readStorageId(sql)
  const isOurs = id === null ? null : (await storage.readLabel()) === id
  const damaged: string[] = []
  let present = 0
  let sizes = new Map<string, number>()
  let ofOthers = 0
  async function compare(): Promise<void> {
    ofOthers += sizes.size - (await recordedOf(sql, [...sizes.keys()])).length
    for (const { key, sizeBytes } of await sizesOf(sql, [...sizes.keys()])) {
      present++
      if (sizes.get(key) !== sizeBytes) damaged.push(key)
    }
    sizes = new Map()
  }
  for await (const { key, size } of storage.list()) {
    sizes.set(key, size)
    if (sizes.size === BATCH) await compare()
  }
  await compare()
  const files = await countFiles(sql)
  return {
    location: storage.location,
    isOurs,
    files,
    missing: files - present,
    damaged: damaged.slice(0, MAX_NAMED),
    ofOthers,
    users: await otherUsers(sql, storage),
  }
}

/** The other installations that have noted within a week that they use the storage, the latest first. */
export async function otherUsers(sql: Sql, storage: MediaStorage): Promise<User[]> {
  const [{ now }, users] = [await readDatabaseFacts(sql), await usersOf(sql, storage)]
  return users.filter(({ at, isThis }) => !isThis && now.getTime() - at.getTime() < TRASH_DAYS * 86_400_000)
}
