import type { Sql } from '../../platform/postgres/db.ts'
import { heldUntil } from './holds.ts'
import { waitsFor } from './series-wait.ts'

/*
 * A channel publishes one post at a time: what is due waits behind what was due before. That is read, and written nowhere: the end
 * of a pause or an outage moves nothing, changes no token and announces nothing.
 */

/** More are not counted. */
const MAX_COUNTED = 100

/**
 * How many posts its `channel c` publishes before a `destination d`, in the order of claims: 0 where it is not due, or something else
 * holds it. Above `MAX_COUNTED`, it is some number above.
 */
export function aheadOf(sql: Sql) {
  return sql`
    case when d.status in ('scheduled', 'delayed', 'partially_published') and d.due_at <= now() and c.enabled and ${heldUntil(sql)} is null then (
      select count(*)
      from   (
        select from publication p where p.workspace_id = c.workspace_id and p.channel_id = c.id
        union  all
        (select
         from   destination b
         where  b.workspace_id = c.workspace_id and b.channel_id = c.id
         and    b.filed_as in ('scheduled', 'delayed', 'partially_published')  -- literals, so that destination_head applies
         and    (b.due_at, b.id) < (d.due_at, d.id) and b.expires_at > now()
         and    b.status <> 'publishing'  -- that is the publication
         and    (b.series_id is null or ${waitsFor(sql, 'b')} is null)
         order  by b.due_at, b.id
         limit  ${MAX_COUNTED + 1})
      ) before) else 0 end`
}

/** Why it waits, in words; null where nothing goes before it. */
export function lineReason(ahead: number): string | null {
  if (ahead === 0) return null
  if (ahead === 1) return 'Waits behind 1 post on this channel, which publishes one at a time.'
  return ahead > MAX_COUNTED
    ? `Waits behind more than ${MAX_COUNTED} posts on this channel, which publishes one at a time.`
    : `Waits behind ${ahead} posts on this channel, which publishes one at a time.`
}
