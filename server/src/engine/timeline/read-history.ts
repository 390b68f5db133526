import type { HistoryEntry } from '@postrider/contract'
import type { Sql } from '../../platform/postgres/db.ts'
import { type PostRef, readHappened } from './timeline-store.ts'
import { timelineOf } from './timeline.ts'

const ENTRIES = 100

/**
 * What happened to a post, as programs are told: without ids at networks, and without the deliveries to endpoints, of which each
 * credential knows its own alone.
 */
export async function readHistory(sql: Sql, key: PostRef): Promise<HistoryEntry[]> {
  const happened = await readHappened(sql, key, { withDeliveries: false })
  if (happened === null) return []
  const attempts = happened.attempts.map((attempt) => ({
    ...attempt,
    evidence: attempt.evidence.map(({ remoteId: _remoteId, ...evidence }) => evidence),
  }))
  const leftovers = happened.leftovers.map(({ remoteId: _remoteId, ...leftover }) => leftover)
  return timelineOf({ ...happened, attempts, leftovers })
    .slice(-ENTRIES)
    .map(({ tone: _tone, ...entry }) => entry)
}
