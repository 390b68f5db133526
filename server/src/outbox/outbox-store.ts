import { destinationStatuses } from '@postrider/contract/names'
import type { Sql, Tx } from '../platform/db.ts'
import { uuidv7 } from '../platform/uuid.ts'
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
  await insertEvents(tx, events)
}

/** The same with the commit, in one statement with whatever else is written then. */
export function announceAtCommit(tx: Tx, changes: readonly (Change | PostChange)[]): void {
  const events = changes.flatMap(eventOf)
  if (events.length === 0) return
  tx.signal(EVENTS_CHANNEL)
  tx.deferPart('new_event', tx`new_event as (${insertEvents(tx, events)})`)
}

function insertEvents(tx: Tx, events: readonly EventRow[]) {
  const columns = tx`workspace_id, id, type, post_id, destination_id, body, created_at`
  const [event] = events
  // Most often it is one, which as values takes a fifth less than as JSON.
  if (event !== undefined && events.length === 1)
    return tx`
      insert into outbox_event (${columns})
      values (${event.workspace_id}, ${event.id}, ${event.type}, ${event.post_id}, ${event.destination_id},
              ${Buffer.from(event.body)}, ${event.created_at})`
  return tx`
    insert into outbox_event (${columns})
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
