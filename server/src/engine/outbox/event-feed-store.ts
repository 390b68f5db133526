import type { AnyEventType } from '@postrider/contract'
import type { Db, Sql } from '../../platform/postgres/db.ts'

/**
 * After which event a reader of the feed stands; `eventId` is null before the first one. The id proves that the event
 * of this `seq` is the one that was read: a restored database may assign a `seq` a second time.
 */
export type FeedPosition = { readonly seq: string; readonly eventId: string | null }

export type FeedPage = {
  /** The envelopes, as they were recorded. */
  readonly bodies: Buffer[]
  /** After the last of them. */
  readonly position: FeedPosition
  readonly hasMore: boolean
}

/** The feed cannot be continued from a position: what follows it was removed, or belongs to another history. */
export type FeedExpired = { readonly expired: true; readonly oldest: FeedPosition }

/** What of the feed is wanted; null for all. */
export type FeedFilter = {
  readonly since: Date | null
  readonly type: string | null
  readonly postId: string | null
  /** Labels that its post has now, all of them, as labels are compared; null for any. */
  readonly labels: readonly string[] | null
}

const EVERYTHING: FeedFilter = { since: null, type: null, postId: null, labels: null }

/** How many events one page looks at to find those that match. */
export const SCANNED = 5_000

/**
 * The next events of a workspace that match, in the order they were recorded, none left out; null begins with the oldest. A
 * page looks at a bounded number of events, and stands after the last that it looked at: it may have none that match.
 */
export async function readFeed(
  db: Db,
  workspaceId: string,
  after: FeedPosition | null,
  limit: number,
  filter: FeedFilter = EVERYTHING,
): Promise<FeedPage | FeedExpired> {
  type Row = { startSeq: string; startId: string | null; known: boolean } & (
    | { seq: string; eventId: string; body: Buffer | null }
    | { seq: null }
  )
  const scanned = filter === EVERYTHING ? limit : SCANNED
  const horizon = await eventHorizon(db)
  const rows = await db<Row[]>`
    select feed.start_seq::text as "startSeq", feed.start_id as "startId", feed.known,
           e.seq::text as seq, e.id as "eventId", case when e.fits then e.body end as body
    from   (
      select coalesce(s.seq, 0) as start_seq, s.event_id as start_id,
             coalesce(${after?.seq ?? null}::bigint, s.seq, 0) as after_seq,
             exists (
               select from outbox_event
               where  workspace_id = ${workspaceId} and seq = ${after?.seq ?? null}::bigint
               and    id = ${after?.eventId ?? null}::uuid) as known
      from   (select) one
      left   join event_feed_start s on s.workspace_id = ${workspaceId}
    ) feed
    left   join lateral (  -- compared and ordered by both, so that no plan walks through other workspaces' events
      select seq, id, body, ${fits(db, filter)} as fits
      from   outbox_event
      where  (workspace_id, seq) > (${workspaceId}, feed.after_seq)
      and    (workspace_id, seq) <= (${workspaceId}, ${horizon}::bigint)
      order  by workspace_id, seq
      limit  ${scanned + 1}
    ) e on true
    order  by e.seq`
  const start = { seq: rows[0]?.startSeq ?? '0', eventId: rows[0]?.startId ?? null }
  if (after !== null && !canContinue(after, start, rows[0]?.known === true))
    return { expired: true, oldest: start }

  const found = rows.flatMap((row) => (row.seq === null ? [] : [row]))
  const looked = untilFull(found.slice(0, scanned), limit)
  const last = looked.at(-1)
  return {
    bodies: looked.flatMap(({ body }) => body ?? []),
    position: last === undefined ? (after ?? start) : { seq: last.seq, eventId: last.eventId },
    hasMore: found.length > looked.length,
  }
}

/** The events up to the one that fills the page. */
function untilFull<Row extends { readonly body: Buffer | null }>(rows: readonly Row[], limit: number): Row[] {
  const fitting = rows.flatMap(({ body }, index) => (body === null ? [] : [index]))
  return rows.slice(0, (fitting[limit - 1] ?? rows.length - 1) + 1)
}

