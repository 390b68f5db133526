import { readDatabaseFacts } from '../platform/postgres/database-facts.ts'
import type { Sql } from '../platform/postgres/db.ts'
import type { MediaStorage } from './media-storage.ts'
import { readStorageId } from '../platform/sealing/installation-store.ts'
import { keysWithoutItem } from './media-store.ts'
import type { TempFiles } from './temp-files.ts'

/** No upload takes as long as this, so what is older than it and has no item never gets one. */
export const ORPHAN_AFTER_MS = 24 * 3_600_000
const BATCH = 500

/**
 * Removes what crashes left: temporary files, and stored bytes that no item refers to. Keys are never used
 * again, so what is an orphan once its time is over remains one, and no other table need be asked. Says how many.
 * `signal` ends it early: the rest is left to the next run.
 */
export async function sweepOrphans(
  sql: Sql,
  { storage, tempFiles }: { storage: MediaStorage; tempFiles: TempFiles },
  { olderThanMs = ORPHAN_AFTER_MS, signal }: { olderThanMs?: number; signal?: AbortSignal } = {},
): Promise<number> {
  let removed = await tempFiles.sweep(olderThanMs)
  // What is in the storage of another installation has its items there.
  if ((await storage.readLabel(signal)) !== (await readStorageId(sql))) return removed
  // By the clock of this process alone, one that is a day ahead would take what is being uploaded for an orphan.
  const latest = (await readDatabaseFacts(sql)).now.getTime() - olderThanMs
  let keys: string[] = []
  for await (const { key, storedAt } of storage.list(signal)) {
    if (signal?.aborted === true) return removed
    if (storedAt.getTime() > latest) continue
    keys.push(key)
    if (keys.length < BATCH) continue
    removed += await removeOrphans(keys)
    keys = []
  }
  return removed + (await removeOrphans(keys))

  async function removeOrphans(among: readonly string[]): Promise<number> {
    if (among.length === 0) return 0
    const orphans = await keysWithoutItem(sql, among)
    for (const key of orphans) await storage.remove(key)
    return orphans.length
  }
}
