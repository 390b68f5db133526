import { isPublic, isPublicName, isTrusted, literalOf, type TargetRules } from './outbound-guard.ts'

/** Why nothing on the internet can fetch from an address of this server. */
export type Unreachable = { readonly why: 'not_public' | 'not_https'; readonly baseUrl: string }

/**
 * Whether the internet can fetch from this server's address, as far as an address tells; null where it can. What the operator
 * trusts (`TRUSTED_ORIGINS`) is taken to be reached.
 */
export function unreachableAt(
  baseUrl: string,
  rules: Pick<TargetRules, 'trustedOrigins'>,
): Unreachable | null {
  const { origin, protocol, hostname } = new URL(baseUrl)
  if (isTrusted(origin, rules)) return null
  const literal = literalOf(hostname)
  const isOutside = literal === null ? isPublicName(hostname) : isPublic(literal)
  if (!isOutside) return { why: 'not_public', baseUrl }
  return protocol === 'https:' ? null : { why: 'not_https', baseUrl }
}
