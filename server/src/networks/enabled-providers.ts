import type { Config } from '../platform/config/config.ts'
import type { Provider, Providers } from './providers/port/port.ts'
import { unreachableAt } from '../platform/outbound/reachable-address.ts'
import { providers } from './providers/registry.ts'

type Settings = Pick<Config, 'sandbox' | 'networkClients' | 'outbound'> & {
  readonly http: Pick<Config['http'], 'baseUrl'>
}

/** The networks that this installation speaks to. One without a registered app is not on offer. */
export function enabledProviders(settings: Settings): Providers {
  const enabled = [...providers].filter(([name, provider]) => {
    if (name.startsWith('sandbox-')) return settings.sandbox.on
    return !lacksApp(provider, settings)
  })
  const { http, outbound } = settings
  const cannotFetch = unreachableAt(http.baseUrl, outbound)
  return new Map(
    cannotFetch === null
      ? enabled
      : enabled.map(([name, provider]) => [
          name,
          provider.fetchesMedia === true ? { ...provider, cannotFetch } : provider,
        ]),
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
