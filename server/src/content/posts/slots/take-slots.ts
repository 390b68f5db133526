import { isSlot, nextOf, slotsBetween } from '../../../networks/channels/posting-times.ts'
import {
  type ChannelSlots,
  findSlots,
  lockSlots,
  PLANNED_AFTER,
  TAKEN_AFTER,
  takenAfter,
  takenOf,
} from '../../../engine/destinations/queue-slot-store.ts'
import type { PlannedTime } from '../../../engine/destinations/destination-store.ts'
import type { Sql, Tx } from '../../../platform/postgres/db.ts'
import type { Plan, PlannedDestination } from '../plan/plan.ts'
import { type Issue, latestTime } from '../create/plan-issues.ts'
import type { QueueRequest } from '../plan/publish-time.ts'
import { isGone, noneFree, noTimes, unknown } from '../slot-issues.ts'

/** A wish of one destination. `destinationId` is left out for one that begins. */
type SlotRequest = {
  readonly channelId: string
  readonly queueRequest: QueueRequest & { readonly pointer: string }
  readonly destinationId?: string
}

/** How many posting times are looked at by themselves, before all that is planned after them is read. */
const FIRST_LOOKS = 8
/** How often that is read, until one is free. */
const MOST_READS = 9

/**
 * Has others who want posting times of the channels that a plan wishes for wait until the transaction ends, and gives what decides on
 * them.
 */
export async function lockSlotsOfPlan(tx: Tx, workspaceId: string, plan: Plan): Promise<ChannelSlots[]> {
  return lockAndFind(tx, workspaceId, wishesOf(plan))
}

/** The plan with its posting times, of channels that were locked for it. */
export function takeSlotsOfPlan(
  tx: Tx,
  workspaceId: string,
  plan: Plan,
  locked: readonly ChannelSlots[],
): Promise<PlanWithSlots> {
  return fillPlan(tx, workspaceId, plan, { found: locked })
}

/** What would be planned on a channel besides what is: the times, and whether they would be held in its queue. */
export type AlsoPlanned = ReadonlyMap<string, readonly PlannedTime[]>

const NOTHING_ELSE: AlsoPlanned = new Map()

/** The same as they would be now, if this were planned, too. */
export async function findSlotsOfPlan(
  sql: Sql,
  workspaceId: string,
  plan: Plan,
  also: AlsoPlanned = NOTHING_ELSE,
): Promise<PlanWithSlots> {
  const queueRequests = wishesOf(plan)
  const found = queueRequests.length === 0 ? [] : await findSlotsOf(sql, workspaceId, queueRequests)
  return fillPlan(sql, workspaceId, plan, { found, also })
}

/** Posting times for wishes, each or why there is none, in the order of the wishes; others who want them wait until the transaction ends. */
export async function takeSlots(
  tx: Tx,
  workspaceId: string,
  queueRequests: readonly SlotRequest[],
): Promise<(PlannedTime | Issue)[]> {
  const found = await lockAndFind(tx, workspaceId, queueRequests)
  return resolve(tx, workspaceId, queueRequests, { found })
}

async function lockAndFind(
  tx: Tx,
  workspaceId: string,
  queueRequests: readonly SlotRequest[],
): Promise<ChannelSlots[]> {
  if (queueRequests.length === 0) return []
  const channelIds = queueRequests.map(({ channelId }) => channelId)
  // Sent together, in this order: what is read is what those before have taken.
  const [, found] = await Promise.all([
    lockSlots(tx, workspaceId, channelIds),
    findSlotsOf(tx, workspaceId, queueRequests),
  ])
  return found
}

export type PlanWithSlots = { readonly plan: Plan; readonly issues: readonly Issue[] }

/** What the destinations of a plan wish for, in their order. */
export function wishesOf({ destinations }: Plan): (SlotRequest & { readonly place: number })[] {
  return destinations.flatMap(({ channelId, queueRequest }, place) =>
    queueRequest === null ? [] : [{ channelId, queueRequest, place }],
  )
}

async function fillPlan(
  sql: Sql,
  workspaceId: string,
  plan: Plan,
  channels: Channels,
): Promise<PlanWithSlots> {
  const wishing = wishesOf(plan)
  return withSlots(plan, wishing.length === 0 ? [] : await resolve(sql, workspaceId, wishing, channels))
}

/** The plan with a posting time for each of its wishes, in their order, or why there is none. */
export function withSlots(plan: Plan, times: readonly (PlannedTime | Issue)[]): PlanWithSlots {
  const given = new Map(wishesOf(plan).map(({ place }, index) => [place, times[index]]))
  const destinations = plan.destinations.map((planned, place): PlannedDestination => {
    const time = given.get(place)
    if (time === undefined || planned.queueRequest === null || 'code' in time) return planned
    return { ...planned, time: { ...time, pointer: planned.queueRequest.pointer } }
  })
  return { plan: { ...plan, destinations }, issues: times.filter((time) => 'code' in time) }
}

