import type { Config } from './config/config.ts'
import type { Providers } from './providers/port.ts'
import { providers } from './providers/registry.ts'

/** The networks that this installation speaks to. One whose app nobody registered is not on offer. */
export function enabledProviders({
  sandbox,
  oauthClients,
}: Pick<Config, 'sandbox' | 'oauthClients'>): Providers {
  return new Map(
    [...providers].filter(([name, { connecting }]) => {
      if (name.startsWith('sandbox-')) return sandbox.on
      const needsApp = connecting.form === null && connecting.oauth?.client === 'configured'
      return !needsApp || oauthClients.has(name)
    }),
  )
}
