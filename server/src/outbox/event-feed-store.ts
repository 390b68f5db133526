import type { Db } from '../platform/db.ts'

/**
 * Where a reader of the feed stands. Events are read in windows of transaction ids: [`from`, `to`) holds only
 * transactions that have ended, so nothing can appear in it any more; inside a window the order is that of `seq`.
 * `seq` alone would not do: it is given out before the commit, so a lower one may become visible after a higher one
 * was read. The id alone would not do either: a transaction that waited for another's row has the lower id, and the
 * later event. Such two never stand in different windows, since the one that waits ends last.
 */
export type FeedPosition = {
  readonly from: string
  /** Null between windows. */
  readonly to: string | null
  /** The last event read of this window. */
  readonly seq: string
}

export const feedBegin: FeedPosition = { from: '0', to: null, seq: '0' }

export type FeedPage = {
  /** The envelopes, as they were recorded. */
  readonly bodies: Buffer[]
  readonly position: FeedPosition
  readonly hasMore: boolean
}

/** The next events of a workspace, in the order they were recorded, none left out. */
export async function readFeed(
  db: Db,
  workspaceId: string,
  { from, to, seq }: FeedPosition,
  limit: number,
): Promise<FeedPage> {
  type Row = { horizon: string; seq: string | null; body: Buffer | null }
  // The first window is all of history: the index on seq gives it in order. Later ones are short, and are found by
  // their transactions; materialised, lest the planner walks through all of history to find them.
  const window =
    from === '0'
      ? db`
        select seq, body
        from   outbox_event, horizon
        where  workspace_id = ${workspaceId} and recorded_by < horizon.at and seq > ${seq}::bigint`
      : db`
        select seq, body
        from   (
          select e.seq, e.body
          from   outbox_event e, horizon
          where  e.workspace_id = ${workspaceId} and e.recorded_by >= ${from}::xid8 and e.recorded_by < horizon.at
          offset 0
        ) recent
        where  seq > ${seq}::bigint`
  const rows = await db<Row[]>`
    with horizon as materialized (
      select coalesce(${to}::xid8, pg_snapshot_xmin(pg_current_snapshot())) as at
    ),
    page as materialized (
      select * from (${window}) w order by seq limit ${limit + 1}
    )
    select horizon.at::text as horizon, page.seq::text as seq, page.body
    from   horizon
    left   join page on true
    order  by page.seq`
  const horizon = rows[0]?.horizon ?? from
  const found = rows.flatMap((row) =>
    row.body === null || row.seq === null ? [] : [{ seq: row.seq, body: row.body }],
  )
  const page = found.slice(0, limit)
  const hasMore = found.length > limit
  return {
    bodies: page.map(({ body }) => body),
    position: hasMore
      ? { from, to: horizon, seq: page.at(-1)?.seq ?? seq }
      : { from: horizon, to: null, seq: '0' },
    hasMore,
  }
}

/** The position after everything that has been recorded: what a reader begins at who wants only what comes. */
export async function feedEnd(db: Db): Promise<FeedPosition> {
  const [row] = await db<[{ at: string }]>`select pg_snapshot_xmin(pg_current_snapshot())::text as at`
  return { from: row.at, to: null, seq: '0' }
}
