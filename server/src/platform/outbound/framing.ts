/*
 * A chunk of one byte is six on the wire, and a call, a Buffer and an event here: three megabytes of such chunks take a
 * processor longer than a hundred of any other body. So each body has an allowance of small chunks, beyond which its
 * chunks must be of some size together. A body of JSON may be written word by word, and one of a megabyte in chunks of
 * 100 bytes; what sends files sends kilobytes at a time.
 */
const FREE_CHUNKS = 8_192
const BYTES_PER_CHUNK = 256

/** Whether a body that has come in so many chunks is mostly framing. */
export function isMostlyFraming(chunks: number, bytes: number): boolean {
  return chunks > FREE_CHUNKS + bytes / BYTES_PER_CHUNK
}
