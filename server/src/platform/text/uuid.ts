import { v7 } from 'uuid'
import { randomOf } from './random.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Lower case only: an id has one spelling, so that ids can be compared as text. */
export function isUuid(text: string): boolean {
  return UUID.test(text)
}

const latest = { msecs: 0, seq: 0 }
const MOST_SEQ = 0xff_ff_ff_ff

/** A new id (RFC 9562, version 7), greater than those that this process has made before. */
export function uuidv7(): string {
  const random = randomOf(16)
  const nowMs = Date.now()
  if (nowMs > latest.msecs) {
    latest.msecs = nowMs
    // The highest bit is left, so that there is room to count.
    latest.seq = random.readUInt32BE(6) >>> 1
  } else if (latest.seq === MOST_SEQ) {
    latest.msecs += 1
    latest.seq = 0
  } else {
    latest.seq += 1
  }
  return v7({ random, ...latest })
}
