import type { Sql } from './db.ts'

/** Who holds a lock that statements wait for. What it says is of no interest, and may be of a customer: its first word tells its kind. */
export type Blocker = {
  readonly pid: number
  /** Null where this user may not see it, as what follows. */
  readonly application: string | null
  readonly state: string | null
  readonly transactionSeconds: number | null
  /** Such as UPDATE: of what it runs, or ran last. */
  readonly statement: string | null
  /** How many statements wait for it. */
  readonly waiting: number
}

/** Those that wait for nothing themselves, the oldest first. A prepared transaction has no process: its pid is 0. */
export function readBlockers(sql: Sql): Promise<Blocker[]> {
  return sql<Blocker[]>`
    with waiting as (
      select distinct pid, unnest(pg_blocking_pids(pid)) as blocker
      from   pg_stat_activity
      where  wait_event_type = 'Lock' and datname = current_database()
    )
    select   w.blocker as pid, a.application_name as application, a.state,
             extract(epoch from clock_timestamp() - a.xact_start)::int as "transactionSeconds",
             upper(substring(a.query from '^\\s*([A-Za-z]{1,20})\\y')) as statement, count(*)::int as waiting
    from     waiting w left join pg_stat_activity a on a.pid = w.blocker
    where    w.blocker not in (select pid from waiting)
    group by w.blocker, a.application_name, a.state, a.xact_start, a.query
    order by a.xact_start nulls last, w.blocker
    limit    5`
}
