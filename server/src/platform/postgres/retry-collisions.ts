import { databaseWaits, type WaitCause } from './database-waits.ts'
import { databaseTrouble } from './errors.ts'

/** PostgreSQL has undone one of two transactions, which works when it runs again. */
const COLLISIONS: readonly WaitCause[] = ['serialization', 'deadlock']
const TRIES = 3

/** Runs what may be run again, and does so, at once and twice at most, where a transaction of it collides with another one. */
export async function retryCollisions<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await run()
    } catch (fault) {
      const trouble = databaseTrouble(fault)
      if (tries === TRIES || trouble?.is !== 'slow' || !COLLISIONS.includes(trouble.cause)) throw fault
      databaseWaits[trouble.cause] += 1
    }
  }
}
