import { codeOf, databaseOutage } from '../postgres/db.ts'
import type { Log } from '../process/log.ts'

/** How long what is the matter with the database is not said again of the same work. */
const SAID_AGAIN_AFTER_MS = 30_000

/**
 * Tells the log what is the matter with the database, of each kind of work once in 30 seconds: loops try again several times a
 * second. Says whether it was that; a database that restarts, or has a full disk, is no fault of who works with it.
 */
export function troubleReporter(
  log: Pick<Log, 'warn'>,
  clock: () => number = () => performance.now(),
): (fault: unknown, doing: string) => boolean {
  const saidAtMs = new Map<string, number>()
  return (fault, doing) => {
    const trouble = databaseOutage(fault)
    if (trouble === null) return false
    const [what, nowMs] = [`${doing}: ${trouble}`, clock()]
    if (nowMs - (saidAtMs.get(what) ?? -Infinity) >= SAID_AGAIN_AFTER_MS) {
      saidAtMs.set(what, nowMs)
      log.warn({ code: codeOf(fault), doing }, trouble)
    }
    return true
  }
}
