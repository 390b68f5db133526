import type { InFlight } from './slots.ts'

export type Lane = 'quick' | 'slow'

export type Delivery = { readonly endpointId: string; readonly lane: Lane }

export type Tracker = {
  begun(delivery: Delivery): void
  /** Its attempt has ended: what is left is to store how. */
  answered(delivery: Delivery): void
  /** Nothing is left to do. */
  ended(delivery: Delivery): void
  counts(): InFlight
  size(): number
  /** The endpoints of the quick lane that have not answered within a second. */
  overdueEndpoints(): string[]
  /** Waits until none is left. */
  settled(): Promise<void>
}

const OVERDUE_AFTER_MS = 1_000

/** Keeps count of the deliveries that this dispatcher is sending. */
export function trackDeliveries(): Tracker {
  const all = new Set<Delivery>()
  /** When they began, the earliest first. */
  const unanswered = new Map<Delivery, number>()
  const idle: (() => void)[] = []
  let slow = 0

  function answered(delivery: Delivery): void {
    if (unanswered.delete(delivery) && delivery.lane === 'slow') slow -= 1
  }

  function overdue(): Delivery[] {
    const since = performance.now() - OVERDUE_AFTER_MS
    const late: Delivery[] = []
    for (const [delivery, begunMs] of unanswered) {
      if (begunMs >= since) break
      if (delivery.lane === 'quick') late.push(delivery)
    }
    return late
  }

  return {
    begun(delivery) {
      all.add(delivery)
      unanswered.set(delivery, performance.now())
      if (delivery.lane === 'slow') slow += 1
    },
    answered,
    ended(delivery) {
      answered(delivery)
      all.delete(delivery)
      if (all.size === 0) for (const resolve of idle.splice(0)) resolve()
    },
    counts() {
      const late = overdue().length
      return {
        quick: unanswered.size - slow - late,
        overdue: late,
        slow,
        storing: all.size - unanswered.size,
      }
    },
    size: () => all.size,
    overdueEndpoints: () => [...new Set(overdue().map(({ endpointId }) => endpointId))],
    settled: () => (all.size === 0 ? Promise.resolve() : new Promise((resolve) => void idle.push(resolve))),
  }
}

/** Endpoints whose last answer was a success within a second. */
export type QuickEndpoints = {
  note(endpointId: string, answer: { readonly succeeded: boolean; readonly durationMs: number }): void
  ids(): readonly string[]
}

const MAX_KNOWN = 1_000

export function rememberQuickEndpoints(): QuickEndpoints {
  const known = new Set<string>()
  return {
    note(endpointId, { succeeded, durationMs }) {
      if (!succeeded || durationMs > OVERDUE_AFTER_MS) known.delete(endpointId)
      else if (known.size < MAX_KNOWN) known.add(endpointId)
    },
    ids: () => [...known],
  }
}
