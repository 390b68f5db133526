import { hash, randomBytes } from 'node:crypto'

/** 256 random bits for a session, a link or a step of signing in. Its bearer has what it stands for. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** What is stored of it: SHA-256 is enough where the secret is 256 random bits. */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}
