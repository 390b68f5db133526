import type { Db } from '../platform/db.ts'

/* Milliseconds until the next of a kind is due, 0 when one is due just now; null when none is waiting. */

/** Of what is to be published. */
export async function nextDueInMs(db: Db): Promise<number | null> {
  const [row] = await db<Next[]>`
    select (extract(epoch from min(due_at) - now()) * 1000)::float8 as ms
    from   destination
    where  status in ('scheduled', 'delayed', 'partially_published') and due_at > now()`
  return notNegative(row)
}

/** Of what providers are processing, and what is to be polled. */
export async function nextPollInMs(db: Db): Promise<number | null> {
  const [row] = await db<Next[]>`
    select (extract(epoch from min(due_at) - now()) * 1000)::float8 as ms
    from   destination
    where  status = 'publishing' and lease_until is null and due_at > now()`
  return notNegative(row)
}

/** Of what is in doubt, and is to be looked up. */
export async function nextDoubtInMs(db: Db): Promise<number | null> {
  const [row] = await db<Next[]>`
    select (extract(epoch from min(due_at) - now()) * 1000)::float8 as ms
    from   destination
    where  status = 'checking' and due_at > now()`
  return notNegative(row)
}

type Next = { ms: number | null }

/** Not `greatest` of SQL, which passes over null: an empty queue would be due at once, again and again. */
function notNegative(row: Next | undefined): number | null {
  return row?.ms == null ? null : Math.max(0, row.ms)
}
