import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'

/** Issues and reads the opaque positions of paged lists. */
export type Cursors = {
  /** A cursor for this position, good only within `scope` (workspace, route, filters). */
  readonly issue: (scope: readonly string[], position: unknown) => string
  /** The position; null when the cursor was changed, or was issued for another scope or under another key. */
  readonly read: (cursor: string, scope: readonly string[]) => unknown
}

const VERSION = 2
const TAG_BYTES = 16

/**
 * Cursors authenticated with HMAC-SHA256 (tag of 128 bits). The scope is not carried in the cursor, only bound to it.
 * A position is any JSON value other than null, and readable by the holder of the cursor: no secret may stand in it.
 */
export function cursors(bytes: Uint8Array): Cursors {
  if (bytes.length < 32) throw new Error('A cursor key has at least 32 bytes.')
  // To make a key of bytes takes longer than the HMAC itself.
  const key = createSecretKey(bytes)

  function tag(scope: readonly string[], versioned: Uint8Array): Buffer {
    const bound = Buffer.from(JSON.stringify(scope))
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bound.length)
    const mac = createHmac('sha256', key).update(length).update(bound).update(versioned)
    return mac.digest().subarray(0, TAG_BYTES)
  }

  return {
    issue(scope, position) {
      const versioned = Buffer.concat([Buffer.of(VERSION), Buffer.from(JSON.stringify(position))])
      return Buffer.concat([versioned, tag(scope, versioned)]).toString('base64url')
    },
    read(cursor, scope) {
      const bytes = Buffer.from(cursor, 'base64url')
      // Node skips what is not base64url and ignores spare bits: only the one spelling that was issued counts.
      if (bytes.length <= 1 + TAG_BYTES || bytes.toString('base64url') !== cursor) return null
      const versioned = bytes.subarray(0, -TAG_BYTES)
      if (versioned[0] !== VERSION) return null
      if (!timingSafeEqual(tag(scope, versioned), bytes.subarray(-TAG_BYTES))) return null
      return JSON.parse(versioned.toString('utf8', 1)) as unknown
    },
  }
}
