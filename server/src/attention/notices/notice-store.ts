import { writeInTransaction } from '../../edge/operations/write-transaction.ts'
import { noticeKinds } from '@postrider/contract/names'
import { eventHorizon } from '../../engine/outbox/event-feed-store.ts'
import { type Db, type Sql, type Tx, useIndexPlans } from '../../platform/postgres/db.ts'
import type { VersionEnd } from '../../networks/channels/version-ends.ts'
import { steadyKinds, troubledSince, troublesOf } from './trouble-store.ts'

/** How many events one transaction looks at. */
const EVENTS = 20_000
/** How many notices one transaction gives their place. */
const TOLD = 5_000
/** What has no events is looked at so often. */
const LOOK_SECONDS = 60
/** What comes at the same time is one mail. */
const GATHER_SECONDS = 20

/** Whether there is anything to look at: one statement, which writes nothing. */
async function isDue(db: Db): Promise<boolean> {
  const [row] = await db<{ due: boolean }[]>`
    select event_seq < event_horizon() or looked_at < now() - ${LOOK_SECONDS} * interval '1 second'
           or exists (select from notice where seq is null and tell_at <= now()) as due
    from   notice_position`
  return row?.due ?? false
}

/** Notes what needs attention, and when its readers are mailed; one process at a time. `ends`: of the networks' versions. */
export async function noteTroubles(db: Db, ends: readonly VersionEnd[]): Promise<void> {
  if (!(await isDue(db))) return
  for (let more = true; more;) more = await writeInTransaction(db, (tx) => noteSome(tx, ends))
}

async function noteSome(tx: Tx, ends: readonly VersionEnd[]): Promise<boolean> {
  await useIndexPlans(tx)
  const [position] = await tx<{ eventSeq: string; lastSeq: string; stale: boolean }[]>`
    select event_seq::text as "eventSeq", last_seq::text as "lastSeq",
           looked_at < now() - ${LOOK_SECONDS} * interval '1 second' as stale
    from   notice_position
    for    update skip locked`
  if (position === undefined) return false
  const horizon = BigInt(await eventHorizon(tx))
  const from = BigInt(position.eventSeq)
  const upTo = horizon < from + BigInt(EVENTS) ? horizon : from + BigInt(EVENTS)
  if (upTo > from)
    await tx`
      insert into notice (workspace_id, kind, subject_id, mark, tell_at)
      ${troubledSince(tx, String(from), String(upTo))}
      on     conflict do nothing`
  if (position.stale) await noteSteady(tx, ends)
  const told = await tell(tx, position.lastSeq)
  await tx`
    update notice_position
    set    event_seq = greatest(event_seq, ${String(upTo)}::bigint), last_seq = last_seq + ${told},
           looked_at = case when ${position.stale} then now() else looked_at end`
  return upTo < horizon || told === TOLD
}

async function noteSteady(tx: Tx, ends: readonly VersionEnd[]): Promise<void> {
  for (const kind of steadyKinds) {
    await tx`
      insert into notice (workspace_id, kind, subject_id, mark, tell_at)
      select workspace_id, ${kind}, subject_id, mark, since + ${noticeKinds[kind].afterMinutes} * interval '1 minute'
      from   (${troublesOf(tx, kind, null, ends)}) now_troubled
      on     conflict do nothing`
  }
}

/** Gives what is due its place in the order, and has its readers mailed; says how many that were. */
async function tell(tx: Tx, lastSeq: string): Promise<number> {
  const told = await tx<{ workspaceId: string }[]>`
    with due as (
      select place, row_number() over (order by tell_at, subject_id) as nth
      from   (select ctid as place, tell_at, subject_id from notice where seq is null and tell_at <= now() order by tell_at limit ${TOLD}) first
    )
    update notice n
    set    seq = ${lastSeq}::bigint + due.nth
    from   due
    where  n.ctid = due.place and n.seq is null
    returning n.workspace_id as "workspaceId"`
  if (told.length === 0) return 0
  const workspaceIds = [...new Set(told.map(({ workspaceId }) => workspaceId))]
  // Who becomes a member later is not told of what was before.
  await tx`
    insert into notice_reader (workspace_id, member_id, told_to)
    select m.workspace_id, m.id, ${lastSeq}::bigint
    from   member m
    where  m.workspace_id = any (${workspaceIds}::uuid[]) and m.removed_at is null
    on     conflict do nothing`
  await tx`
    update notice_reader
    set    mail_at = greatest(now() + ${GATHER_SECONDS} * interval '1 second', quiet_until)
    where  workspace_id = any (${workspaceIds}::uuid[]) and mail_at is null`
  return told.length
}

const KEPT = '15 days'

/** Removes notices that are over: posts after the time for which they need attention, anything else once it does not any more. */
export async function pruneNotices(sql: Sql, limit: number, ends: readonly VersionEnd[]): Promise<number> {
  const still = steadyKinds.map(
    (kind) => sql`
      and not (n.kind = ${kind} and exists (
        select from (${troublesOf(sql, kind, null, ends)}) t
        where  t.workspace_id = n.workspace_id and t.subject_id = n.subject_id and t.mark = n.mark))`,
  )
  const { count } = await sql`
    delete from notice where (workspace_id, kind, subject_id, mark) in (
      select workspace_id, kind, subject_id, mark
      from   notice n
      where  n.noted_at < now() - ${KEPT}::interval ${still.reduce((all, one) => sql`${all} ${one}`, sql``)}
      limit  ${limit})`
  return count
}
