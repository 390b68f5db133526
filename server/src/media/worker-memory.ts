import { totalmem } from 'node:os'

export type WorkerLimits = {
  /** How many processes there may be. */
  readonly processes: number
  /** How much memory each may take before it is killed. */
  readonly maxResidentBytes: number
}

const MB = 1_000_000
/** What the server itself takes at its busiest. */
const OWN_BYTES = 160 * MB
/** The program of a worker: counted for each, but shared with the server. */
const PROGRAM_BYTES = 64 * MB
/** With less than that for each, fewer of them run: a large photo takes some 150 MB. */
const ENOUGH_BYTES = 200 * MB
const MOST_BYTES = 1_500 * MB
const LEAST_BYTES = 96 * MB

/**
 * The limits of workers, of which the settings want so many, where the system gives them and the server so much together: the
 * end of a worker that takes more comes from the server, before the kernel has to end one of them, which may be the server.
 */
export function workerLimits(wanted: number, togetherBytes = memoryOfMachine()): WorkerLimits {
  const left = togetherBytes - OWN_BYTES
  const processes = Math.min(wanted, Math.max(1, Math.floor(left / ENOUGH_BYTES)))
  const each = Math.floor(left / processes) + PROGRAM_BYTES
  return { processes, maxResidentBytes: Math.min(MOST_BYTES, Math.max(LEAST_BYTES, each)) }
}

/** What a control group, such as that of a container, lets this process and its children take; or all there is. */
function memoryOfMachine(): number {
  const limit = process.constrainedMemory()
  return limit === 0 ? totalmem() : Math.min(limit, totalmem())
}
