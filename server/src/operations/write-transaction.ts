import { codeOf, type Db, type Tx } from '../platform/db.ts'

/** Serialization failures and deadlocks: the write is retried in a new transaction. */
const COLLISIONS = ['40001', '40P01']
const TRIES = 3

/** Runs something in the transaction that is open, or in one of its own. */
export function within<T>(sql: Db | Tx, run: (tx: Tx) => Promise<T>): Promise<T> {
  return 'begin' in sql ? sql.begin(run) : run(sql)
}

/**
 * Runs a write in one transaction. A refusal rolls it back: it has changed nothing. `run` may be called again when its
 * transaction collides with another one.
 */
export async function writeInTransaction<T>(db: Db, run: (tx: Tx) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await db.begin(run)
    } catch (fault) {
      if (tries === TRIES || !COLLISIONS.includes(codeOf(fault) ?? '')) throw fault
    }
  }
}

/** Runs a transaction that is committed even when it resolves with a refusal, such as one that has to be recorded. */
export async function commitDespiteRefusal<T>(db: Db, run: (tx: Tx) => Promise<T>): Promise<T> {
  const { outcome } = await db.begin(async (tx) => ({ outcome: await run(tx) }))
  return outcome
}
