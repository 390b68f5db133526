import { randomFillSync } from 'node:crypto'

const RANDOM = Buffer.alloc(4_096)
let used = RANDOM.length

/**
 * A few random bytes for an id or a token that is no secret, to be read at once: they are drawn for many at once, since to draw
 * them takes longer than all else.
 */
export function randomOf(bytes: number): Buffer {
  if (used + bytes > RANDOM.length) {
    randomFillSync(RANDOM)
    used = 0
  }
  used += bytes
  return RANDOM.subarray(used - bytes, used)
}
