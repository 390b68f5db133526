import { app } from '@postrider/contract'
import { restWaits } from '../../engine/destinations/destination-store.ts'
import type { Sql, Tx } from '../../platform/postgres/db.ts'

export type RunKey = { readonly workspaceId: string; readonly runId: string }

/** As it is kept; whether it has begun, its reader is told by its times. */
export type RunStatus = Exclude<app.BulkRun['status'], 'waiting'>

export type Refused = { readonly code: string; readonly detail: string }

/** The times that the channels of a post had, by their ids. */
export type Before = Readonly<Record<string, string>>

export type Run = RunKey & {
  readonly memberId: string
  readonly action: app.BulkAction
  readonly minutes: number | null
  /** What the member who decides has said of it. */
  readonly note: string | null
  readonly status: RunStatus
  readonly reason: string | null
  readonly beginsAt: Date | null
  readonly createdAt: Date
  readonly endedAt: Date | null
}

export type Item = {
  readonly place: number
  readonly postId: string
  /** What its member has seen: the edit token of the post, or the digest of the request. */
  readonly token: string
  /** The request that is decided; null where the post itself is changed. */
  readonly approvalId: string | null
  readonly before: Before | null
}

function runColumns(sql: Sql) {
  return sql`
    r.workspace_id as "workspaceId", r.id as "runId", r.member_id as "memberId", r.action, r.minutes, r.note, r.status, r.reason,
    r.look_at as "beginsAt", r.created_at as "createdAt", r.ended_at as "endedAt"`
}

export type NewRun = RunKey &
  Pick<Run, 'memberId' | 'action' | 'minutes' | 'note'> & {
    readonly items: readonly Pick<Item, 'postId' | 'token' | 'approvalId'>[]
    /** After how long it begins. */
    readonly delayMs: number
  }

export async function insertRun(tx: Tx, run: NewRun): Promise<void> {
  const { workspaceId, runId, memberId, action, minutes, note, items, delayMs } = run
  // Sent together, in this order.
  await Promise.all([
    tx`
      insert into bulk_run (workspace_id, id, member_id, action, minutes, note, status, look_at)
      values (${workspaceId}, ${runId}, ${memberId}, ${action}, ${minutes}, ${note}, 'running',
              now() + ${delayMs} * interval '1 ms')`,
    tx`
      insert into bulk_run_item (workspace_id, run_id, place, post_id, edit_token, approval_id)
      select ${workspaceId}, ${runId}, place, post_id, edit_token, approval_id
      from   unnest(${items.map(({ postId }) => postId)}::uuid[], ${items.map(({ token }) => token)}::text[],
                    ${items.map(({ approvalId }) => approvalId)}::uuid[])
               with ordinality as p (post_id, edit_token, approval_id, place)`,
  ])
}

/** Whether anything of these posts is to be published before so long. */
export async function isDueWithin(
  sql: Sql,
  workspaceId: string,
  postIds: readonly string[],
  withinMs: number,
): Promise<boolean> {
  const rows = await sql`
    select from destination
    where  workspace_id = ${workspaceId} and post_id = any(${[...postIds]}::uuid[]) and due_at < now() + ${withinMs} * interval '1 ms'
    limit  1`
  return rows.length > 0
}

export type DueRun = RunKey & Pick<Run, 'memberId'>

/** The actions of this release: what another one begins beside it is left to that one. */
const KNOWN = [...app.bulkActionNames]

/** Runs of which a post is to be done: of each workspace the one that has waited longest, then of each the next. */
export async function findDueRuns(sql: Sql, limit: number): Promise<DueRun[]> {
  return sql<DueRun[]>`
    select r.workspace_id as "workspaceId", r.id as "runId", r.member_id as "memberId"
    from   (
      select b.*, row_number() over (partition by b.workspace_id order by b.look_at, b.id) as rank
      from   bulk_run b
      where  b.look_at <= now() and b.action = any(${KNOWN})
    ) r
    order  by r.rank, r.look_at
    limit  ${limit}`
}

