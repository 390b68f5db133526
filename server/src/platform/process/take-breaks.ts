import { setImmediate as turn } from 'node:timers/promises'

/** How long others may wait for a step of long work, about. */
const STEP_MS = 20

/** For long work, called after each small piece: lets the event loop do what else there is, now and then. */
export function takeBreaks(): () => Promise<void> {
  let begunMs = performance.now()
  return async () => {
    if (performance.now() - begunMs < STEP_MS) return
    await turn()
    begunMs = performance.now()
  }
}
