import { hash, randomInt } from 'node:crypto'

const HOW_MANY = 10
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789'
const LENGTH = 12

/** Codes for the day on which the authenticator app is lost: 60 random bits each, such as `k3x9-m2pq-7rwt`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: HOW_MANY }, () => {
    const characters = Array.from({ length: LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length)))
    return characters.join('').replaceAll(/(.{4})(?=.)/g, '$1-')
  })
}

/** What is stored of a code: spaces, hyphens and case do not count. Null for what has not the form of one. */
export function hashRecoveryCode(code: string): Buffer | null {
  const plain = code.replaceAll(/[\s-]/g, '').toLowerCase()
  return plain.length === LENGTH ? hash('sha256', plain, 'buffer') : null
}
