import { setTimeout as delay } from 'node:timers/promises'
import type { Db } from '../../platform/postgres/db.ts'
import { NIL_UUID } from '../../platform/text/nil-uuid.ts'
import { claim, nextDueInMs, release, type Claimed } from './delivery-store.ts'
import type { Lane, QuickEndpoints, Tracker } from './in-flight.ts'
import { freeCapacity } from './slots.ts'

type Options = {
  readonly db: Db
  /** How many quick deliveries may be in flight at once. */
  readonly slots: number
  readonly leaseMs: number
  readonly inFlight: Tracker
  readonly quickEndpoints: QuickEndpoints
  /** Never rejects. */
  readonly start: (claimed: Claimed, lane: Lane) => Promise<void>
  readonly stopping: AbortSignal
}

const BATCH_SIZE = 256
/** How many deliveries may be in flight to one endpoint. */
const PER_ENDPOINT = 2
/**
 * The same of one that is known to be quick, while slots are free. It takes so many a second divided by the time from a claim to the
 * end of what was claimed, half a second under load: 80 a second that are answered after 250 ms do not fall behind.
 */
const PER_QUICK_ENDPOINT = 128
/** How often a dispatcher that waits for a free slot, or for other dispatchers, polls. */
const POLL_MS = 100
const SLOW_EVERY_MS = 100
/** While much is in flight, completions gather for this long, so that a claim finds more than one free place. */
const GATHER_MS = 4
const GATHER_FROM = 32
/** So long after a claim that found only a few the next one waits for more: it takes about as long for many as for one. */
const FEW = 8
const GATHER_FEW_MS = 25

/**
 * Claims due deliveries of both lanes, endpoint after endpoint, and starts them, until none is due or no place is free;
 * gives in how many milliseconds to claim again.
 */
export function claimLanes(options: Options): () => Promise<number | null> {
  const { db, slots, leaseMs, inFlight, quickEndpoints, start, stopping } = options
  const lastEndpoint = { quick: NIL_UUID, slow: NIL_UUID }
  let slowClaimedMs = -Infinity
  let last = { atMs: -Infinity, claimed: Infinity }

  async function claimLane(lane: Lane, free: number, favoured: readonly string[]): Promise<number> {
    const limit = Math.min(free, BATCH_SIZE)
    if (limit === 0) return 0
    const claims = await claim(db, {
      limit,
      perEndpoint: lane === 'slow' ? 1 : PER_ENDPOINT,
      favoured: { endpointIds: favoured, perEndpoint: PER_QUICK_ENDPOINT },
      failing: lane === 'slow',
      after: lastEndpoint[lane],
      except: lane === 'quick' ? inFlight.overdueEndpoints() : [],
      leaseMs,
    })
    if (stopping.aborted) {
      await release(db, claims)
      return 0
    }
    for (const claimed of claims) void start(claimed, lane)
    lastEndpoint[lane] = claims.at(-1)?.endpointId ?? lastEndpoint[lane]
    return claims.length
  }

  /** A claim reads every endpoint with something pending, and for the slow lane it seldom finds anything. */
  function isSlowClaimDue(): boolean {
    const nowMs = performance.now()
    if (nowMs - slowClaimedMs < SLOW_EVERY_MS) return false
    slowClaimedMs = nowMs
    return true
  }

  async function gather(): Promise<void> {
    if (inFlight.size() > GATHER_FROM) return delay(GATHER_MS)
    const waitMs = last.claimed > FEW ? 0 : last.atMs + GATHER_FEW_MS - performance.now()
    // Endings of deliveries in flight wake the loop, too; what stops, does not wait.
    if (waitMs > 0 && !stopping.aborted) await delay(waitMs)
  }

  async function claimBoth(withSlow: boolean): Promise<number> {
    const free = freeCapacity(slots, inFlight.counts())
    const [quick, slow] = await Promise.all([
      claimLane('quick', free.quick, free.mayBurst ? quickEndpoints.ids() : []),
      withSlow ? claimLane('slow', free.slow, []) : 0,
    ])
    last = { atMs: performance.now(), claimed: quick + slow }
    return quick + slow
  }

  return async () => {
    let withSlow = false
    let claimed = 0
    do {
      await gather()
      // Events wake this also where no endpoint wants them: a look takes less than two claims that find nothing.
      const dueInMs = last.claimed === 0 ? await nextDueInMs(db) : 0
      if (dueInMs !== 0) return dueInMs
      withSlow = isSlowClaimDue()
      claimed = await claimBoth(withSlow)
    } while (claimed > 0 && !stopping.aborted)
    if (!withSlow) return SLOW_EVERY_MS
    if (inFlight.size() > 0) return POLL_MS
    // What is due and was not claimed became due since then, or waits for what others have in flight.
    const dueInMs = await nextDueInMs(db)
    return dueInMs === 0 ? POLL_MS : dueInMs
  }
}
