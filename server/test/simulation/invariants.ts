import { destinationStatuses, type DestinationStatus } from '@postrider/contract'
import { waitOf } from '../../src/engine/queue/waits.ts'
import type { Intent } from '../../src/engine/queue/work.ts'
import type { DestinationRow, MemoryDb, PartRow } from './memory-store.ts'
import type { Network, NetworkPost } from './provider-network.ts'

/*
 * The promises of the engine, checked against what truly happened at the networks. The watch keeps its own books:
 * it believes neither the store's events nor the engine's evidence.
 */

type Seen = {
  status: DestinationStatus
  since: number
  publishAt: number | null
  token: number
  changes: number
}

export type Watch = {
  readonly seen: Map<DestinationRow, Seen>
  /** How many changes a destination had had when a token of it was first seen. */
  readonly tokens: Map<number, number>
  /** Which part each armed call is for. */
  readonly intents: Map<string, { readonly destinationId: string; readonly partIndex: number }>
  /** What each destination said when it was claimed last. */
  readonly pinned: Map<string, readonly string[]>
  /** The post of each part, as the networks have it. */
  readonly out: Map<PartRow, NetworkPost>
  /** What was announced last of each destination, and how many of its parts were out then. */
  readonly announced: Map<
    string,
    { readonly status: DestinationStatus; readonly wait: string | null; partsOut: number }
  >
  postsSeen: number
  eventsSeen: number
}

type World = { readonly db: MemoryDb; readonly network: Network; readonly watch: Watch }

export function watchChanges(db: MemoryDb): Watch {
  const watch: Watch = {
    seen: new Map(),
    tokens: new Map(),
    intents: new Map(),
    pinned: new Map(),
    out: new Map(),
    announced: new Map(),
    postsSeen: 0,
    eventsSeen: 0,
  }
  for (const row of db.destinations) {
    watch.seen.set(row, seenNow(row, 0))
    watch.tokens.set(row.controlToken, 0)
  }
  return watch
}

function seenNow(row: DestinationRow, changes: number): Seen {
  const { status, statusSince: since, publishAt, controlToken: token } = row
  return { status, since, publishAt, token, changes }
}

export function noteIntent(watch: Watch, { key, destinationId, partIndex }: Intent): void {
  watch.intents.set(key, { destinationId, partIndex })
}

/** I8, for commands: whether the destination has changed since this token was its own. */
export function isStale(watch: Watch, row: DestinationRow, token: number): boolean {
  return watch.seen.get(row)?.changes !== watch.tokens.get(token)
}

/** What truly speaks against another publish call: a post, a call under way, or one whose end is not known. */
export function isUnsafe({ network, watch }: World, row: DestinationRow): boolean {
  return (
    row.parts.some((part) => watch.out.has(part)) ||
    row.attempts.some(({ verdict }) => verdict === null || verdict === 'unknown') ||
    network.pending.some(({ body }) => watch.intents.get(body.key)?.destinationId === row.id)
  )
}

/** I5: a call says what its destination said when it was claimed. */
export function contentViolation(watch: Watch, { key, text }: { key: string; text: string }): string | null {
  const intent = watch.intents.get(key)
  if (intent === undefined) return `I1: a call was made without an arming: ${key}`
  const pinned = watch.pinned.get(intent.destinationId)?.[intent.partIndex]
  return pinned === text
    ? null
    : `I5: ${intent.destinationId} sends '${text}', and was claimed with '${pinned}'`
}

/** The first promise that does not hold now; null while all do. */
export function violationOf(world: World): string | null {
  return newPosts(world) ?? changesSince(world) ?? standingNow(world)
}

/** I1, I2, I3 and the order of threads, at the moment a post appears. */
function newPosts({ db, network, watch }: World): string | null {
  for (; watch.postsSeen < network.posts.length; watch.postsSeen += 1) {
    const post = network.posts[watch.postsSeen]
    const intent = watch.intents.get(post?.key ?? '')
    const row = db.destinations.find(({ id }) => id === intent?.destinationId)
    const part = row?.parts[intent?.partIndex ?? -1]
    if (post === undefined || row === undefined || part === undefined)
      return 'I1: a post that nobody asked for'
    const name = `part ${part.index} of ${row.id}`
    if (watch.out.has(part)) return `I1: ${name} is out twice`
    if (row.status !== 'publishing' && row.status !== 'checking') {
      return `${row.status === 'cancelled' ? 'I2' : 'I3'}: ${name} appears while it is ${row.status}`
    }
    const parent = row.parts[part.firstComment ? 0 : part.index - 1]
    if (post.parent !== idOf(watch, parent))
      return `order: ${name} does not answer to the part that it should`
    if (post.root !== idOf(watch, part.index === 0 ? undefined : row.parts[0])) {
      return `order: ${name} does not belong to its first part`
    }
    watch.out.set(part, post)
  }
  return null
}

function idOf(watch: Watch, part: PartRow | undefined): string | null {
  return part === undefined ? null : (watch.out.get(part)?.remoteId ?? 'nothing')
}

