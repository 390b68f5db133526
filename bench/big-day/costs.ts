import { cpuSecondsOfFamily } from '../measuring.ts'
import type { Db } from '../../server/src/platform/postgres/db.ts'

/** What work has cost so far. */
export type Costs = {
  publisherMs: number
  webhooksMs: number
  postgresMs: number
  walBytes: number
  statements: number
  commits: number
}

export type Payers = { publishers: readonly number[]; webhooks: number; postgres: number }

export async function readCosts(db: Db, { publishers, webhooks, postgres }: Payers): Promise<Costs> {
  const [row] = await db<[Pick<Costs, 'walBytes' | 'statements' | 'commits'>]>`
    select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as "walBytes",
           (select sum(calls)::float8 from pg_stat_statements s join pg_roles r on r.oid = s.userid
            where s.toplevel and s.query not like '%bench.%') as statements,
           (select xact_commit::float8 from pg_stat_database where datname = current_database()) as commits`
  const ms = (pids: readonly number[]) => pids.reduce((sum, pid) => sum + cpuSecondsOfFamily(pid), 0) * 1_000
  return { ...row, publisherMs: ms(publishers), webhooksMs: ms([webhooks]), postgresMs: ms([postgres]) }
}

export const noCosts: Costs = {
  publisherMs: 0,
  webhooksMs: 0,
  postgresMs: 0,
  walBytes: 0,
  statements: 0,
  commits: 0,
}

/** Adds to a sum what came between two readings. */
export function addCosts(sum: Costs, before: Costs, after: Costs): Costs {
  const names = Object.keys(sum) as (keyof Costs)[]
  return Object.fromEntries(names.map((name) => [name, sum[name] + after[name] - before[name]])) as Costs
}
