/** The names that the own machine has in addresses. */
export const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'] as const

/** Whether an address is one of the own machine, without TLS: these three names are one place then. */
export function isLoopback(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'http:' && LOOPBACK.some((name) => name === hostname)
}

/**
 * The address under its one name: `localhost` on the own machine. Cookies do not know the three for one, and passkeys work
 * under a name and not at an IP address.
 */
export function underOneName(address: string): string {
  return isLoopback(address) ? renamed(address, 'localhost') : address
}

/** The address as networks take it for redirects: of a local one many want the number (RFC 8252, section 8.3). */
export function forRedirects(address: string): string {
  return isLoopback(address) ? renamed(address, '127.0.0.1') : address
}

function renamed(address: string, hostname: string): string {
  return address.replace(/^http:\/\/(\[[^\]]*\]|[^/:?#]*)/i, `http://${hostname}`)
}
