import { codeOf, type Db, type Tx } from '../platform/db.ts'
import { isRefusal, type Refusal } from './refusal.ts'

/** Serialization failures and deadlocks: the write is retried in a new transaction. */
const COLLISIONS = ['40001', '40P01']
const TRIES = 3

/** Carries a refusal out of a transaction that must not be committed. */
class RolledBack extends Error {
  override name = 'RolledBack'
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.refused)
    this.refusal = refusal
  }
}

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
      const outcome = await db.begin(async (tx) => {
        const outcome = await run(tx)
        if (isRefusal(outcome)) throw new RolledBack(outcome)
        return { outcome }
      })
      return outcome.outcome
    } catch (fault) {
      // It is the refusal that `run` returned.
      if (fault instanceof RolledBack) return fault.refusal as T
      if (tries === TRIES || !COLLISIONS.includes(codeOf(fault) ?? '')) throw fault
    }
  }
}
