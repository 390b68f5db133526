import { setTimeout as delay } from 'node:timers/promises'
import { feedEnd, readFeed } from '../outbox/event-feed-store.ts'
import type { Db } from '../platform/db.ts'
import type { Outbound, OutboundAnswer } from '../platform/outbound-http.ts'
import { deliveryHeaders, signingKey } from './signing.ts'

export type Forwarding = {
  readonly db: Db
  readonly workspaceId: string
  readonly call: Outbound['call']
  readonly target: URL
  readonly secret: string
  readonly eventTypes: readonly string[]
  readonly onForwarded: (event: { id: string; type: string }, answer: OutboundAnswer) => void
  readonly signal: AbortSignal
}

const POLL_EVERY_MS = 300
const PAGE_SIZE = 100

/**
 * Sends each event that is recorded from now on to one address, signed as a delivery is, until the signal says stop.
 * Once each and one after the other: it is there for a developer who looks on, and nothing is stored of it.
 */
export async function forwardEvents(forwarding: Forwarding): Promise<void> {
  const { db, workspaceId, signal } = forwarding
  let position = await feedEnd(db, workspaceId)
  while (!signal.aborted) {
    const page = await readFeed(db, workspaceId, position, PAGE_SIZE)
    if ('expired' in page) {
      position = page.oldest
      continue
    }
    position = page.position
    for (const body of page.bodies) if (!signal.aborted) await forward(forwarding, body)
    if (!page.hasMore) await delay(POLL_EVERY_MS, undefined, { signal }).catch(() => undefined)
  }
}

async function forward(forwarding: Forwarding, body: Buffer): Promise<void> {
  const { target, secret, eventTypes, call, onForwarded, signal } = forwarding
  const event = JSON.parse(body.toString('utf8')) as { id: string; type: string }
  if (!eventTypes.includes(event.type)) return
  const timestamp = Math.floor(Date.now() / 1_000)
  const signed = { eventId: event.id, eventType: event.type, timestamp, body }
  const headers = deliveryHeaders(signed, [signingKey(secret)], { standardHeaders: true })
  onForwarded(event, await call({ method: 'POST', url: target, headers, body }, signal))
}
