import { pruneEventsExcept } from '../outbox/event-retention-store.ts'
import type { Sql } from '../../platform/postgres/db.ts'

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

/** Removes at most `limit` deleted endpoints to which no delivery is left; says how many. */
export async function pruneEndpoints(sql: Sql, limit: number): Promise<number> {
  const { count } = await sql`
    delete from endpoint
    where  id = any (array(
      select e.id from endpoint e
      where  e.deleted_at < now() - interval '1 day'
      and    not exists (select from delivery d where d.workspace_id = e.workspace_id and d.endpoint_id = e.id)
      limit  ${limit}))`
  return count
}

/** Removes at most `limit` events that were recorded more than `days` ago; says how many. One stays while a delivery of it is not settled. */
export function pruneEvents(sql: Sql, days: number, limit: number): Promise<number> {
  // Few, and found by the partial index.
  const owed = sql`select event_id from delivery where settled_at is null`
  return pruneEventsExcept(sql, owed, days, limit)
}
