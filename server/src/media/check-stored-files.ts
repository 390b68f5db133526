import type { Sql } from '../platform/postgres/db.ts'
import type { MediaStorage } from './media-storage.ts'
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
  async function compare(): Promise<void> {
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
  }
}
