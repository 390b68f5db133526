import type { Fragment, Sql } from '../../platform/postgres/db.ts'
import type { Providers } from '../providers/port/port.ts'

/** A version of a network's API that all calls name, and the day from which it may no longer be answered. */
export type VersionEnd = { readonly provider: string; readonly name: string; readonly endsOn: string }

/** So long before it ends, operators and owners are told of it. */
export const WARN_DAYS = 31

const DAY_MS = 86_400_000

/** Of all versions that a network has published an end of. */
export function versionEnds(providers: Providers): VersionEnd[] {
  return [...providers.values()].flatMap(({ provider, apiVersion }) =>
    apiVersion === undefined || apiVersion.endsOn === null
      ? []
      : [{ provider, name: apiVersion.name, endsOn: apiVersion.endsOn }],
  )
}

/** Whether it ends within some days, or has ended. */
export function isEnding(endsOn: string, now: Date, days = WARN_DAYS): boolean {
  return endsAt(endsOn).getTime() < now.getTime() + days * DAY_MS
}

/** The beginning of the day, in UTC. */
export function endsAt(day: string): Date {
  return new Date(`${day}T00:00:00Z`)
}

/** Rows `provider, name, ends_at` of those of which people are to be told, by the clock of the database. */
export function endingVersions(sql: Sql, ends: readonly VersionEnd[]): Fragment {
  const rows = ends.map(({ endsOn, ...of }) => ({ ...of, ends_at: endsAt(endsOn).toISOString() }))
  return sql`
    select v.provider, v.name, v.ends_at
    from   jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as v (provider text, name text, ends_at timestamptz)
    where  v.ends_at < now() + ${WARN_DAYS} * interval '1 day'`
}
