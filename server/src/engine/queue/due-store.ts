import type { Db } from '../../platform/postgres/db.ts'

/* Milliseconds until the next of a kind is due, 0 when one is due just now; null when none is waiting. */

/** `now`: some channel is to be looked at. `probe`: the time of some probe has come. `inMs`: when more is due than now. */
export type NextDue = { readonly now: boolean; readonly probe: boolean; readonly inMs: number | null }

/** Of what is to be published, by when its channel is looked at next; the end of a pause and the time of a probe count, too. */
export async function nextDue(db: Db): Promise<NextDue> {
  const [row] = await db<(Next & { now: boolean; probe: boolean })[]>`
    select (extract(epoch from least(
             (select min(look_at) from channel_queue where look_at > now() and look_at < 'infinity'),
             (select min(paused_until) from channel where paused_until > now()),
             (select min(probe_at) from network_outage where probe_at > now())) - now()) * 1000)::float8 as ms,
           exists (select from channel_queue where look_at <= now()) as now,
           exists (select from network_outage where probe_at <= now()) as probe`
  return { now: row?.now ?? false, probe: row?.probe ?? false, inMs: notNegative(row) }
}

/** Of what providers are processing, and what is to be polled. */
export async function nextPollInMs(db: Db): Promise<number | null> {
  const [row] = await db<Next[]>`
    select (extract(epoch from min(poll_at) - now()) * 1000)::float8 as ms
    from   publication
    where  poll_at > now()`
  return notNegative(row)
}

/** Of what is in doubt, and is to be looked up. */
export async function nextDoubtInMs(db: Db): Promise<number | null> {
  const [row] = await db<Next[]>`
    select (extract(epoch from min(due_at) - now()) * 1000)::float8 as ms
    from   destination
    where  filed_as = 'checking' and due_at > now()`
  return notNegative(row)
}

type Next = { ms: number | null }

/** Not `greatest` of SQL, which passes over null: an empty queue would be due at once, again and again. */
function notNegative(row: Next | undefined): number | null {
  return row?.ms == null ? null : Math.max(0, row.ms)
}
