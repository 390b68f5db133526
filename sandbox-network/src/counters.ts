/** Counts the create calls since the process started or was last reset. */
export type Counters = ReturnType<typeof startCounters>

/** An outcome is `created`, `replayed`, the code of a refusal, or the kind of the fault that struck. */
export function startCounters() {
  let received = 0
  let byOutcome: Record<string, number> = {}
  return {
    receive(): void {
      received += 1
    },
    settle(outcome: string): void {
      byOutcome[outcome] = (byOutcome[outcome] ?? 0) + 1
    },
    view() {
      return { received, byOutcome }
    },
    clear(): void {
      received = 0
      byOutcome = {}
    },
  }
}
