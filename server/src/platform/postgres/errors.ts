import pg from 'pg'
import { codeOf } from '../process/error-code.ts'

/** What failed is the way to the database, and not a statement. */
export class DatabaseAway extends Error {
  override name = 'DatabaseAway'
  readonly code: AwayCode

  constructor(code: AwayCode, options?: ErrorOptions) {
    super(MEANING[code], options)
    this.code = code
  }
}

export type AwayCode = keyof typeof MEANING

const MEANING = {
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
  ...Object.keys(MEANING),
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  READ_ONLY_TRANSACTION,
  '53300', // too many connections
  '57P01', // terminated by an administrator
  '57P02', // after the crash of another backend
  '57P03', // starting up, shutting down
])

/** Whether the database is gone, going or coming, as opposed to having refused a statement. */
export function isDatabaseAway(error: unknown): boolean {
  const code = codeOf(error)
  if (code === undefined) return false
  // A Unix socket that is not there; a missing file has another call's name.
  if (code === 'ENOENT') return error instanceof Error && 'syscall' in error && error.syscall === 'connect'
  return AWAY.has(code) || code.startsWith('08')
}

/** Whether a server refused a write as a standby does, or every host of the database is one. */
export function isReadOnly(error: unknown): boolean {
  const code = codeOf(error)
  return code === READ_ONLY_TRANSACTION || code === 'READ_ONLY'
}

/** Whether the database refused a row because the named unique constraint or index already holds its key. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return error instanceof pg.DatabaseError && error.code === '23505' && error.constraint === constraint
}

/** Whether a statement failed for want of disk or memory: PostgreSQL's class 53, and I/O errors (58030). */
export function isDatabaseFull(error: unknown): boolean {
  const code = codeOf(error)
  return code === '58030' || /^53\d{3}$/.test(code ?? '')
}

/** What is the matter with the database, as the log tells it; null where the statement is to blame. */
export function databaseOutage(error: unknown): string | null {
  if (isDatabaseAway(error)) return 'the database is away'
  return isDatabaseFull(error) ? 'the database has no room left' : null
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
