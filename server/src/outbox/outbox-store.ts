import { destinationStatuses } from '@postrider/contract/names'
import { v7 as uuidv7 } from 'uuid'
import type { Sql, Tx } from '../platform/db.ts'
import { envelope, type Change, type PostChange, postEnvelope } from './envelope.ts'

/** The channel on which it is said that events were recorded. */
export const EVENTS_CHANNEL = 'postrider_events'

/**
 * Writes one event for each change whose status has one, in the transaction that made the change:
 * every move of a destination calls this with the moved rows, so that no move is ever silent.
 * What happened to a post as a whole has its event, too.
 */
export async function announce(tx: Tx, changes: readonly (Change | PostChange)[]): Promise<void> {
  const events = changes.flatMap(eventOf)
  if (events.length === 0) return
  tx.signal(EVENTS_CHANNEL)
  await tx`
    insert into outbox_event (workspace_id, id, type, post_id, destination_id, body, created_at)
    select workspace_id, id, type, post_id, destination_id, convert_to(body, 'UTF8'), created_at
    from   jsonb_to_recordset(${tx.json(events)}) as e (
             workspace_id uuid, id uuid, type text, post_id uuid, destination_id uuid, body text, created_at timestamptz)`
}

type EventRow = {
  readonly [name in 'id' | 'workspace_id' | 'post_id' | 'created_at' | 'type' | 'body']: string
} & { readonly destination_id: string | null }

function eventOf(change: Change | PostChange): EventRow[] {
  const row = {
    id: uuidv7(),
    workspace_id: change.workspaceId,
    post_id: change.postId,
    created_at: change.at.toISOString(),
  }
  if ('type' in change)
    return [{ ...row, destination_id: null, type: change.type, body: postEnvelope(row.id, change) }]
  const type = destinationStatuses[change.status].event
  if (type === null) return []
  return [{ ...row, destination_id: change.destinationId, type, body: envelope(row.id, type, change) }]
}

/** The columns of a moved `destination d` that `announce` needs. */
export function changeColumns(sql: Sql) {
  return sql`
    d.workspace_id as "workspaceId", d.id as "destinationId", d.post_id as "postId", d.channel_id as "channelId",
    d.provider, d.status, d.publish_at as "publishAt", d.release_url as "releaseUrl",
    d.check_again_at as "checkAgainAt", d.error, now() as at`
}
