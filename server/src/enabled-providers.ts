import type { Config } from './config/config.ts'
import type { Providers } from './providers/port.ts'
import { providers } from './providers/registry.ts'

/** The networks that this installation speaks to. One without a registered app is not on offer. */
export function enabledProviders({
  sandbox,
  networkClients,
}: Pick<Config, 'sandbox' | 'networkClients'>): Providers {
  return new Map(
    [...providers].filter(([name, { connecting }]) => {
      if (name.startsWith('sandbox-')) return sandbox.on
      const needsApp = connecting.form === null && connecting.oauth?.client === 'configured'
      return !needsApp || networkClients.has(name)
    }),
  )
}
