import type { Sql } from '../../platform/postgres/db.ts'
import { randomOf } from '../../platform/text/random.ts'

/** A compare-and-swap value without meaning: 144 random bits, as 24 characters of base64url. */
export function newToken(): string {
  return randomOf(18).toString('base64url')
}

/** The same in SQL, for statements that change many rows: 244 random bits. */
export function freshToken(sql: Sql) {
  return sql`replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')`
}
