import type { Db } from './db.ts'

export type WorkerBeat = {
  readonly roles: string[]
  readonly host: string
  readonly pid: number
  readonly beatAgeMs: number
}

/** The workers that have not signed off, the latest beat first. Forgets those silent for more than a day. */
export async function workers(db: Db): Promise<WorkerBeat[]> {
  return db<WorkerBeat[]>`
    with forgotten as (delete from worker where beat_at < now() - interval '1 day')
    select roles, host, pid, extract(epoch from now() - beat_at)::float8 * 1000 as "beatAgeMs"
    from   worker
    where  beat_at >= now() - interval '1 day'
    order  by beat_at desc`
}
