import { databaseTrouble, type DatabaseTrouble } from '../postgres/db.ts'
import { databaseWaits } from '../postgres/database-waits.ts'
import type { Blocker } from '../postgres/read-blockers.ts'
import type { Log } from '../process/log.ts'

/** Whether a fault is the database's and not ours, which is told and counted then. */
export type IsTrouble = (fault: unknown, doing?: string) => boolean

/** How long the same is not said again: loops try again several times a second, and requests come in between. */
const SAID_AGAIN_AFTER_MS = 30_000
/** For so long the database is asked who is in the way. */
const ASKED_MS = 2_000

const SAID: Readonly<Record<DatabaseTrouble['is'], string>> = {
  away: 'the database is away',
  slow: 'the database is slow or locked',
  full: 'the database has no room left',
}

type Options = {
  /** Asked when something waited too long. */
  readonly blockers?: () => Promise<readonly Blocker[]>
  readonly clock?: () => number
}

/**
 * Sorts each fault that a loop, a request or a command meets. What is the matter with the database is said once in 30 seconds by a
 * process, whatever meets it, and without a stack: it is no fault of who works with it.
 */
export function troubleReporter(
  log: Pick<Log, 'warn'>,
  { blockers = () => Promise.resolve([]), clock = () => performance.now() }: Options = {},
): IsTrouble {
  const saidAtMs = new Map<string, number>()

  function isNews(is: DatabaseTrouble['is']): boolean {
    const nowMs = clock()
    if (nowMs - (saidAtMs.get(is) ?? -Infinity) < SAID_AGAIN_AFTER_MS) return false
    saidAtMs.set(is, nowMs)
    return true
  }

  async function tellSlow(facts: object): Promise<void> {
    const limit = Promise.withResolvers<null>()
    const timer = setTimeout(limit.resolve, ASKED_MS, null)
    const blockedBy = await Promise.race([blockers().catch(() => null), limit.promise])
    clearTimeout(timer)
    log.warn({ ...facts, ...(blockedBy === null ? {} : { blockedBy }) }, SAID.slow)
  }

  return (fault, doing) => {
    const trouble = databaseTrouble(fault)
    if (trouble === null) return false
    if (trouble.is === 'slow') databaseWaits[trouble.cause] += 1
    if (!isNews(trouble.is)) return true
    const facts = { code: trouble.code, ...(doing === undefined ? {} : { doing }) }
    if (trouble.is === 'slow') void tellSlow({ ...facts, cause: trouble.cause })
    else log.warn(facts, SAID[trouble.is])
    return true
  }
}

/**
 * The same log, where what is the database's trouble takes the place of each line that would tell of it as a fault. So none of those
 * who log a fault can forget to sort it.
 */
export function withoutTroubles(log: Log, isTrouble: IsTrouble): Log {
  const sorted = Object.create(log) as Log
  for (const level of ['warn', 'error'] as const)
    sorted[level] = (facts: unknown, message?: string) => {
      const { err, doing } = facts as { err?: unknown; doing?: string }
      if (err === undefined || !isTrouble(err, doing)) log[level](facts, message)
    }
  return sorted
}
