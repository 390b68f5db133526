import type { Db } from '../../platform/postgres/db.ts'
import { forRedirects } from '../../platform/outbound/loopback.ts'
import type { Keyring, Secret } from '../../platform/sealing/sealing.ts'
import { newKey, thumbprint } from '../providers/port/signing-keys.ts'
import type { Json } from '../providers/port/calls.ts'
import type { Adapter, NetworkClient, RegisterVerdict } from '../providers/port/port.ts'
import { runProcedure, type ProcedureTools } from '../providers/port/procedure.ts'
import {
  clientContext,
  deleteClient,
  findClient,
  keepClient,
  type ClientPlace,
} from './network-client-store.ts'

/** An app that the operator registered at a network. */
export type ConfiguredClient = { readonly clientId: string; readonly clientSecret: Secret }

export type NetworkClientParts = {
  readonly db: Db
  readonly keyring: Pick<Keyring, 'seal' | 'unseal'>
  readonly tools: ProcedureTools
  /** By provider name. */
  readonly configured: ReadonlyMap<string, ConfiguredClient>
  /** The address that this server is reached at, without a slash at its end. */
  readonly baseUrl: string
}

/** Who we are to the networks. */
export type NetworkClients = {
  /** Where a person comes back to from this network. */
  readonly redirectUri: (provider: string) => string
  /** The app that the operator registered at a network; null for none. */
  readonly configured: (provider: string) => NetworkClient | null
  /** Our client at a network that knows us by one; null where each server has its own, which authorizations keep by themselves. */
  readonly known: (adapter: Adapter) => Promise<NetworkClient | null>
  /** Our client at one server of a network; it is registered there when it is not yet. */
  readonly at: (
    adapter: Adapter,
    server: string,
  ) => Promise<
    { readonly is: 'client'; readonly client: NetworkClient } | Exclude<RegisterVerdict, { is: 'registered' }>
  >
  /** Gives up a client that its server no longer knows: the next `at` registers another. */
  readonly forget: (adapter: Adapter, server: string) => Promise<void>
  /** What a network reads of us, public; null where it reads nothing. */
  readonly document: (adapter: Adapter) => Promise<Json | null>
}

const MAX_CALLS = 5

/** Opens the clients of this server. They are made when they are first needed, and kept sealed. */
export function openNetworkClients(parts: NetworkClientParts): NetworkClients {
  const { db, keyring, configured, baseUrl } = parts
  const redirectUri = (provider: string) => `${forRedirects(baseUrl)}/connect/${provider}/callback`

  async function published(adapter: Adapter) {
    const { provider, oauth } = adapter
    if (oauth?.publishClient == null) return null
    const place = { provider, server: '', redirectUri: redirectUri(provider) }
    const key = await kept(place, () => {
      const made = newKey()
      return { ...made, kid: thumbprint(made) }
    })
    const documentUrl = `${baseUrl}/connect/${provider}/client-metadata.json`
    return oauth.publishClient({ baseUrl, documentUrl, redirectUri: place.redirectUri, key })
  }

  async function kept<T extends object>(place: ClientPlace, make: () => T): Promise<T> {
    const context = clientContext(place)
    const found = await findClient(db, place)
    const sealed = found ?? (await keepClient(db, place, keyring.seal(JSON.stringify(make()), context)))
    return JSON.parse(keyring.unseal(sealed, context).toString()) as T
  }

  function appAt(provider: string): NetworkClient | null {
    const client = configured.get(provider)
    return client === undefined
      ? null
      : { clientId: client.clientId, clientSecret: client.clientSecret.reveal(), key: null }
  }

  async function known(adapter: Adapter): Promise<NetworkClient | null> {
    switch (adapter.connecting.oauth?.client) {
      case 'configured':
        return appAt(adapter.provider)
      case 'published':
        return (await published(adapter))?.client ?? null
      case 'registered':
      case undefined:
        return null
    }
  }

  async function at(adapter: Adapter, server: string): ReturnType<NetworkClients['at']> {
    const { provider, displayName, oauth } = adapter
    if (oauth?.register == null) {
      const client = await known(adapter)
      if (client !== null) return { is: 'client', client }
      const detail = `This server has no app at ${displayName}. Ask your server operator to register one and name it in the settings.`
      return { is: 'unavailable', detail }
    }
    const place = { provider, server, redirectUri: redirectUri(provider) }
    const found = await findClient(db, place)
    if (found !== null) {
      const text = keyring.unseal(found, clientContext(place)).toString()
      return { is: 'client', client: { ...(JSON.parse(text) as Omit<NetworkClient, 'key'>), key: null } }
    }
    const registered = await registerAt(oauth.register, place, parts.tools)
    if (registered.is !== 'registered') return registered
    return { is: 'client', client: { ...(await kept(place, () => registered.client)), key: null } }
  }

  return {
    redirectUri,
    configured: appAt,
    known,
    at,
    forget: ({ provider }, server) =>
      deleteClient(db, { provider, server, redirectUri: redirectUri(provider) }),
    document: async (adapter) => (await published(adapter))?.document ?? null,
  }
}

/** Asks a server to register us. */
async function registerAt(
  register: NonNullable<NonNullable<Adapter['oauth']>['register']>,
  { server, redirectUri }: ClientPlace,
  tools: ProcedureTools,
): Promise<RegisterVerdict> {
  const { signal } = new AbortController()
  const options = { signal, maxCalls: MAX_CALLS, maxWaitMs: 0 }
  const ran = await runProcedure(register, { server, redirectUri }, tools, options)
  if (ran.is === 'fault') throw ran.fault
  return ran.is === 'done' ? ran.outcome : { is: 'unavailable', detail: `${server} does not answer.` }
}
