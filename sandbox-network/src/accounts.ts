import { hash, randomBytes } from 'node:crypto'
import type { Profile } from './counting.ts'

export type Idempotency = 'none' | 'key'

export type Account = {
  id: string
  handle: string
  displayName: string
  profile: Profile
  maxCharacters: number
  idempotency: Idempotency
  revoked: boolean
  /** For how long each token is accepted, in seconds from its making; null for ever. */
  authorizedSeconds: number | null
  /** Unix time in milliseconds from which its token is no longer accepted; null for never. */
  authorizedUntilMs: number | null
}

/** Whether the network lets it do anything: only a fresh token opens it again once its time is over. */
export function isAuthorized({ revoked, authorizedUntilMs }: Account, nowMs: number): boolean {
  return !revoked && (authorizedUntilMs === null || nowMs < authorizedUntilMs)
}

/** When a token made now ends. */
export function authorizedUntilMs(authorizedSeconds: number | null, nowMs: number): number | null {
  return authorizedSeconds === null ? null : nowMs + authorizedSeconds * 1_000
}

/** How many characters an account of each profile may post, unless its maker said otherwise. */
export const maxCharactersOf: Record<Profile, number> = { short: 280, professional: 3000 }

/** A fresh id for an account. */
export function newAccountId(): string {
  return `acc_${randomBytes(8).toString('hex')}`
}

/** A fresh bearer token; only its hash is kept, so it can be shown once. */
export function newToken(): string {
  return `sbx_${randomBytes(24).toString('base64url')}`
}

/** The stored form of a token. */
export function tokenHash(token: string): string {
  return hash('sha256', token, 'hex')
}

/** An account as its owner sees it. */
export function viewAccount(account: Account, baseUrl: string) {
  const { id, handle, displayName, profile, maxCharacters } = account
  return { id, handle, displayName, profile, maxCharacters, url: `${baseUrl}${accountPath(handle)}` }
}

/** An account as the control API shows it; never with its token. */
export function viewAccountForControl(account: Account, baseUrl: string) {
  const { idempotency, revoked, authorizedUntilMs } = account
  const authorizedUntil = authorizedUntilMs === null ? null : new Date(authorizedUntilMs).toISOString()
  return { ...viewAccount(account, baseUrl), idempotency, revoked, authorizedUntil }
}

/** The path of an account's public page. */
export function accountPath(handle: string): string {
  return `/@${handle}`
}
