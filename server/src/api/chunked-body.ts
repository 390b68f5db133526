import { IncomingMessage } from 'node:http'
import { isMostlyFraming } from '../platform/framing.ts'

export function hasChunks({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined
}

/**
 * Calls `onExcess`, once, within the chunk with which a body comes to be mostly framing; none of its bytes reach a reader from then on.
 * It counts where the parser hands chunks over, since whoever reads them sees them only later, and some of them together.
 */
export function watchChunks(request: IncomingMessage, onExcess: () => void): void {
  let chunks = 0
  let bytes = 0
  let isExcess = false
  request.push = (chunk: Buffer | null, encoding?: BufferEncoding): boolean => {
    if (isExcess) return false
    if (chunk !== null) {
      chunks += 1
      bytes += chunk.length
      isExcess = isMostlyFraming(chunks, bytes)
    }
    if (!isExcess) return IncomingMessage.prototype.push.call(request, chunk, encoding)
    onExcess()
    return false
  }
}