function fits(sql: Sql, filter: FeedFilter) {
  if (filter === EVERYTHING) return sql`true`
  const { since, type, postId, labels } = filter
  const labelled = (labels ?? []).map(
    (key) => sql`
    and exists (
      select from post_label l
      where  l.workspace_id = outbox_event.workspace_id and l.label_key = ${key} and l.post_id = outbox_event.post_id)`,
  )
  return sql`
    (${since}::timestamptz is null or created_at >= ${since}) and (${type}::text is null or type = ${type})
    and (${postId}::uuid is null or post_id = ${postId}) ${labelled.reduce((all, one) => sql`${all} ${one}`, sql``)}`
}

/** How far the times of events may stray from the order in which they were recorded: longer than any transaction. */
const STRAY_MINUTES = 10

/** Where a reader begins who wants the events since then: somewhat before it. Null for the beginning of the feed. */
export async function feedBefore(sql: Sql, workspaceId: string, since: Date): Promise<FeedPosition | null> {
  const [before] = await sql<FeedPosition[]>`
    select e.seq::text as seq, e.id as "eventId"
    from   outbox_event e
    where  (e.workspace_id, e.seq) < (${workspaceId}, 9223372036854775807) and e.workspace_id >= ${workspaceId}
    and    e.created_at < ${since}::timestamptz - ${STRAY_MINUTES} * interval '1 minute'
    order  by e.workspace_id desc, e.seq desc
    limit  1`
  if (before === undefined) return null
  const [start] = await sql<{ seq: string }[]>`
    select seq::text as seq from event_feed_start where workspace_id = ${workspaceId}`
  return start === undefined || BigInt(before.seq) > BigInt(start.seq) ? before : null
}

/** Whether every event after the position is still there. `known`: whether the event of the position is. */
function canContinue(after: FeedPosition, start: FeedPosition, known: boolean): boolean {
  const [at, from] = [BigInt(after.seq), BigInt(start.seq)]
  return at === from ? after.eventId === start.eventId : at > from && known
}

/**
 * The position after everything that has been recorded: where a reader begins who wants only what comes. An event that is
 * kept for its delivery may be from before the beginning of the feed.
 */
export async function feedEnd(db: Db, workspaceId: string): Promise<FeedPosition> {
  const horizon = await eventHorizon(db)
  const [last] = await db<FeedPosition[]>`
    select e.seq::text as seq, e.id as "eventId"
    from   outbox_event e
    where  (e.workspace_id, e.seq) <= (${workspaceId}, ${horizon}::bigint) and e.workspace_id >= ${workspaceId}
    order  by e.workspace_id desc, e.seq desc
    limit  1`
  const [start = { seq: '0', eventId: null }] = await db<FeedPosition[]>`
    select seq::text as seq, event_id as "eventId" from event_feed_start where workspace_id = ${workspaceId}`
  return last !== undefined && BigInt(last.seq) > BigInt(start.seq) ? last : start
}

/**
 * The latest events of a workspace, the latest first, of one type or channel where that is given; `before` is the place of the last one of
 * the page before.
 */
export async function latestEvents(
  sql: Sql,
  workspaceId: string,
  {
    type = null,
    channelId = null,
    before,
    limit,
  }: { type?: AnyEventType | null; channelId?: string | null; before: string | null; limit: number },
): Promise<{ seq: string; body: Buffer }[]> {
  return sql<{ seq: string; body: Buffer }[]>`
    select e.seq::text as seq, e.body
    from   outbox_event e
    where  (e.workspace_id, e.seq) < (${workspaceId}, coalesce(${before}::bigint, 9223372036854775807))
    and    e.workspace_id >= ${workspaceId} and (${type}::text is null or e.type = ${type})
    ${channelId === null ? sql`` : sql`and ${isOnChannel(sql, channelId)}`}
    order  by e.workspace_id desc, e.seq desc
    limit  ${limit}`
}

/** Whether an `outbox_event e` is about a channel: only events that are have its id in their body. */
function isOnChannel(sql: Sql, channelId: string) {
  return sql`position(convert_to(${channelId}, 'UTF8') in e.body) > 0`
}

/** Up to which `seq` a statement that begins after this one sees all that will ever be there. */
export async function eventHorizon(sql: Sql): Promise<string> {
  const [row] = await sql<[{ horizon: string }]>`select event_horizon()::text as horizon`
  return row.horizon
}
