import type { InFlight } from './slots.ts'

export type Lane = 'quick' | 'slow'

export type Tracker = {
  /** Counts a delivery until its task has ended. */
  track(task: Promise<void>, delivery: { readonly endpointId: string; readonly lane: Lane }): void
  counts(): InFlight
  size(): number
  /** The endpoints of the quick lane that have not answered within a second. */
  overdueEndpoints(): string[]
  /** Waits for all that are in flight now. */
  settled(): Promise<void>
}

const OVERDUE_AFTER_MS = 1_000

/** Keeps count of the deliveries that this dispatcher is sending. Tasks never reject. */
export function trackDeliveries(): Tracker {
  type Delivery = { readonly endpointId: string; readonly lane: Lane; readonly begunMs: number }
  const deliveries = new Map<Promise<void>, Delivery>()
  const overdue = () => {
    const since = performance.now() - OVERDUE_AFTER_MS
    return [...deliveries.values()].filter(({ lane, begunMs }) => lane === 'quick' && begunMs < since)
  }
  return {
    track(task, delivery) {
      deliveries.set(task, { ...delivery, begunMs: performance.now() })
      void task.finally(() => deliveries.delete(task))
    },
    counts() {
      const slow = [...deliveries.values()].filter(({ lane }) => lane === 'slow').length
      const late = overdue().length
      return { quick: deliveries.size - slow - late, overdue: late, slow }
    },
    size: () => deliveries.size,
    overdueEndpoints: () => [...new Set(overdue().map(({ endpointId }) => endpointId))],
    async settled() {
      await Promise.all(deliveries.keys())
    },
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