/** Milliseconds until a run is to be looked at, 0 when one is; null for none. */
export async function nextLookInMs(sql: Sql): Promise<number | null> {
  const [row] = await sql<{ ms: number | null }[]>`
    select (extract(epoch from min(look_at) - now()) * 1000)::float8 as ms from bulk_run where look_at is not null and action = any(${KNOWN})`
  return row?.ms == null ? null : Math.max(0, row.ms)
}

/** Locks a run that is due until the transaction ends; null where another process has it, or it has ended meanwhile. */
export async function lockDueRun(tx: Tx, { workspaceId, runId }: RunKey): Promise<Run | null> {
  const [run] = await tx<Run[]>`
    select ${runColumns(tx)}
    from   bulk_run r
    where  r.workspace_id = ${workspaceId} and r.id = ${runId} and r.look_at <= now()
    for    no key update skip locked`
  return run ?? null
}

/** Locks a run until the transaction ends; waits for the post that is being done. Null when the workspace has none of this id. */
export async function lockRun(tx: Tx, { workspaceId, runId }: RunKey): Promise<Run | null> {
  const [run] = await tx<Run[]>`
    select ${runColumns(tx)}
    from   bulk_run r
    where  r.workspace_id = ${workspaceId} and r.id = ${runId}
    for    no key update`
  return run ?? null
}

/** The next post of a run; the way back begins with the last one. Null for none. */
export async function nextItem(tx: Tx, { workspaceId, runId, status }: Run): Promise<Item | null> {
  const [item] = await tx<Item[]>`
    select place, post_id as "postId", edit_token as token, approval_id as "approvalId", before
    from   bulk_run_item
    where  workspace_id = ${workspaceId} and run_id = ${runId} and status = ${status === 'undoing' ? 'done' : 'waiting'}
    order  by ${status === 'undoing' ? tx`place desc` : tx`place`}
    limit  1`
  return item ?? null
}

/** The times of what a move changes of a post. */
export async function scheduledTimes(
  tx: Tx,
  { workspaceId }: Pick<Run, 'workspaceId'>,
  { postId }: Pick<Item, 'postId'>,
): Promise<Before> {
  const [row] = await tx<[{ times: Before }]>`
    select coalesce(json_object_agg(channel_id, publish_at), '{}') as times
    from   destination d
    where  d.workspace_id = ${workspaceId} and d.post_id = ${postId} and (d.status = 'scheduled' or ${restWaits(tx)})`
  return row.times
}

export type Became =
  | { readonly status: 'done' | 'undone'; readonly token: string; readonly before: Before | null }
  | { readonly status: 'refused' | 'kept'; readonly refusal: Refused }

/** Notes what became of a post, and has its run wait for its next turn. The lock on the run is the caller's. */
export async function noteItem(
  tx: Tx,
  { workspaceId, runId, status }: Run,
  place: number,
  became: Became,
): Promise<void> {
  const of = tx`workspace_id = ${workspaceId} and run_id = ${runId} and place = ${place}`
  const awaited = status === 'undoing' ? 'done' : 'waiting'
  await Promise.all([
    'refusal' in became
      ? tx`
        update bulk_run_item set status = ${became.status}, refusal = ${tx.json(became.refusal)}
        where  ${of} and status = ${awaited}`
      : tx`
        update bulk_run_item
        set    status = ${became.status}, edit_token = ${became.token},
               before = ${became.before === null ? null : tx.json(became.before)}
        where  ${of} and status = ${awaited}`,
    tx`update bulk_run set look_at = clock_timestamp() where workspace_id = ${workspaceId} and id = ${runId}`,
  ])
}

/** Ends a run, for this reason where that is before its last post. The lock on it is the caller's. */
export async function endRun(
  tx: Tx,
  { workspaceId, runId }: RunKey,
  status: 'done' | 'stopped' | 'undone',
  reason: string | null = null,
): Promise<void> {
  await tx`
    update bulk_run set status = ${status}, reason = ${reason}, look_at = null, ended_at = now()
    where  workspace_id = ${workspaceId} and id = ${runId}`
}

