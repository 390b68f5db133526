import type { Config } from './config/config.ts'
import type { Provider, Providers } from './providers/port.ts'
import { providers } from './providers/registry.ts'

type Settings = Pick<Config, 'sandbox' | 'networkClients'>

/** The networks that this installation speaks to. One without a registered app is not on offer. */
export function enabledProviders(settings: Settings): Providers {
  return new Map(
    [...providers].filter(([name, provider]) => {
      if (name.startsWith('sandbox-')) return settings.sandbox.on
      return !lacksApp(provider, settings)
    }),
  )
}

/** The networks that it would speak to, if an app of the operator's were registered there. */
export function providersWithoutApp(settings: Pick<Settings, 'networkClients'>): Provider[] {
  return [...providers.values()].filter((provider) => lacksApp(provider, settings))
}

function lacksApp(
  { provider, connecting }: Provider,
  { networkClients }: Pick<Settings, 'networkClients'>,
): boolean {
  const needsApp = connecting.form === null && connecting.oauth?.client === 'configured'
  return needsApp && !networkClients.has(provider)
}
