import ipaddr from 'ipaddr.js'

/** The party behind an address, for counting: an IPv6 customer has a whole /64 to send from. */
export function remoteParty(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return `${parsed.toNormalizedString().split(':').slice(0, 4).join(':')}::/64`
}
