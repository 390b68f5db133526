import type { Db, Fragment, Sql } from '../../../platform/postgres/db.ts'

/** What is counted, and whose uses of it. */
export type Counted = { readonly policy: string; readonly name: string }

/** What was not needed of what was granted in the minute that ends then. */
export type Unneeded = { readonly count: number; readonly endsAt: Date }

export type GrantRequest = Counted & {
  readonly perMinute: number
  /** For callers who wait. */
  readonly wanted: number
  /** How many may be needed within a second, in all. */
  readonly ahead: number
  readonly unneeded: Unneeded | null
}

export type Grant = {
  readonly granted: number
  /** In this minute, granted to all processes. */
  readonly used: number
  readonly endsAt: Date
  readonly leftMs: number
}

/** Where what all processes may use together is counted. */
export type SharedCounts = {
  readonly grant: (request: GrantRequest) => Promise<Grant>
  readonly giveBack: (unneeded: readonly (Counted & Unneeded)[]) => Promise<void>
}

export function sharedCounts(db: Db): SharedCounts {
  return { grant: (request) => grant(db, request), giveBack: (unneeded) => giveBack(db, unneeded) }
}

/** What is granted ahead is at most this part of what is left: others find something, and the last uses are counted one by one. */
const AHEAD_PART = 8
const MINUTE = '60 seconds'

async function grant(
  sql: Sql,
  { policy, name, perMinute, wanted, ahead, unneeded }: GrantRequest,
): Promise<Grant> {
  const { count, endsAt } = unneeded ?? { count: 0, endsAt: null }
  const next = sql`date_trunc('milliseconds', clock_timestamp()) + ${MINUTE}::interval`
  const ofLeft = (left: Fragment) =>
    sql`least(greatest(${wanted}::int, least(${ahead}::int, (${left}) / ${AHEAD_PART}::int)), ${left})`
  const [row] = await sql<[Grant]>`
    insert into rate_count as counted (policy, name, used, granted, ends_at)
    select ${policy}, ${name}, given, given, ${next}
    from   (select ${ofLeft(sql`${perMinute}::int`)} as given) fresh
    on conflict (policy, name) do update set (used, granted, ends_at) = (
      select used + given, given, ends
      from   (
        select case when is_over then 0 else least(greatest(counted.used - unneeded, 0), ${perMinute}::int) end as used,
               case when is_over then ${next} else counted.ends_at end as ends
        from   (select counted.ends_at <= clock_timestamp() or counted.ends_at > ${next} as is_over, -- later: the clock was set back
                       case when counted.ends_at = ${endsAt}::timestamptz then ${count}::int else 0 end as unneeded) looked
      ) before,
      lateral (select ${ofLeft(sql`${perMinute}::int - used`)} as given) then_given
    )
    returning granted, used, ends_at as "endsAt", extract(epoch from ends_at - clock_timestamp())::float8 * 1000 as "leftMs"`
  return row
}

async function giveBack(sql: Sql, unneeded: readonly (Counted & Unneeded)[]): Promise<void> {
  await sql`
    update rate_count counted set used = greatest(counted.used - back.count, 0)
    from   unnest(${unneeded.map(({ policy }) => policy)}::text[], ${unneeded.map(({ name }) => name)}::text[],
                  ${unneeded.map(({ count }) => count)}::int[], ${unneeded.map(({ endsAt }) => endsAt)}::timestamptz[])
             as back (policy, name, count, ends_at)
    where  counted.policy = back.policy and counted.name = back.name and counted.ends_at = back.ends_at`
}

/** Removes counts of minutes that are over. */
export async function pruneRateCounts(sql: Sql, limit: number): Promise<number> {
  const { count } = await sql`
    delete from rate_count
    where  ctid = any (array(select ctid from rate_count where ends_at < now() limit ${limit}))`
  return count
}
