import {
  type AnyEventType,
  destinationStatuses,
  destinationStatusNames,
  type DestinationStatus,
  type EventType,
  postEventTypeNames,
  type PostEventType,
} from '@postrider/contract/names'
import { type Change, envelope, type PostChange, postEnvelope } from '../outbox/envelope.ts'
import { NIL_UUID } from '../../platform/text/nil-uuid.ts'
import { uuidv7 } from '../../platform/text/uuid.ts'

const MINUTE_MS = 60_000

/** An invented event of this type, under a new id. */
export function sampleEvent(
  type: AnyEventType,
  workspaceId: string,
): { eventId: string; type: AnyEventType; body: Buffer } {
  const eventId = uuidv7()
  const at = new Date()
  const body = isPostEvent(type)
    ? postEnvelope(eventId, samplePostChange(type, workspaceId, at))
    : envelope(eventId, type, sampleChange(type, workspaceId, at))
  return { eventId, type, body: Buffer.from(body) }
}

function isPostEvent(type: AnyEventType): type is PostEventType {
  return postEventTypeNames.some((name) => name === type)
}

/** The type of a test event for an endpoint that subscribes to these: what an endpoint would never get proves nothing. */
export function sampleTypeFor(subscribed: readonly AnyEventType[]): AnyEventType {
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

const sampleOf: Record<PostEventType, Pick<PostChange, 'changed' | 'approval' | 'duplicate'>> = {
  'post.created': {},
  'post.edited': { changed: ['text'] },
  'approval.requested': {
    approval: {
      status: 'pending',
      reviewUrl: 'https://example.com/test-review',
      expiresAt: '2030-01-01T00:00:00.000Z',
    },
  },
  'approval.decided': { approval: { status: 'approved', note: 'This is a test event: nobody decided.' } },
  'post.duplicate_found': {
    duplicate: {
      channelId: NIL_UUID,
      part: 0,
      remoteId: 'test-2',
      releaseUrl: 'https://example.com/test-post-2',
      firstRemoteId: 'test',
      firstReleaseUrl: 'https://example.com/test-post',
    },
  },
}

function samplePostChange(type: PostEventType, workspaceId: string, at: Date): PostChange {
  const by = { type: 'person', name: 'Test' } as const
  return { workspaceId, postId: NIL_UUID, channelIds: [NIL_UUID], by, at, type, ...sampleOf[type] }
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
