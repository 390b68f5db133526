import { networkNames, type NetworkNames } from './network-names.ts'

/** An account as its network writes it: with an @ only where people know it by one. */
export function shownHandle(network: string | Pick<NetworkNames, 'atHandles'>, handle: string): string {
  const facts = typeof network === 'string' ? factsOf(network) : network
  return facts?.atHandles?.test(handle) === true ? `@${handle}` : handle
}

function factsOf(provider: string): NetworkNames | undefined {
  return Object.hasOwn(networkNames, provider) ? networkNames[provider] : undefined
}
