import type { IncomingMessage } from 'node:http'
import { isMostlyFraming } from '../../../platform/outbound/framing.ts'
import { IncomingMessage as NodeMessage } from '../../../platform/outbound/node-http.ts'

export function hasChunks({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined
}

/** Smaller chunks are put together, since a stream takes longer over each than the parser does. */
const SMALL_BYTES = 512
const GATHERED_BYTES = 4_096

/**
 * Calls `onExcess`, once, within the chunk with which a body comes to be mostly framing; none of its bytes reach a reader from then on.
 * It counts where the parser hands chunks over, since the reader sees them only later, and some of them together.
 */
export function watchChunks(request: IncomingMessage, onExcess: () => void): void {
  const push = (chunk: Buffer | null) => NodeMessage.prototype.push.call(request, chunk)
  let gathered: Buffer | null = null
  let length = 0
  let chunks = 0
  let bytes = 0
  let isExcess = false

  function flush(): boolean {
    if (gathered === null || isExcess) return true
    const together = gathered.subarray(0, length)
    gathered = null
    return push(together)
  }

  function gather(chunk: Buffer): boolean {
    const goesOn = length + chunk.length <= GATHERED_BYTES || flush()
    if (gathered === null) {
      gathered = Buffer.allocUnsafe(GATHERED_BYTES)
      length = 0
      // Not with the next tick, which may come between any two chunks; nothing waits for those that have not come.
      setImmediate(flush)
    }
    // A call for so few bytes costs more than they do.
    if (chunk.length > 32) length += chunk.copy(gathered, length)
    else for (let at = 0; at < chunk.length; at++) gathered[length++] = chunk[at] ?? 0
    return goesOn
  }

  request.push = (chunk: Buffer | null): boolean => {
    if (isExcess) return true
    if (chunk === null) {
      flush()
      return push(null)
    }
    chunks += 1
    bytes += chunk.length
    isExcess = isMostlyFraming(chunks, bytes)
    if (isExcess) {
      onExcess()
      return true
    }
    if (chunk.length < SMALL_BYTES) return gather(chunk)
    flush()
    return push(chunk)
  }
}