/** I7 and I8. */
function changesSince({ db, watch }: World): string | null {
  const told = new Map<string, number>()
  for (; watch.eventsSeen < db.events.length; watch.eventsSeen += 1) {
    const event = db.events[watch.eventsSeen]
    if (event !== undefined) told.set(event.destinationId, (told.get(event.destinationId) ?? 0) + 1)
  }
  for (const row of db.destinations) {
    const before = watch.seen.get(row)
    if (before === undefined) continue
    const events = told.get(row.id) ?? 0
    const changed =
      row.status !== before.status || row.statusSince !== before.since || row.publishAt !== before.publishAt
    const owed = changed && destinationStatuses[row.status].event !== null && !isAnnounced(watch, row) ? 1 : 0
    if (events > 0) {
      const partsOut = row.parts.filter(({ remoteId }) => remoteId !== null).length
      watch.announced.set(row.id, { status: row.status, wait: waitNow(row), partsOut })
    }
    if (events !== owed)
      return `I7: ${row.id} (${before.status} → ${row.status}) wrote ${events} events, not ${owed}`
    if (!changed) continue
    if (row.controlToken === before.token)
      return `I8: ${row.id} became ${row.status} and kept its control token`
    watch.seen.set(row, seenNow(row, before.changes + 1))
    watch.tokens.set(row.controlToken, before.changes + 1)
  }
  return null
}

/** Whether what it waits for is what it was last said to wait for: then nothing is announced again. */
function isAnnounced({ announced }: Watch, row: DestinationRow): boolean {
  const last = announced.get(row.id)
  const wait = waitNow(row)
  const partsOut = row.parts.filter(({ remoteId }) => remoteId !== null).length
  return wait !== null && last?.status === row.status && last.wait === wait && last.partsOut === partsOut
}

function waitNow({ status, error }: DestinationRow): string | null {
  const waits = status === 'delayed' || status === 'partially_published'
  const code = delayCodes.find((one) => one === error?.code)
  return waits && code !== undefined ? waitOf(status, code) : null
}

const delayCodes = [
  'rate_limited',
  'provider_unavailable',
  'not_reached',
  'not_recorded',
  'adapter_fault',
] as const

const nothingOut: readonly DestinationStatus[] = [
  'draft',
  'scheduled',
  'delayed',
  'reconnect_required',
  'failed',
  'cancelled',
]

/** I3, I4, I6, and one publication at a time per channel. */
function standingNow({ db, watch }: World): string | null {
  const busy = new Set<unknown>()
  for (const row of db.destinations) {
    const { id, status, parts } = row
    const inFlight = status === 'publishing'
    if (!inFlight && row.leaseUntil !== null)
      return `I6: ${id} is ${status}, and its lease is ${row.leaseUntil}`
    if (inFlight && row.leaseUntil === null && !isProcessing(row))
      return `I6: ${id} is publishing, and neither a worker nor its provider has it`
    if (inFlight && busy.has(row.channel)) return `${row.channel.id} has two publications at a time`
    if (inFlight) busy.add(row.channel)

    let known = 0
    for (const part of parts) {
      const post = watch.out.get(part)
      const name = `part ${part.index} of ${id}`
      if (part.remoteId !== null && part.remoteId !== post?.remoteId) {
        return `I4: ${name} is said to be ${part.remoteId}, and is ${post?.remoteId ?? 'not out'}`
      }
      if (post !== undefined && part.remoteId === null && !inFlight && status !== 'checking') {
        return `I3: ${name} is out as ${post.remoteId}, unknown to ${id}, which is ${status}`
      }
      if (part.remoteId === null) continue
      known += 1
      if (
        !row.attempts.some(({ partIndex, verdict }) => partIndex === part.index && verdict === 'published')
      ) {
        return `I4: ${name} is out, and there is no evidence of it`
      }
    }
    if (status === 'published' && known < parts.length)
      return `I4: ${id} is published, and has ${known} parts out`
    if (status === 'partially_published' && known === 0)
      return `I3: ${id} is partially published, and has no part out`
    if (known > 0 && nothingOut.includes(status)) return `I3: ${id} is ${status}, and has ${known} parts out`
  }
  return null
}

/** Whether the provider has an accepted call of it, and the row says when to poll. */
function isProcessing({ dueAt, attempts }: DestinationRow): boolean {
  return dueAt !== null && attempts.some(({ verdict, handle }) => verdict === null && handle !== null)
}

/** Whether the engine can ever prove the doubt: not where the network cannot be looked at, nor between equal doubts. */
export function canBeProven({ db, network }: Pick<World, 'db' | 'network'>, row: DestinationRow): boolean {
  const attempt = row.attempts.find(({ verdict }) => verdict === 'unknown')
  if (attempt === undefined) return true
  const job = attempt.handle === null ? undefined : network.processing.get(attempt.handle)
  if (job?.forgotten === false) return true
  if (row.channel.provider === 'blind') return false
  const mine = row.parts[attempt.partIndex]
  return !db.destinations.some(
    ({ channel, parts }) =>
      channel === row.channel &&
      parts.some((part) => part !== mine && part.text === mine?.text && part.status === 'checking'),
  )
}
