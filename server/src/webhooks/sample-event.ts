import {
  destinationStatuses,
  destinationStatusNames,
  type DestinationStatus,
  type EventType,
} from '@postrider/contract'
import type { Change } from '../outbox/envelope.ts'
import { nilUuid } from './nil-uuid.ts'

const minuteMs = 60_000

/** An invented change that has this event: every field that such an event can carry is there. */
export function sampleChange(type: EventType, workspaceId: string, at: Date): Change {
  const status = statusOf(type)
  const isOut = status === 'published' || status === 'partially_published'
  return {
    workspaceId,
    destinationId: nilUuid,
    postId: nilUuid,
    channelId: nilUuid,
    provider: 'test',
    status,
    publishAt: new Date(at.getTime() - minuteMs),
    releaseUrl: isOut ? 'https://example.com/test-post' : null,
    checkAgainAt: status === 'delayed' ? new Date(at.getTime() + minuteMs) : null,
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
