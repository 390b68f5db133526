import { codeOf } from '../process/error-code.ts'

/** Serialization failures and deadlocks: PostgreSQL has undone one of two transactions, which works when it runs again. */
const COLLISIONS = ['40001', '40P01']
const TRIES = 3

/** Runs what may be run again, and does so, at once and twice at most, where a transaction of it collides with another one. */
export async function retryCollisions<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await run()
    } catch (fault) {
      if (tries === TRIES || !COLLISIONS.includes(codeOf(fault) ?? '')) throw fault
    }
  }
}
