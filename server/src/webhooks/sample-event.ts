import {
  destinationStatuses,
  destinationStatusNames,
  type DestinationStatus,
  type EventType,
} from '@postrider/contract/names'
import { v7 as uuidv7 } from 'uuid'
import { envelope, type Change } from '../outbox/envelope.ts'
import { NIL_UUID } from '../platform/nil-uuid.ts'

const MINUTE_MS = 60_000

/** An invented event of this type, under a new id. */
export function sampleEvent(
  type: EventType,
  workspaceId: string,
): { eventId: string; type: EventType; body: Buffer } {
  const eventId = uuidv7()
  return {
    eventId,
    type,
    body: Buffer.from(envelope(eventId, type, sampleChange(type, workspaceId, new Date()))),
  }
}

/** The type of a test event for an endpoint that subscribes to these: what an endpoint would never get proves nothing. */
export function sampleTypeFor(subscribed: readonly EventType[]): EventType {
  return subscribed.includes('post.published') ? 'post.published' : (subscribed[0] ?? 'post.published')
}

/** An invented change that has this event: every field that such an event can carry is there. */
function sampleChange(type: EventType, workspaceId: string, at: Date): Change {
  const status = statusOf(type)
  const isOut = status === 'published' || status === 'partially_published'
  return {
    workspaceId,
    destinationId: NIL_UUID,
    postId: NIL_UUID,
    channelId: NIL_UUID,
    provider: 'test',
    status,
    publishAt: new Date(at.getTime() - MINUTE_MS),
    releaseUrl: isOut ? 'https://example.com/test-post' : null,
    checkAgainAt: status === 'delayed' ? new Date(at.getTime() + MINUTE_MS) : null,
    error: errorIn(status),
    at,
  }
}

function statusOf(type: EventType): DestinationStatus {
  const status = destinationStatusNames.find((name) => destinationStatuses[name].event === type)
  if (status === undefined) throw new Error(`No status has the event ${type}.`)
  return status
}

function errorIn(status: DestinationStatus): Change['error'] {
  const withError: readonly DestinationStatus[] = ['failed', 'reconnect_required', 'checking']
  if (!withError.includes(status)) return null
  return {
    code: 'test',
    message: 'This is a test event: nothing was published and nothing failed.',
    provider: 'test',
    retryable: status === 'failed',
  }
}
