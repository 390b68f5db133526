import { Resolver } from 'node:dns/promises'
import { codeOf } from '../process/error-code.ts'

/** A host has no address, or no name server answered in time. */
export class NameUnresolved extends Error {
  override name = 'NameUnresolved'
  readonly code: string

  constructor(code: string, hostname: string) {
    super(`${hostname} has no address: ${code}`)
    this.code = code
  }
}

export type ResolveOptions = {
  /** Name servers (`10.0.0.2` or `10.0.0.2:5353`) instead of the system's. */
  readonly nameServers?: readonly string[]
}

/**
 * All addresses of a name, IPv4 before IPv6. It asks through c-ares and not through `dns.lookup`: that one
 * occupies a thread of the pool, and a few dead name servers would delay every healthy look-up by seconds.
 * Throws NameUnresolved.
 */
export async function resolveName(
  hostname: string,
  signal: AbortSignal,
  { nameServers }: ResolveOptions = {},
): Promise<string[]> {
  // A new one each time: it reads the system's name servers again, and can be cancelled alone.
  const resolver = new Resolver({ timeout: 1_500, tries: 2 })
  if (nameServers !== undefined) resolver.setServers([...nameServers])
  const cancel = () => resolver.cancel()
  signal.addEventListener('abort', cancel, { once: true })
  try {
    if (signal.aborted) throw new NameUnresolved('ECANCELLED', hostname)
    const found = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const addresses = found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
    if (addresses.length > 0) return addresses
    throw new NameUnresolved(firstCode(found), hostname)
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

/** ENODATA of one family says less than what went wrong with the other. */
function firstCode(found: readonly PromiseSettledResult<string[]>[]): string {
  const codes = found.flatMap((result) =>
    result.status === 'rejected' ? [codeOf(result.reason) ?? 'UNKNOWN'] : [],
  )
  return codes.find((code) => code !== 'ENODATA') ?? 'ENODATA'
}
