import pg from 'pg'
import { codeOf } from '../process/error-code.ts'
import type { WaitCause } from './database-waits.ts'

/** What failed is the way to the database, and not a statement. */
export class DatabaseAway extends Error {
  override name = 'DatabaseAway'
  readonly code: string

  constructor(code: AwayCode, options?: ErrorOptions) {
    super(MEANING[code], options)
    this.code = code
  }

  /** What the system said of it, such as ECONNREFUSED; the driver's own errors have no code. */
  static because(cause: unknown): DatabaseAway {
    const away = new DatabaseAway('CONNECTION_CLOSED', { cause })
    const code = codeOf(cause)
    return code === undefined ? away : Object.assign(away, { code, message: (cause as Error).message })
  }
}

export type AwayCode = keyof typeof MEANING

export const MEANING = {
  CONNECT_TIMEOUT: 'No connection to the database within the time for it.',
  CONNECTION_CLOSED: 'The connection to the database was lost before the answer came.',
  CONNECTION_ENDED: 'The pool of connections to the database is closed.',
  QUERY_TIMEOUT: 'The database has not answered within the time limit of a statement.',
  POOL_TIMEOUT: 'No connection of the pool became free within the time limit.',
  READ_ONLY: 'None of the database’s hosts takes writes.',
  OLD_TIMELINE:
    'The database that answers was the primary before a failover, and lacks what was written since. If it was restored on purpose, restart this process.',
  NOT_REPLICATED: 'The database has given up waiting for its standby: the commit may be lost in a failover.',
}

/** A server that has become a standby answers this to a write, as does one whose operator has stopped writes. */
const READ_ONLY_TRANSACTION = '25006'

const AWAY = new Set([
  READ_ONLY_TRANSACTION,
  '53300', // too many connections
  '57P01', // terminated by an administrator
  '57P02', // after the crash of another backend
  '57P03', // starting up, shutting down
])

/** What this process has run out of keeps it from the database, and is no outage of that. */
const OWN_LIMITS = new Set(['EMFILE', 'ENFILE'])

/** What PostgreSQL, or a pool, cancels because it had to wait too long. */
const WAITS: Readonly<Record<string, WaitCause>> = {
  '57014': 'timeout',
  '55P03': 'lock',
  '40P01': 'deadlock',
  '40001': 'serialization',
  POOL_TIMEOUT: 'pool',
}

export type DatabaseTrouble =
  | { readonly is: 'away' | 'full'; readonly code: string }
  | { readonly is: 'slow'; readonly code: string; readonly cause: WaitCause }

/**
 * What is the matter with the database: gone, going or coming; slow or locked; without room. Null for what is not its doing, such as a
 * statement that is wrong, and for what others have said, whose code may be the same. All who meet a fault ask this.
 */
export function databaseTrouble(error: unknown): DatabaseTrouble | null {
  if (!isOfDatabase(error)) return error instanceof Error ? databaseTrouble(error.cause) : null
  const code = codeOf(error) ?? ''
  const cause = WAITS[code]
  if (cause !== undefined) return { is: 'slow', code, cause }
  if (OWN_LIMITS.has(code)) return null
  if (error instanceof DatabaseAway || AWAY.has(code) || code.startsWith('08')) return { is: 'away', code }
  // Class 53 is for want of disk or memory, 58030 an I/O error.
  return code === '58030' || /^53\d{3}$/.test(code) ? { is: 'full', code } : null
}

/** Whether the database, or the way to it, has said this. */
export function isOfDatabase(error: unknown): error is DatabaseAway | pg.DatabaseError {
  return error instanceof DatabaseAway || error instanceof pg.DatabaseError
}

export function isDatabaseAway(error: unknown): boolean {
  return databaseTrouble(error)?.is === 'away'
}

/** Whether it takes nothing now, of anybody: to do something else first would not help. */
export function isDatabaseDown(error: unknown): boolean {
  return isDatabaseAway(error) || isDatabaseFull(error)
}

/** Whether a server refused a write as a standby does, or every host of the database is one. */
export function isReadOnly(error: unknown): boolean {
  const code = isOfDatabase(error) ? codeOf(error) : undefined
  return code === READ_ONLY_TRANSACTION || code === 'READ_ONLY'
}

/** Whether the database refused a row because the named unique constraint or index already holds its key. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return error instanceof pg.DatabaseError && error.code === '23505' && error.constraint === constraint
}

/** Whether a statement failed for want of disk or memory. */
export function isDatabaseFull(error: unknown): boolean {
  return databaseTrouble(error)?.is === 'full'
}

/** Whether PostgreSQL cancelled a statement that ran longer than it may. */
export function isStatementTimeout(error: unknown): boolean {
  return codeOf(error) === '57014'
}

/** Whether a prepared statement no longer fits its tables, or is not known to the connection any more. */
export function isStalePlan(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false
  return error.code === '26000' || (error.code === '0A000' && error.routine === 'RevalidateCachedQuery')
}
