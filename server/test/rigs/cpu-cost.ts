const ROUNDS = 3
/** Clocks of processor time may move in steps of some milliseconds. */
const LEAST_MS = 12

/**
 * How many times the processor time of `work` grows when its input is doubled three times: about 8 for what is
 * linear, 64 for what is quadratic. A bound of 24 is far from both, whatever else the machine does.
 */
export function growthOf(
  make: (size: number) => string,
  work: (text: string) => unknown,
  { from = 12_500 }: { from?: number } = {},
): number {
  const [small, large] = [make(from), make(from * 8)]
  return leastCpuMs(() => work(large)) / leastCpuMs(() => work(small))
}

/** The least of several rounds: the others were disturbed. */
function leastCpuMs(work: () => unknown): number {
  work()
  return Math.min(...Array.from({ length: ROUNDS }, () => cpuMs(work)))
}

function cpuMs(work: () => unknown): number {
  const before = process.threadCpuUsage()
  for (let times = 1; ; times++) {
    work()
    const { user, system } = process.threadCpuUsage(before)
    const ms = (user + system) / 1_000
    if (ms >= LEAST_MS) return ms / times
  }
}
