import ipaddr from 'ipaddr.js'
import type { ConnectionRules } from './connections.ts'

/** What the process needs besides: pipes, its database pool, files of uploads, processes that look at them. */
const RESERVED_DESCRIPTORS = 64
const LEAST_CONNECTIONS = 16

/**
 * The limits of a configuration. Where the system allows too few file descriptors for them, they are lowered, so that
 * connections never take those that the database and files need, and no address alone takes all of the rest.
 */
export function connectionLimits(
  {
    maxConnections,
    maxConnectionsPerAddress,
    trustProxy,
  }: {
    maxConnections: number
    maxConnectionsPerAddress: number
    trustProxy: false | number | readonly string[]
  },
  descriptors = descriptorLimit(),
): Pick<ConnectionRules, 'total' | 'perAddress' | 'isProxy'> {
  const total = Math.min(maxConnections, Math.max(LEAST_CONNECTIONS, descriptors - RESERVED_DESCRIPTORS))
  return {
    total,
    perAddress: Math.min(maxConnectionsPerAddress, Math.max(1, Math.floor(total / 2))),
    isProxy: proxyTest(trustProxy),
  }
}

/** How many files and sockets the system allows this process. */
function descriptorLimit(): number {
  if (process.report === undefined) return Infinity
  // Or it would ask the network for the names of everybody connected.
  Object.assign(process.report, { excludeNetwork: true })
  const report = process.report.getReport() as {
    userLimits?: { open_files?: { soft: number | 'unlimited' } }
  }
  const soft = report.userLimits?.open_files?.soft
  return typeof soft === 'number' ? soft : Infinity
}

function proxyTest(trusted: false | number | readonly string[]): (address: string) => boolean {
  if (trusted === false) return () => false
  // A number of proxies: the connection comes from the last of them.
  if (typeof trusted === 'number') return () => true
  const ranges = trusted.map((text) =>
    ipaddr.isValidCIDR(text)
      ? ipaddr.parseCIDR(text)
      : ipaddr.parseCIDR(`${text}/${ipaddr.parse(text).kind() === 'ipv4' ? 32 : 128}`),
  )
  return (address) => {
    if (!ipaddr.isValid(address)) return false
    const parsed = ipaddr.process(address)
    return ranges.some(
      ([range, bits]) => range.kind() === parsed.kind() && parsed.match([range, bits] as never),
    )
  }
}
