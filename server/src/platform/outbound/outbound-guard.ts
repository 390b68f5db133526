import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'

/** What an operator vouches for. Everything else is reached only at public addresses. */
export type TargetRules = {
  /** Whether `http:` is refused. Trusted origins may be plain all the same. */
  readonly httpsOnly: boolean
  /** Origins (`http://127.0.0.1:4010`) that may be private, plain and at any port; `any` for development alone. */
  readonly trustedOrigins: readonly string[] | 'any'
  /** CIDR blocks that count as public, such as a company's own network. */
  readonly trustedNetworks: readonly string[]
}

export type TargetFault =
  | 'not_a_url'
  | 'not_https'
  | 'not_http'
  | 'has_credentials'
  | 'has_fragment'
  | 'odd_port'
  | 'private_name'
  | 'private_address'
  | 'too_long'

/** One sentence for each refusal, for the person who typed the address. */
export const targetFaults: Readonly<Record<TargetFault, string>> = {
  not_a_url: 'This is not a complete URL.',
  not_https: 'It must start with https://. Your server operator can allow this one with TRUSTED_ORIGINS.',
  not_http: 'It must start with https:// or http://.',
  has_credentials:
    'It must not contain a user name or password: they would be stored and shown in the clear.',
  has_fragment: 'It must not have a fragment (#…): fragments are never sent.',
  odd_port:
    "The port must be 443, or a port from 1024 that browsers don't block. Your server operator can allow this one with TRUSTED_ORIGINS.",
  private_name:
    'The host must be a full public name, such as hooks.example.com. Your server operator can allow this one with TRUSTED_ORIGINS.',
  private_address:
    'The host has no public address. Your server operator can allow this one with TRUSTED_ORIGINS.',
  too_long: 'It can have at most 2,048 characters.',
}

/** Names that are never public (RFC 2606, 6761, 6762, 7686, 8375, 9476; ICANN's .internal), and router habits. */
const privateSuffixes = [
  'localhost', 'local', 'localdomain', 'internal', 'intranet', 'private', 'corp', 'home', 'lan',
  'home.arpa', 'test', 'invalid', 'example', 'onion', 'alt',
] // prettier-ignore

/** The ports at and above 1024 that the Fetch standard blocks, because other protocols can be talked to there. */
const blockedPorts = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10080,
])

/**
 * Reads an address as a person typed it, as the WHATWG URL parser sees it: `2130706433`, `0x7f.1` or full-width
 * dots have become `127.0.0.1` then. The URL's `href` is the normal form, to be stored and shown.
 */
export function readTarget(text: string, rules: TargetRules): URL | TargetFault {
  if (text.length > 2_048) return 'too_long'
  if (!URL.canParse(text)) return 'not_a_url'
  const url = new URL(text)
  // The parser drops an empty fragment, but it was typed on purpose.
  if (text.includes('#')) return 'has_fragment'
  return targetFault(url, rules) ?? url
}

/** Why a URL may not be called, as far as that can be seen without DNS; null when it may. */
export function targetFault(url: URL, rules: TargetRules): TargetFault | null {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return rules.httpsOnly ? 'not_https' : 'not_http'
  if (url.username !== '' || url.password !== '') return 'has_credentials'
  if (url.hash !== '') return 'has_fragment'
  if (isTrusted(url.origin, rules)) return null
  if (rules.httpsOnly && url.protocol !== 'https:') return 'not_https'
  if (!isCommonPort(url)) return 'odd_port'
  const literal = literalOf(url.hostname)
  if (literal !== null) return isReachable(literal, rules) ? null : 'private_address'
  return isPublicName(url.hostname) ? null : 'private_name'
}

/** Whether the operator vouches for the origin, so that neither its names nor its addresses are checked. */
export function isTrusted(origin: string, { trustedOrigins }: Pick<TargetRules, 'trustedOrigins'>): boolean {
  return trustedOrigins === 'any' || trustedOrigins.includes(origin)
}

/** The address in a URL's host, without the brackets of IPv6; null for a name. */
export function literalOf(hostname: string): string | null {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  return ipaddr.isValid(bare) ? bare : null
}

/** Whether a connection to the address may be opened: public and not this machine's own, or in a trusted network. */
export function isReachable(address: string, { trustedNetworks }: TargetRules): boolean {
  if (!ipaddr.isValid(address)) return false
  if (trustedNetworks.some((network) => isWithin(address, network))) return true
  return isPublic(address) && !ownAddresses().has(normalAddress(address))
}

/**
 * Whether the address is globally reachable unicast. Every range in which an IPv4 address hides in an IPv6 one
 * (mapped, NAT64, 6to4, Teredo) is refused whatever it holds, and so is everything outside 2000::/3.
 */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  return parsed.kind() === 'ipv4' || parsed.match(globalUnicast)
}

const globalUnicast = ipaddr.parseCIDR('2000::/3')

/** The one spelling under which addresses are compared: an IPv4-mapped one counts as IPv4, a zone is dropped. */
export function normalAddress(address: string): string {
  return ipaddr.process(address.replace(/%.*$/, '')).toString()
}

function isWithin(address: string, network: string): boolean {
  const [base, bits] = ipaddr.parseCIDR(network)
  const parsed = ipaddr.parse(address)
  return parsed.kind() === base.kind() && parsed.match([base, bits])
}

function ownAddresses(): Set<string> {
  const interfaces = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  return new Set(interfaces.map(({ address }) => normalAddress(address)))
}

function isCommonPort({ port, protocol }: URL): boolean {
  if (port === '') return protocol === 'https:' || protocol === 'http:'
  return port === '443' || (Number(port) >= 1_024 && !blockedPorts.has(Number(port)))
}

/** Whether a name is one that the public DNS may know. */
export function isPublicName(hostname: string): boolean {
  if (!hostname.includes('.') || hostname.endsWith('.')) return false
  return !privateSuffixes.some((suffix) => hostname === suffix || hostname.endsWith(`.${suffix}`))
}
