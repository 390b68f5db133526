import pg from 'pg'
import { DatabaseAway } from '../../src/platform/postgres/errors.ts'

/** What PostgreSQL answers with this SQLSTATE. */
export function answered(code: string): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError(`as ${code} says`, 1, 'error'), { code })
}

/** What the system says, with this code, of the way to the database. */
export function unreachable(code: string): DatabaseAway {
  return DatabaseAway.because(Object.assign(new Error(`as ${code} says`), { code }))
}
