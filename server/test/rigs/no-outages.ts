import type { Outages } from '../../src/engine/queue/work.ts'

/** Networks of which nothing is remembered: none is ever taken to be away. */
export const noOutages: Outages = {
  learnOrigin: async () => false,
  recordFailure: async () => undefined,
  recordSuccess: async () => undefined,
  returnProbe: async () => undefined,
}
