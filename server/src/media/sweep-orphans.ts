import type { Sql } from '../platform/db.ts'
import type { MediaStorage } from './media-storage.ts'
import { keysWithoutItem } from './media-store.ts'
import type { TempFiles } from './temp-files.ts'

/** No upload takes as long as this, so what is older than it and has no item never gets one. */
export const ORPHAN_AFTER_MS = 24 * 3_600_000
const AT_ONCE = 500

/**
 * Removes what crashes left: temporary files, and stored bytes that no item refers to. Keys are never used
 * again, so what is an orphan once its time is over remains one, and nobody else need be asked. Says how many.
 */
export async function sweepOrphans(
  sql: Sql,
  { storage, tempFiles }: { storage: MediaStorage; tempFiles: TempFiles },
  olderThanMs: number = ORPHAN_AFTER_MS,
): Promise<number> {
  let removed = await tempFiles.sweep(olderThanMs)
  const latest = Date.now() - olderThanMs
  let keys: string[] = []
  for await (const { key, storedAt } of storage.list()) {
    if (storedAt.getTime() > latest) continue
    keys.push(key)
    if (keys.length < AT_ONCE) continue
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
