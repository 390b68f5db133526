import { randomFillSync } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Lower case only: an id has one spelling, so that ids can be compared as text. */
export function isUuid(text: string): boolean {
  return UUID.test(text)
}

const BYTES_OF_ONE = 16
const RANDOM = new Uint8Array(256 * BYTES_OF_ONE)
let used = RANDOM.length

/** A new id (UUIDv7) for each request. Random bytes are drawn for many at once: to draw them takes longer than all else. */
export function newRequestId(): string {
  return uuidv7({ rng: nextRandom })
}

function nextRandom(): Uint8Array {
  if (used === RANDOM.length) {
    randomFillSync(RANDOM)
    used = 0
  }
  used += BYTES_OF_ONE
  return RANDOM.subarray(used - BYTES_OF_ONE, used)
}
