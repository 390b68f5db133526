import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

/*
 * Counts the hashes of passwords of this process, each with what it costs. A test imports this before all else: whoever has taken the function
 * from `node:crypto` by then hashes uncounted.
 */

const { argon2 } = crypto

/** What every hash cost since the last look. */
export const hashes: object[] = []

crypto.argon2 = (algorithm, parameters, done) => {
  const { memory, passes, parallelism, tagLength, nonce } = parameters
  hashes.push({ algorithm, memory, passes, parallelism, tagLength, saltBytes: Buffer.byteLength(nonce) })
  argon2(algorithm, parameters, done)
}
syncBuiltinESMExports()
