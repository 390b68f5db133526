import { IncomingMessage } from 'node:http'

/*
 * A chunk of one byte is six on the wire, and a call, a Buffer and an event here: three megabytes of such chunks take a
 * processor longer than a hundred of any other body. So each body has an allowance of small chunks, beyond which its
 * chunks must be of some size together. A body of JSON may be written word by word, and one of a megabyte in chunks of
 * 100 bytes; what sends files sends kilobytes at a time.
 */
const FREE_CHUNKS = 8_192
const BYTES_PER_CHUNK = 256

export function hasChunks({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined
}

/** Whether a body in so many chunks is mostly framing. */
export function isMostlyFraming(chunks: number, bytes: number): boolean {
  return chunks > FREE_CHUNKS + bytes / BYTES_PER_CHUNK
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
