import { isIP } from 'node:net'

/**
 * Whether a `Host` header names the network itself. A page of a stranger whose name was made to lead here (DNS
 * rebinding) carries that name: whatever anybody may register is refused, unless it is one of the network's own.
 */
export function isOwnHost(header: string | undefined, ownNames: readonly string[]): boolean {
  const name = URL.parse(`http://${header ?? ''}`)?.hostname ?? ''
  const bare = name.replace(/^\[|\]$/g, '')
  if (isIP(bare) !== 0) return true
  // No registrar gives out names without a dot, nor those two (RFC 6761; ICANN, 2024).
  const isPrivate = name !== '' && (!name.includes('.') || /\.(?:localhost|internal)$/.test(name))
  return isPrivate || ownNames.includes(name)
}