function findSlotsOf(
  sql: Sql,
  workspaceId: string,
  queueRequests: readonly SlotRequest[],
): Promise<ChannelSlots[]> {
  return findSlots(
    sql,
    { workspaceId, exceptIds: idsOf(queueRequests) },
    queueRequests.map(({ channelId }) => channelId),
  )
}

function idsOf(queueRequests: readonly SlotRequest[]): string[] {
  return queueRequests.flatMap(({ destinationId }) => destinationId ?? [])
}

async function resolve(
  sql: Sql,
  workspaceId: string,
  queueRequests: readonly SlotRequest[],
  { found, also = NOTHING_ELSE }: Channels,
): Promise<(PlannedTime | Issue)[]> {
  const channels = new Map(found.map((channel) => [channel.channelId, channel]))
  const taking = { workspaceId, exceptIds: idsOf(queueRequests) }
  const lookingOn = (channelId: string): Look => ({
    at: async (instants) => new Set((await takenOf(sql, taking, channelId, instants)).map(Number)),
    after: (instant) => takenAfter(sql, taking, channelId, instant),
  })
  return Promise.all(
    queueRequests.map(async ({ channelId, queueRequest }): Promise<PlannedTime | Issue> => {
      const channel = channels.get(channelId)
      // Whether the workspace has the channel is what the check says.
      if (channel === undefined)
        return noTimes({ channelId, displayName: 'The channel' }, queueRequest.pointer)
      const slot = await slotFor(withAlso(channel, also), queueRequest, lookingOn(channelId))
      return slot instanceof Date ? { at: slot, queued: true } : slot
    }),
  )
}

type Channels = { readonly found: readonly ChannelSlots[]; readonly also?: AlsoPlanned }

/** A channel, and the instants at which something would be planned on it besides, in milliseconds since 1970. */
type Slots = ChannelSlots & { readonly held: ReadonlySet<number> }

function withAlso(channel: ChannelSlots, also: AlsoPlanned): Slots {
  const planned = also.get(channel.channelId) ?? []
  const queued = planned.filter((one) => one.queued).map(({ at }) => at.getTime())
  const last = Math.max(channel.last?.getTime() ?? -Infinity, ...queued)
  return {
    ...channel,
    last: last === -Infinity ? null : new Date(last),
    held: new Set(planned.map(({ at }) => at.getTime())),
  }
}

/** What is taken on a channel, in milliseconds since 1970. */
type Look = {
  /** Of these instants, those that are. */
  readonly at: (instants: readonly Date[]) => Promise<ReadonlySet<number>>
  /** The first after an instant, in order: `TAKEN_AFTER`, or all of them. */
  readonly after: (instant: Date) => Promise<readonly number[]>
}

async function slotFor(
  channel: Slots,
  { queue, pointer }: SlotRequest['queueRequest'],
  look: Look,
): Promise<Date | Issue> {
  const { postingTimes, timeZone, now, last, held } = channel
  if (postingTimes.length === 0) return noTimes(channel, pointer)
  if (queue instanceof Date) {
    if (!isSlot(postingTimes, timeZone, queue)) return unknown(channel, queue, pointer)
    const isTaken = held.has(queue.getTime()) || (await look.at([queue])).size > 0
    return !isTaken ? queue : isGone(channel, queue, pointer)
  }
  const after = queue === 'next' && last !== null && last > now ? last : now
  const range = { after, before: latestTime(now) }
  const between = () => without(slotsBetween(postingTimes, timeZone, range), held)
  const [upcoming] = queue === 'next' ? between() : []
  if (upcoming !== undefined && isKnownFree(channel, upcoming)) return upcoming
  const slots = between()
  const free = await firstFree(slots, look)
  return free ?? noneFree(channel, queue, pointer)
}

function* without(slots: Generator<Date>, held: ReadonlySet<number>): Generator<Date> {
  for (const slot of slots) if (!held.has(slot.getTime())) yield slot
}

/** The first posting time that is free; null where none is, or what is taken before one takes too long to read. */
async function firstFree(slots: Generator<Date>, look: Look): Promise<Date | null> {
  const first = nextOf(slots, FIRST_LOOKS)
  const takenFirst = await look.at(first)
  const free = first.find((at) => !takenFirst.has(at.getTime()))
  if (free !== undefined) return free
  let [slot] = nextOf(slots, 1)
  for (let reads = 0; slot !== undefined && reads < MOST_READS; reads++) {
    const taken = await look.after(new Date(slot.getTime() - 1))
    const isTaken = new Set(taken)
    // What is taken behind them was not read.
    const end = taken.length < TAKEN_AFTER ? Infinity : Math.max(...taken.slice(-1))
    while (slot !== undefined && slot.getTime() <= end) {
      if (!isTaken.has(slot.getTime())) return slot
      ;[slot] = nextOf(slots, 1)
    }
  }
  return null
}

/** Whether nothing has a posting time after the queue, by what was read with it. */
function isKnownFree({ plannedAfter }: ChannelSlots, at: Date): boolean {
  const last = plannedAfter.at(-1)
  const isKnown = plannedAfter.length < PLANNED_AFTER || (last !== undefined && at <= last)
  return isKnown && plannedAfter.every((planned) => planned.getTime() !== at.getTime())
}
