/** What the dispatcher may begin now. */
export type Room = {
  /** For endpoints that do not fail. */
  readonly quick: number
  readonly perEndpoint: number
  /** For endpoints that fail now; each of them has one delivery under way at most. */
  readonly slow: number
}

export type SlotSizes = {
  /** How many quick deliveries may be under way at once. */
  readonly slots: number
  /** How many to one endpoint, when others may need the room. */
  readonly perEndpoint: number
  /** How many to one endpoint, while more than half of the slots are free. */
  readonly perEndpointAtEase: number
}

export type UnderWay = {
  /** Younger than a second, to endpoints that did not fail. */
  readonly quick: number
  /** Older than that: they have left their slot. */
  readonly overdue: number
  /** To endpoints that fail. */
  readonly slow: number
}

/**
 * Divides the room. Failing endpoints get a quarter of it and no more, so that sixty that hang leave three quarters
 * to the healthy. A delivery that has not ended within a second leaves its quick slot, and its endpoint gets no
 * further ones until it has: an endpoint that has just begun to hang holds up others for that second at most. What
 * is overdue is bounded too; when even that is full, quick deliveries wait.
 */
export function roomIn(
  { slots, perEndpoint, perEndpointAtEase }: SlotSizes,
  { quick, overdue, slow }: UnderWay,
): Room {
  const free = Math.max(0, slots - quick - Math.max(0, overdue - 3 * slots))
  return {
    quick: free,
    perEndpoint: free > slots / 2 ? perEndpointAtEase : perEndpoint,
    slow: Math.max(0, Math.floor(slots / 4) - slow),
  }
}