/** Has a run take back what it has done, with the rights of this member. The lock on it is the caller's. */
export async function beginUndo(tx: Tx, { workspaceId, runId }: RunKey, memberId: string): Promise<void> {
  await tx`
    update bulk_run set status = 'undoing', member_id = ${memberId}, reason = null, look_at = now(), ended_at = null
    where  workspace_id = ${workspaceId} and id = ${runId}`
}

const SHOWN_REFUSALS = 100

/** A run with what its reader is told of it. */
export type ShownRun = Run & {
  readonly startedBy: string
  readonly now: Date
  readonly counts: Readonly<Record<'waiting' | 'done' | 'refused' | 'undone' | 'kept', number>>
  readonly refusals: readonly (Refused & { readonly postId: string; readonly text: string })[]
}

function shownColumns(sql: Sql) {
  return sql`
    ${runColumns(sql)}, p.name as "startedBy", clock_timestamp() as now,
    (select json_build_object(
              'waiting', count(*) filter (where i.status = 'waiting'), 'done', count(*) filter (where i.status = 'done'),
              'refused', count(*) filter (where i.status = 'refused'), 'undone', count(*) filter (where i.status = 'undone'),
              'kept', count(*) filter (where i.status = 'kept'))
     from   bulk_run_item i
     where  i.workspace_id = r.workspace_id and i.run_id = r.id) as counts,
    (select coalesce(json_agg(json_build_object(
              'postId', i.post_id, 'code', i.refusal ->> 'code', 'detail', i.refusal ->> 'detail', 'text', i.text) order by i.place), '[]')
     from   (
       select i.*, coalesce((
                select t.text
                from   destination d
                join   part t on t.workspace_id = d.workspace_id and t.destination_id = d.id and t.index = 0
                where  d.workspace_id = i.workspace_id and d.post_id = i.post_id
                order  by d.id
                limit  1), '') as text
       from   bulk_run_item i
       where  i.workspace_id = r.workspace_id and i.run_id = r.id and i.refusal is not null
       order  by i.place
       limit  ${SHOWN_REFUSALS}) i) as refusals`
}

const SHOWN_RUNS = 20

/** What goes on in a workspace, and what has ended within the last ten minutes, newest first. */
export async function listRuns(sql: Sql, workspaceId: string): Promise<ShownRun[]> {
  return sql<ShownRun[]>`
    select ${shownColumns(sql)}
    from   bulk_run r
    join   member m on m.workspace_id = r.workspace_id and m.id = r.member_id
    join   person p on p.id = m.person_id
    where  r.workspace_id = ${workspaceId} and (r.look_at is not null or r.ended_at > now() - interval '10 minutes')
    order  by r.id desc
    limit  ${SHOWN_RUNS}`
}

export async function findRun(sql: Sql, { workspaceId, runId }: RunKey): Promise<ShownRun | null> {
  const [run] = await sql<ShownRun[]>`
    select ${shownColumns(sql)}
    from   bulk_run r
    join   member m on m.workspace_id = r.workspace_id and m.id = r.member_id
    join   person p on p.id = m.person_id
    where  r.workspace_id = ${workspaceId} and r.id = ${runId}`
  return run ?? null
}

/** Removes what became of posts in runs that have ended and are older than `days`, at most `limit` at once, then the runs; says how many rows. */
export async function pruneRuns(tx: Tx, days: number, limit: number): Promise<number> {
  const isOld = tx`r.look_at is null and r.created_at < now() - ${days} * interval '1 day'`
  const [items, runs] = await Promise.all([
    tx`
      delete from bulk_run_item
      where  ctid = any (array(
        select i.ctid
        from   bulk_run r
        join   bulk_run_item i on i.workspace_id = r.workspace_id and i.run_id = r.id
        where  ${isOld}
        limit  ${limit}))`,
    tx`
      delete from bulk_run
      where  ctid = any (array(
        select r.ctid
        from   bulk_run r
        where  ${isOld}
        and    not exists (select from bulk_run_item i where i.workspace_id = r.workspace_id and i.run_id = r.id)
        limit  ${limit}))`,
  ])
  return items.count + runs.count
}
