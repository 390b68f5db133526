import type { Sql } from '../../platform/postgres/db.ts'

/**
 * Until when a `channel c` is held, by a pause that its provider asked for or by an outage of its network; null when
 * nothing holds it. An outage ends by a probe that succeeds: its time is that of the next probe, and may have passed.
 */
export function heldUntil(sql: Sql) {
  return sql`greatest(
    case when c.paused_until > now() then c.paused_until end,
    (select max(o.probe_at) from network_outage o
     where  o.origin = c.provider_origin and (o.workspace_id is null or o.workspace_id = c.workspace_id)))`
}

/** Whether the network of a `channel c` is taken to be away, by its workspace or by all. */
export function isAway(sql: Sql) {
  return sql`exists (
    select from network_outage o
    where  o.origin = c.provider_origin and (o.workspace_id is null or o.workspace_id = c.workspace_id))`
}
