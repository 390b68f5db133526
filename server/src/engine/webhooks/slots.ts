/** How many deliveries the dispatcher may begin now. */
export type Capacity = {
  /** For endpoints that do not fail. */
  readonly quick: number
  /** Whether endpoints that are known to be quick may have more in flight than others. */
  readonly mayBurst: boolean
  /** For endpoints that fail now; each of them has one delivery in flight at most. */
  readonly slow: number
}

export type InFlight = {
  /** Younger than a second, to endpoints that did not fail. */
  readonly quick: number
  /** Older than that: they occupy no slot. */
  readonly overdue: number
  /** To endpoints that fail. */
  readonly slow: number
  /** Ended, with their completion not yet stored: they occupy no slot either. */
  readonly storing: number
}

/**
 * Divides the slots. Failing endpoints get a quarter of them and no more, so that sixty that hang leave three quarters
 * to the healthy ones. A delivery that has not ended within a second leaves its quick slot, and its endpoint gets no
 * further ones until it has: an endpoint that has just begun to hang holds up others for that second at most. What
 * is overdue is bounded too, and so is what has ended and waits to be stored; when even that is full, quick deliveries
 * wait. Three quarters of the slots may be filled by bursts; the last stays for small shares, since all that were quick
 * may begin to hang together.
 */
export function freeCapacity(slots: number, { quick, overdue, slow, storing }: InFlight): Capacity {
  const beyond = Math.max(0, overdue - 3 * slots) + Math.max(0, storing - slots)
  const free = Math.max(0, slots - quick - beyond)
  const reserve = Math.ceil(slots / 4)
  return {
    quick: free > reserve ? free - reserve : free,
    mayBurst: free > reserve,
    slow: Math.max(0, Math.floor(slots / 4) - slow),
  }
}
