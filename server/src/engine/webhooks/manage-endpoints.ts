import { allEventTypeNames, type AnyEventType } from '@postrider/contract/names'
import type { Db, Sql, Tx } from '../../platform/postgres/db.ts'
import { readTarget, targetFaults, type TargetRules } from '../../platform/outbound/outbound-guard.ts'
import type { Keyring } from '../../platform/sealing/sealing.ts'
import { uuidv7 } from '../../platform/text/uuid.ts'
import { within } from '../../edge/operations/write-transaction.ts'
import {
  insertTestDelivery,
  replayAll,
  replayFailed,
  resendDelivery,
  type DeliveryKey,
} from './delivery-log-store.ts'
import { ownerless } from './delivery-states.ts'
import { issueSecret } from './endpoint-secrets.ts'
import {
  activateEndpoint,
  changeEndpoint,
  countEndpoints,
  countSecrets,
  deleteEndpoint,
  disableEndpoint,
  endSecrets,
  findEndpoint,
  insertEndpoint,
  lockEndpoint,
  retireSecret,
  type Endpoint,
  type EndpointChange,
  type EndpointKey,
} from './endpoint-store.ts'
import { sampleEvent, sampleTypeFor } from './sample-event.ts'

/** How many endpoints a workspace may have: each one multiplies what every event costs. */
export const MAX_ENDPOINTS = 50

/** How many of these may be of one agent key or app: none takes all places. */
export const MAX_OWN_ENDPOINTS = 20

/** How long the previous secret signs after a rotation. */
export const OVERLAP_MS = 24 * 3_600_000

/** Each secret is a further signature in every header. */
const MAX_SECRETS = 4

/** Why something about endpoints was refused, in words for a person. */
export type EndpointRefusal = {
  readonly refused: string
  /** Whether it is the address that was refused. */
  readonly ofTarget?: true
  /** Whether there is no such endpoint. */
  readonly unknown?: true
}

/** A change as it was asked for, before it is checked. */
type WantedChange = Omit<EndpointChange, 'eventTypes'> & { eventTypes?: readonly string[] }

export type EndpointParts = {
  readonly db: Db | Tx
  readonly keyring: Pick<Keyring, 'seal'>
  readonly rules: TargetRules
}

const unknown: EndpointRefusal = { refused: 'Endpoint not found in this workspace.', unknown: true }
const tooMany: EndpointRefusal = { refused: `A workspace can have at most ${MAX_ENDPOINTS} endpoints.` }

/** Creates an endpoint. Its signing secret is in the answer, and can never be read again. */
export async function createEndpoint(
  { db, keyring, rules }: EndpointParts,
  workspaceId: string,
  wanted: { url: string; description: string; eventTypes: readonly string[]; autoReplay?: boolean },
  credentialId: string | null = null,
): Promise<{ endpoint: Endpoint; secret: string } | EndpointRefusal> {
  const checked = checkChange(wanted, rules)
  if ('refused' in checked) return checked
  const { url, eventTypes, description = '', autoReplay = false } = checked
  if (url === undefined || eventTypes === undefined)
    return { refused: 'An endpoint needs a URL and event types.' }
  return within(db, async (tx) => {
    const { all, own } = await countEndpoints(tx, workspaceId, credentialId)
    if (all >= MAX_ENDPOINTS) return tooMany
    if (own >= MAX_OWN_ENDPOINTS)
      return { refused: `A credential can have at most ${MAX_OWN_ENDPOINTS} endpoints. Delete one first.` }
    const key = { workspaceId, endpointId: uuidv7() }
    const endpoint = await insertEndpoint(tx, key, { url, eventTypes, description, autoReplay }, credentialId)
    return { endpoint, secret: await issueSecret(tx, keyring, key) }
  })
}

/** Changes what is given; what is pending goes to the new address. */
export async function updateEndpoint(
  { db, rules }: EndpointParts,
  key: EndpointKey,
  wanted: WantedChange,
): Promise<Endpoint | EndpointRefusal> {
  const checked = checkChange(wanted, rules)
  if ('refused' in checked) return checked
  return (await changeEndpoint(db, key, checked)) ?? unknown
}

/**
 * Gives the endpoint a new signing secret, shown only once. The one before signs beside it for 24 hours, or not at
 * all any more when `atOnce` says that it has leaked.
 */
export async function rotateSecret(
  { db, keyring }: EndpointParts,
  key: EndpointKey,
  { atOnce }: { atOnce: boolean },
): Promise<{ secret: string; overlapUntil: Date | null } | EndpointRefusal> {
  return within(db, async (tx) => {
    if ((await lockEndpoint(tx, key)) === null) return unknown
    if (atOnce) {
      await endSecrets(tx, key)
      return { secret: await issueSecret(tx, keyring, key), overlapUntil: null }
    }
    if ((await countSecrets(tx, key)) >= MAX_SECRETS)
      return {
        refused: `${MAX_SECRETS} secrets are already in use. Wait until the oldest ends, or rotate immediately.`,
      }
    const overlapUntil = await retireSecret(tx, key, OVERLAP_MS)
    return { secret: await issueSecret(tx, keyring, key), overlapUntil }
  })
}

