import { expect, test } from 'vitest'
import { enabledProviders } from './enabled-providers.ts'
import { Secret } from '../platform/sealing/sealing.ts'

const http = { baseUrl: 'http://localhost:4000' }
const outbound = { trustedOrigins: [], trustedNetworks: [] }
const sandbox = { on: false, host: '127.0.0.1', port: 0, url: null }

test('a network that needs an app is on offer once its app is in the settings', () => {
  const offered = (...apps: string[]) => {
    const app = { clientId: 'id', clientSecret: new Secret('secret') }
    const networkClients = new Map(apps.map((name) => [name, app]))
    return [...enabledProviders({ sandbox, http, outbound, networkClients }).keys()]
  }
  expect(offered()).toEqual(expect.arrayContaining(['bluesky', 'mastodon']))
  for (const name of ['instagram', 'linkedin', 'threads', 'x']) {
    expect(offered()).not.toContain(name)
    expect(offered(name)).toContain(name)
  }
})

test('of a network that fetches media is known whether it reaches this server', () => {
  const app = { clientId: 'id', clientSecret: new Secret('secret') }
  const networkClients = new Map(['threads', 'x'].map((name) => [name, app]))
  const at = (baseUrl: string) => enabledProviders({ sandbox, http: { baseUrl }, outbound, networkClients })
  const local = at('http://localhost:4000')
  expect(local.get('threads')?.cannotFetch).toEqual({ why: 'not_public', baseUrl: 'http://localhost:4000' })
  expect(local.get('x')).not.toHaveProperty('cannotFetch')
  expect(at('https://post.example.com').get('threads')).not.toHaveProperty('cannotFetch')
})
