import type { DestinationStatus } from '@postrider/contract'
import type { Sql } from '../../platform/postgres/db.ts'

/*
 * An occurrence of a series waits while an earlier one on its channel is in doubt or has no access: what is not resolved is not
 * posted again by its successor. A claim passes over what waits; what ends the wait has its channel looked at again.
 */

/** The status of the earlier occurrence that a destination, the row `d` or `b`, waits for; null for none. */
export function waitsFor(sql: Sql, row: 'd' | 'b' = 'd') {
  const own = sql(row)
  return sql`
    case when ${own}.series_id is not null and ${own}.status in ('scheduled', 'delayed') then (
      select e.status
      from   destination e
      where  e.workspace_id = ${own}.workspace_id and e.series_id = ${own}.series_id and e.channel_id = ${own}.channel_id
      and    e.publish_at < ${own}.publish_at
      and    e.filed_as in ('checking', 'reconnect_required')  -- literals, so that destination_in_series applies
      order  by e.publish_at
      limit  1) end`
}

/** Why it waits, in words. */
export function waitReason(status: DestinationStatus | null): string | null {
  if (status === null) return null
  return status === 'checking'
    ? 'Waits until it is known whether the previous occurrence was published on this channel.'
    : 'Waits until the channel is reconnected and the previous occurrence is published.'
}
