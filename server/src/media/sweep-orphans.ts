import type { Sql } from '../platform/db.ts'
import type { Depot } from './depot.ts'
import { keysWithoutItem } from './media-store.ts'
import type { Workbench } from './workbench.ts'

/** No upload takes as long as this, so what is older than it and has no item never gets one. */
export const ORPHAN_AFTER_MS = 24 * 3_600_000
const AT_ONCE = 500

/**
 * Removes what crashes left: files on the workbench, and kept bytes that no item refers to. Keys are never used
 * again, so what is an orphan once its time is over remains one, and nobody else need be asked. Says how many.
 */
export async function sweepOrphans(
  sql: Sql,
  { depot, workbench }: { depot: Depot; workbench: Workbench },
  olderThanMs: number = ORPHAN_AFTER_MS,
): Promise<number> {
  let removed = await workbench.sweep(olderThanMs)
  const latest = Date.now() - olderThanMs
  let keys: string[] = []
  for await (const { key, keptAt } of depot.all()) {
    if (keptAt.getTime() > latest) continue
    keys.push(key)
    if (keys.length < AT_ONCE) continue
    removed += await removeOrphans(keys)
    keys = []
  }
  return removed + (await removeOrphans(keys))

  async function removeOrphans(among: readonly string[]): Promise<number> {
    if (among.length === 0) return 0
    const orphans = await keysWithoutItem(sql, among)
    for (const key of orphans) await depot.remove(key)
    return orphans.length
  }
}
