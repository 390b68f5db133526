import type { Db, Tx } from '../../platform/postgres/db.ts'
import { retryCollisions } from '../../platform/postgres/retry-collisions.ts'

/** Runs something in the transaction that is open, or in one of its own. */
export function within<T>(sql: Db | Tx, run: (tx: Tx) => Promise<T>): Promise<T> {
  return 'begin' in sql ? sql.begin(run) : run(sql)
}

/**
 * Runs a write in one transaction. A refusal rolls it back: it has changed nothing. `run` may be called again when its
 * transaction collides with another one.
 */
export function writeInTransaction<T>(db: Db, run: (tx: Tx) => Promise<T>): Promise<T> {
  return retryCollisions(() => db.begin(run))
}

/** Runs a transaction that is committed even when it resolves with a refusal, such as one that has to be recorded. */
export async function commitDespiteRefusal<T>(db: Db, run: (tx: Tx) => Promise<T>): Promise<T> {
  const { outcome } = await db.begin(async (tx) => ({ outcome: await run(tx) }))
  return outcome
}
