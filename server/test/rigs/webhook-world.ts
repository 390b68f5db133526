import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { eventTypeNames, type DestinationStatus } from '@postrider/contract'
import { Registry } from 'prom-client'
import { v7 as uuidv7 } from 'uuid'
import { createWorkspace } from '../../src/people/members/workspace-store.ts'
import type { Change } from '../../src/engine/outbox/envelope.ts'
import { announce } from '../../src/engine/outbox/outbox-store.ts'
import { openDb } from '../../src/platform/postgres/db.ts'
import { createLog } from '../../src/platform/process/log.ts'
import type { TargetRules } from '../../src/platform/outbound/outbound-guard.ts'
import { makeKeyring } from '../../src/platform/sealing/sealing.ts'
import { nextDueInMs } from '../../src/engine/webhooks/delivery-store.ts'
import type { Dispatcher } from '../../src/engine/webhooks/dispatcher.ts'
import type { EndpointParts } from '../../src/engine/webhooks/manage-endpoints.ts'
import { createEndpoint } from '../../src/engine/webhooks/manage-endpoints.ts'
import { startWebhooks, type WebhooksParts } from '../../src/engine/webhooks/start-webhooks.ts'
import { openWorld, type World } from './world.ts'
import { emailOf } from '../../src/platform/text/email-address.ts'

export const anywhere: TargetRules = { httpsOnly: true, trustedOrigins: 'any', trustedNetworks: [] }

/** A world with a workspace, in which events happen and are delivered. */
export type WebhookWorld = World & {
  readonly workspaceId: string
  readonly parts: EndpointParts
  /** The key that seals, for other processes. */
  readonly secretKey: string
  /** The lines that dispatchers logged. */
  readonly log: Record<string, unknown>[]
  /** Creates an endpoint for all event types, or for these. */
  anEndpoint(
    url: string,
    eventTypes?: readonly string[],
    autoReplay?: boolean,
  ): Promise<{ workspaceId: string; endpointId: string; secret: string }>
  /** Records an event of a destination that enters the status; gives the event's id. */
  happens(status?: DestinationStatus, more?: Partial<Change>): Promise<string>
  dispatcher(more?: Partial<WebhooksParts>): Promise<Dispatcher>
  /** Makes everything that waits for its time due now. */
  skipWaits(): Promise<void>
  /** Waits until no delivery is pending or being sent, skipping every wait; fails after `withinMs`. */
  settled(dispatcher: Dispatcher, withinMs?: number): Promise<void>
}

/** Opens such a world, on a database of its own or on the one given. */
export async function openWebhookWorld(given?: World): Promise<WebhookWorld> {
  const world = given ?? (await openWorld())
  const { db } = world
  const { workspaceId } = await createWorkspace(db, {
    name: 'Workspace',
    timeZone: 'UTC',
    owner: { name: 'Owner', email: emailOf('owner@localhost') },
  })
  const secretKey = randomBytes(32)
  const keyring = makeKeyring([secretKey])
  const parts = { db, keyring, rules: anywhere }
  const lines: Record<string, unknown>[] = []
  const log = createLog({
    level: 'info',
    destination: { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  })
  const running: { dispatcher: Dispatcher; close: () => Promise<void> }[] = []

  async function skipWaits(): Promise<void> {
    await db`update delivery set next_at = now() where status = 'pending' and next_at > now()`
  }

  return {
    ...world,
    workspaceId,
    parts,
    secretKey: secretKey.toString('base64'),
    log: lines,
    skipWaits,
    async anEndpoint(url, eventTypes = eventTypeNames, autoReplay = false) {
      const made = await createEndpoint(parts, workspaceId, { url, description: '', eventTypes, autoReplay })
      if ('refused' in made) throw new Error(made.refused)
      return { workspaceId, endpointId: made.endpoint.endpointId, secret: made.secret }
    },
    async happens(status = 'published', more = {}) {
      await db.begin((tx) => announce(tx, [aChange(workspaceId, status, more)]))
      const [event] = await db<{ id: string }[]>`select id from outbox_event order by seq desc limit 1`
      return event?.id ?? ''
    },
    async dispatcher(more = {}) {
      const own = openDb({ ...world.connection, applicationName: 'dispatcher' })
      const dispatcher = await startWebhooks({
        db: own,
        keyring,
        log,
        registry: new Registry(),
        rules: anywhere,
        concurrency: 64,
        standardHeaders: true,
        ...more,
      })
      running.push({ dispatcher, close: () => own.end({ timeout: 5 }) })
      return dispatcher
    },
    async settled(dispatcher, withinMs = 60_000) {
      const until = performance.now() + withinMs
      while ((await unsettled(db)) > 0) {
        if (performance.now() > until) throw new Error(`${await unsettled(db)} deliveries are not settled`)
        if ((await nextDueInMs(db)) !== null) await skipWaits()
        dispatcher.wake()
        await delay(20)
      }
    },
    async [Symbol.asyncDispose]() {
      for (const { dispatcher, close } of running) {
        await dispatcher.stop(500)
        await close()
      }
      await world[Symbol.asyncDispose]()
    },
  }
}

/** What a destination's move announces. */
export function aChange(workspaceId: string, status: DestinationStatus, more: Partial<Change> = {}): Change {
  return {
    workspaceId,
    destinationId: uuidv7(),
    postId: uuidv7(),
    channelId: uuidv7(),
    provider: 'sandbox-short',
    status,
    publishAt: new Date('2026-11-21T09:00:00Z'),
    releaseUrl: status === 'published' ? 'https://short.example/p/1' : null,
    checkAgainAt: null,
    error: null,
    at: new Date(),
    ...more,
  }
}

async function unsettled(db: World['db']): Promise<number> {
  const [row] = await db<[{ count: number }]>`
    select count(*)::int as count from delivery where status in ('pending', 'sending')`
  return row.count
}
