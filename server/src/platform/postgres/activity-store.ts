import type { Sql, Tx } from './db.ts'

/** What leaves a trace of its work; a publisher has its heartbeat in `worker`. */
export type ActivePart = 'webhooks' | 'mail' | 'housekeeping' | 'backup'

export type Activity = { readonly part: ActivePart; readonly ageSeconds: number }

/** More often than that it is not written down: each time costs a commit. */
const NOTED_EVERY_MS = 10_000

/** Writes down that a part has just done its work. */
export async function noteActivity(sql: Sql, part: ActivePart): Promise<void> {
  await sql`insert into activity (part) values (${part}) on conflict (part) do update set at = now()`
}

/** The same for a part that works all the time: called after each piece of work, it writes every ten seconds. */
export function activityNotes(sql: Sql, part: ActivePart): () => Promise<void> {
  let notedMs = -Infinity
  return async () => {
    const nowMs = performance.now()
    if (nowMs - notedMs < NOTED_EVERY_MS) return
    await noteActivity(sql, part)
    notedMs = nowMs
  }
}

/** Removes what was noted by the processes of a server whose database was copied. Its backups stay: they are of this content. */
export async function forgetActivity(tx: Tx): Promise<void> {
  await tx`delete from activity where part <> 'backup'`
}

export async function listActivity(sql: Sql): Promise<Activity[]> {
  return sql<Activity[]>`
    select part, abs(extract(epoch from now() - at))::float8 as "ageSeconds" from activity`
}
