import ipaddr from 'ipaddr.js'

/** What providers give to one customer at most as a rule (RIPE-690). */
const IPV6_BITS = 56

/** The party behind an address, for counting: an IPv6 customer has a whole /56 to send from. */
export function remoteParty(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString()}/${IPV6_BITS}`).toString()}/${IPV6_BITS}`
}
