import type { Fragment, Sql } from '../../platform/postgres/db.ts'

/**
 * Removes at most `limit` events that were recorded more than `days` ago, and moves the beginning of each feed past
 * them; says how many. Those whose ids `kept` selects stay.
 */
export async function pruneEventsExcept(
  sql: Sql,
  kept: Fragment,
  days: number,
  limit: number,
): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    with pruned as (
      delete from outbox_event
      where  ctid = any (array(
        select ev.ctid from outbox_event ev
        where  ev.created_at < now() - ${days} * interval '1 day'
        and    ev.id not in (${kept})
        limit  ${limit}
        for    update of ev skip locked))
      returning workspace_id, seq, id
    ),
    moved as (
      insert into event_feed_start as s (workspace_id, seq, event_id)
      select distinct on (workspace_id) workspace_id, seq, id
      from   pruned
      order  by workspace_id, seq desc
      on     conflict (workspace_id) do update
      set    seq = excluded.seq, event_id = excluded.event_id
      where  s.seq < excluded.seq
    )
    select count(*)::int as count from pruned`
  return row.count
}
