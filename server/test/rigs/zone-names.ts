import type { Sql } from '../../src/platform/postgres/db.ts'

/**
 * Every name of a time zone that this machine has, links and former names included: those of the database server's files, which are IANA's,
 * and those of Node. `Factory` is of no place.
 */
export async function zoneNames(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select name from pg_timezone_names where name !~ '^(posix|right)/' and name not in ('Factory', 'localtime', 'posixrules')`
  return [...new Set([...rows.map(({ name }) => name), ...Intl.supportedValuesOf('timeZone')])].toSorted()
}
