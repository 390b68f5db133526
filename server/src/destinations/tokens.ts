import { randomBytes } from 'node:crypto'

/** A compare-and-swap value without meaning: 144 random bits, as 24 characters of base64url. */
export function newToken(): string {
  return randomBytes(18).toString('base64url')
}
