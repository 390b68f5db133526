type Clocks = { readonly steady: () => number; readonly wall: () => number }

const ofMachine: Clocks = { steady: () => performance.now(), wall: () => Date.now() }

/** By more than rounding: the machine slept, or its clock was set ahead. In milliseconds. */
const JUMP_MS = 50

/**
 * Milliseconds that have passed. The steady clock stands still while the machine sleeps, and the time of day may be set,
 * ahead or back: so what the latter is suddenly ahead of the former counts besides. A call that seems late is not made,
 * so the doubt goes to the safe side.
 */
export function elapsedClock({ steady, wall } = ofMachine): () => number {
  let lead = wall() - steady()
  let slept = 0
  return () => {
    const at = steady()
    const leads = wall() - at
    if (leads - lead > JUMP_MS) slept += leads - lead
    lead = leads
    return at + slept
  }
}
