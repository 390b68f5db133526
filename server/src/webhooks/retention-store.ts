import type { Sql } from '../platform/db.ts'

/** Removes at most `limit` attempts that ended more than `days` ago; says how many. */
export async function pruneDeliveryAttempts(sql: Sql, days: number, limit: number): Promise<number> {
  const { count } = await sql`
    delete from delivery_attempt
    where  ctid = any (array(
      select ctid from delivery_attempt where ended_at < now() - ${days} * interval '1 day' limit ${limit}))`
  return count
}

/**
 * Removes at most `limit` deliveries that were settled more than `days` ago; says how many. They are locked first: one that
 * is being queued again stays.
 */
export async function pruneDeliveries(sql: Sql, days: number, limit: number): Promise<number> {
  const { count } = await sql`
    delete from delivery
    where  ctid = any (array(
      select ctid from delivery
      where  created_at < now() - ${days} * interval '1 day' and status in ('delivered', 'failed')
      and    settled_at < now() - ${days} * interval '1 day'
      limit  ${limit}
      for    update skip locked))`
  return count
}

/**
 * Removes at most `limit` events that were recorded more than `days` ago, and moves the beginning of each feed past
 * them; says how many. An event stays as long as a delivery of it is not settled.
 */
export async function pruneEvents(sql: Sql, days: number, limit: number): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    with pruned as (
      delete from outbox_event
      where  ctid = any (array(
        select ev.ctid from outbox_event ev
        where  ev.created_at < now() - ${days} * interval '1 day'
        and    ev.id not in (  -- few, and found by the partial indexes
          select event_id from delivery where status = 'pending' union all select event_id from delivery where status = 'sending')
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
