import { destinationStatuses } from '@postrider/contract/names'
import type { Sql, Tx } from '../../platform/postgres/db.ts'
import { uuidv7 } from '../../platform/text/uuid.ts'
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
  await tx`with ${insertEvents(tx, events)} select`
}

/** The same with the commit, in one statement with whatever else is written then, all events of the transaction: readers wait for none of them before. */
export function announceAtCommit(tx: Tx, changes: readonly (Change | PostChange)[]): void {
  const events = changes.flatMap(eventOf)
  if (events.length === 0) return
  tx.signal(EVENTS_CHANNEL)
  tx.deferRows('new_event', events, (rows) => insertEvents(tx, rows))
}

/**
 * Common table expressions that record events, and owe each to the endpoints that want it. They hold, until the transaction has ended, the
 * advisory lock of a writer of events, named after the last `seq` that was assigned before the first of theirs: readers go no further
 * than that (`event_horizon` of the schema).
 */
function insertEvents(tx: Tx, events: readonly EventRow[]) {
  return tx`
    writing as materialized (
      select pg_advisory_xact_lock_shared(
               720575940, ((case when is_called then last_value else 0 end) & 2147483647)::int)::text as locked
      from   outbox_event_seq_seq
    ),
    new_event as (
      insert into outbox_event (workspace_id, id, type, post_id, destination_id, body, created_at)
      ${selectEvents(tx, events)}
      where  writing.locked is not null
      returning workspace_id, id, type
    ),
    owed as (
      insert into delivery (workspace_id, endpoint_id, event_id, event_type)
      select e.workspace_id, e.id, new_event.id, new_event.type
      from   new_event
      cross  join lateral (
        select e.workspace_id, e.id, e.event_types
        from   endpoint e
        where  e.workspace_id = new_event.workspace_id and e.status = 'active'
        offset 0
      ) e
      where  new_event.type = any (e.event_types)
    )`
}

function selectEvents(tx: Tx, events: readonly EventRow[]) {
  const [event] = events
  // Most often it is one, which as values takes a fifth less than as JSON.
  if (event !== undefined && events.length === 1)
    return tx`
      select ${event.workspace_id}::uuid, ${event.id}::uuid, ${event.type}, ${event.post_id}::uuid, ${event.destination_id}::uuid,
             ${Buffer.from(event.body)}::bytea, ${event.created_at}::timestamptz
      from   writing`
  return tx`
      select workspace_id, id, type, post_id, destination_id, convert_to(body, 'UTF8'), created_at
      from   writing
      cross  join jsonb_to_recordset(${tx.json(events)}) as e (
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
