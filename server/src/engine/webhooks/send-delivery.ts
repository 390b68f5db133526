import type { OutboundAnswer, OutboundRequest } from '../../platform/outbound/outbound-http.ts'
import type { Claimed, Completion } from './delivery-store.ts'
import { decide, errorOf, type AttemptError, type AttemptResult } from './retry-policy.ts'
import { deliveryHeaders, type SigningKey } from './signing.ts'

export type Sending = {
  readonly call: (request: OutboundRequest) => Promise<OutboundAnswer>
  /** The keys of the endpoint's secrets, newest first; null when they cannot be opened. */
  readonly openKeys: (claimed: Claimed) => readonly SigningKey[] | null
  readonly standardHeaders: boolean
  readonly random: () => number
}

/** Sends a claimed delivery once and decides what follows. Never throws. The timestamp is that of the claim, which it follows at once. */
export async function sendDelivery(sending: Sending, claimed: Claimed): Promise<Completion> {
  const { eventId, eventType, body } = claimed
  const unsent = (error: AttemptError) => completionOf(sending, claimed, { httpStatus: null, error }, 0)
  if (body === null) return unsent('event_pruned')
  const keys = sending.openKeys(claimed)
  if (keys === null || keys.length === 0) return unsent('secret_unreadable')

  const timestamp = Math.floor(claimed.claimedAt)
  const answer = await sending.call({
    method: 'POST',
    url: new URL(claimed.url),
    headers: deliveryHeaders({ eventId, eventType, timestamp, body }, keys, sending),
    body,
  })
  return completionOf(sending, claimed, resultOf(answer), answer.durationMs)
}

function resultOf(answer: OutboundAnswer): AttemptResult {
  if (!answer.arrived) return { httpStatus: null, error: errorOf(answer.reason) }
  const { status, headers } = answer.response
  return { httpStatus: status, retryAfter: headers['retry-after'] ?? null }
}

function completionOf(
  { random }: Sending,
  { workspaceId, endpointId, eventId, fence, attempt, claimedAt }: Claimed,
  result: AttemptResult,
  durationMs: number,
): Completion {
  const now = new Date(claimedAt * 1_000 + durationMs)
  const decision = decide(result, attempt, now, random())
  return { workspaceId, endpointId, eventId, fence, decision, httpStatus: result.httpStatus, durationMs }
}
