import type { Db } from '../../platform/postgres/db.ts'
import { readSituation, type Situation } from './situation-store.ts'

const FRESH_MS = 5_000
const LIMIT_MS = 2_000

/** Null while the database cannot tell. */
export type WatchSituation = () => Promise<Situation | null>

/**
 * Tells how much waits. The database is asked at most once in five seconds, and for two seconds
 * at most.
 */
export function watchSituation(db: Db, onFault: (fault: unknown) => void): WatchSituation {
  let latest: { askedMs: number; found: Promise<Situation | null> } | null = null
  return () => {
    const nowMs = performance.now()
    if (latest === null || nowMs - latest.askedMs > FRESH_MS)
      latest = { askedMs: nowMs, found: look(db, onFault) }
    return latest.found
  }
}

async function look(db: Db, onFault: (fault: unknown) => void): Promise<Situation | null> {
  const limit = Promise.withResolvers<null>()
  const timer = setTimeout(() => limit.resolve(null), LIMIT_MS)
  const asked = readSituation(db).catch((fault: unknown) => {
    onFault(fault)
    return null
  })
  try {
    return await Promise.race([asked, limit.promise])
  } finally {
    clearTimeout(timer)
  }
}
