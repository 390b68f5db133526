import type { Sql } from '../../platform/postgres/db.ts'

/*
 * What a credential may do hangs on several rows: its own, its member's and its workspace's. Its writes join the locks of
 * all three; whatever narrows one of them stops the writes of that one first, and so is waited for or seen by each.
 */

/**
 * Waits for the writes under way that joined any of these ids, and keeps later ones waiting until the transaction ends:
 * what was written stands then, and what comes later finds out whether it still may.
 */
export async function stopWrites(tx: Sql, ...ids: readonly string[]): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended('writes ' || id, 0)) from ${inOrder(tx, ids)}`
}

/** Keeps these ids from being stopped until the transaction ends, beside other writes. */
export async function joinWrites(tx: Sql, ...ids: readonly string[]): Promise<void> {
  await tx`select pg_advisory_xact_lock_shared(hashtextextended('writes ' || id, 0)) from ${inOrder(tx, ids)}`
}

/** One order of locks. */
function inOrder(tx: Sql, ids: readonly string[]) {
  return tx`unnest(${ids.toSorted((a, b) => (a < b ? -1 : 1))}::text[]) as id`
}