/** Stops deliveries; what is pending is given up, and can be replayed later. */
export async function disable({ db }: EndpointParts, key: EndpointKey): Promise<Endpoint | EndpointRefusal> {
  return (await disableEndpoint(db, key)) ?? unknown
}

/** Disables an endpoint for good, and deletes its secrets. Gives when; null where there is no such endpoint. */
export async function remove({ db }: Pick<EndpointParts, 'db'>, key: EndpointKey): Promise<Date | null> {
  return within(db, async (tx) =>
    (await disableEndpoint(tx, key)) === null ? null : deleteEndpoint(tx, key),
  )
}

/** Resumes deliveries, from the next event on. */
export async function enable({ db }: EndpointParts, key: EndpointKey): Promise<Endpoint | EndpointRefusal> {
  return within(db, async (tx) => {
    const endpoint = await lockEndpoint(tx, key)
    if (endpoint === null) return unknown
    if (
      endpoint.disabledReason !== null &&
      ownerless.includes(endpoint.disabledReason) &&
      (await countEndpoints(tx, key.workspaceId)).all >= MAX_ENDPOINTS
    )
      return tooMany
    if ((await countSecrets(tx, key)) === 0)
      return { refused: 'The endpoint no longer has a signing secret. Rotate its secret first.' }
    return (await activateEndpoint(tx, key)) ?? unknown
  })
}

/**
 * Sends an invented event; its ids are all zeros, and its provider is `test`. Its type is one that the endpoint
 * subscribes to: the given one, else `post.published` or the first.
 */
export async function sendTest(
  { db }: EndpointParts,
  key: EndpointKey,
  wanted: string | null,
): Promise<{ eventId: string; type: AnyEventType } | EndpointRefusal> {
  if (wanted !== null && !isEventType(wanted)) return unknownType([wanted])
  const endpoint = await findActive(db, key)
  if ('refused' in endpoint) return endpoint
  const type = wanted ?? sampleTypeFor(endpoint.eventTypes)
  if (!endpoint.eventTypes.includes(type)) {
    const subscribed = endpoint.eventTypes.join(', ')
    return { refused: `The endpoint does not subscribe to ${type}. It subscribes to ${subscribed}.` }
  }
  const { eventId, ...event } = sampleEvent(type, key.workspaceId)
  await insertTestDelivery(db, { ...key, eventId }, event)
  return { eventId, type }
}

/** Sends one delivery again, whatever became of it before. */
export async function resend({ db }: EndpointParts, key: DeliveryKey): Promise<null | EndpointRefusal> {
  const endpoint = await findActive(db, key)
  if ('refused' in endpoint) return endpoint
  if (await resendDelivery(db, key)) return null
  return {
    refused: 'This event is not due to the endpoint, is being sent right now, or is no longer kept.',
  }
}

/** Sends everything again that was recorded since then, or only what failed. Gives how many deliveries. */
export async function replay(
  { db }: EndpointParts,
  key: EndpointKey,
  { since, onlyFailed }: { since: Date; onlyFailed: boolean },
): Promise<{ count: number } | EndpointRefusal> {
  const endpoint = await findActive(db, key)
  if ('refused' in endpoint) return endpoint
  return { count: onlyFailed ? await replayFailed(db, key, since) : await replayAll(db, key, since) }
}

async function findActive(db: Sql, key: EndpointKey): Promise<Endpoint | EndpointRefusal> {
  const endpoint = await findEndpoint(db, key)
  if (endpoint === null) return unknown
  return endpoint.status === 'active' ? endpoint : { refused: 'The endpoint is disabled. Enable it first.' }
}

function checkChange(
  { url, description, eventTypes, autoReplay }: WantedChange,
  rules: TargetRules,
): EndpointChange | EndpointRefusal {
  const target = url === undefined ? undefined : readTarget(url, rules)
  if (typeof target === 'string')
    return { refused: `The address is refused. ${targetFaults[target]}`, ofTarget: true }
  const types = eventTypes === undefined ? undefined : [...new Set(eventTypes)]
  if (types?.length === 0) return { refused: 'Choose at least one event type.' }
  if (types !== undefined && !types.every(isEventType))
    return unknownType(types.filter((type) => !isEventType(type)))
  if (description !== undefined && description.length > 200)
    return { refused: 'The description can have at most 200 characters.' }
  return {
    ...(target === undefined ? {} : { url: target.href }),
    ...(types === undefined ? {} : { eventTypes: types.filter(isEventType) }),
    ...(description === undefined ? {} : { description }),
    ...(autoReplay === undefined ? {} : { autoReplay }),
  }
}

function isEventType(text: string): text is AnyEventType {
  return allEventTypeNames.some((name) => name === text)
}

function unknownType(types: readonly string[]): EndpointRefusal {
  return {
    refused: `${types.join(', ')} is not an event type. Event types: ${allEventTypeNames.join(', ')}.`,
  }
}
