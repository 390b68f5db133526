import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { permissionNames } from '@postrider/contract'
import { afterAll, describe, expect, test } from 'vitest'
import { makeCertificate } from '../../../test/rigs/certificate.ts'
import { aChannel } from '../../../test/rigs/fixtures.ts'
import { revisions, type Revision } from '../../../test/rigs/mcp-client.ts'
import { MCP_HEADERS, message } from '../../../test/rigs/mcp-message.ts'
import { openNameServer } from '../../../test/rigs/name-server.ts'
import { begin, consent, consentForm, exchange, REDIRECT } from '../../../test/rigs/oauth-flow.ts'
import { openOAuthWorld, type OAuthWorld } from '../../../test/rigs/oauth-world.ts'
import { openReceiver } from '../../../test/rigs/receiver.ts'

/** A client that describes itself at an address, on a host that strangers run; 127.0.0.0/24 stands for the public internet. */
const certificate = makeCertificate(['agent.example.com'])
const names = await openNameServer(() => ['127.0.0.1'])
const host = await openReceiver((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(described))
}, certificate)
const described = {
  client_id: `https://agent.example.com:${host.port}/agent.json`,
  client_name: 'An agent with a home',
  redirect_uris: [REDIRECT],
  token_endpoint_auth_method: 'none',
}
const rules = { httpsOnly: true, trustedOrigins: [], trustedNetworks: ['127.0.0.0/24'] }
const world = await openOAuthWorld({
  outbound: { rules, nameServers: [names.address], extraCa: certificate.cert },
})
const channelId = await aChannel(world.world.db, world.workspace.workspaceId)
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
  await names[Symbol.asyncDispose]()
})

type Stored = Awaited<ReturnType<OAuthClientProvider['tokens']>>

/** What an MCP client stores between the steps. */
class Store implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT
  readonly clientMetadata = {
    client_name: 'An MCP client',
    redirect_uris: [REDIRECT],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  }
  readonly clientMetadataUrl?: string
  client: Awaited<ReturnType<OAuthClientProvider['clientInformation']>>
  stored: Stored
  verifier = ''
  discovered: OAuthDiscoveryState | undefined
  opened: URL | undefined

  constructor(clientMetadataUrl?: string) {
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl
  }

  clientInformation = () => this.client
  saveClientInformation = (client: Store['client']) => void (this.client = client)
  tokens = () => this.stored
  saveTokens = (tokens: NonNullable<Stored>) => void (this.stored = tokens)
  codeVerifier = () => this.verifier
  saveCodeVerifier = (verifier: string) => void (this.verifier = verifier)
  discoveryState = () => this.discovered
  saveDiscoveryState = (state: OAuthDiscoveryState) => void (this.discovered = state)
  redirectToAuthorization = (url: URL) => void (this.opened = url)
}

/** Does what the person does to whom the client shows this address; gives what the client is called back with. */
async function authorizeApp(
  { browser, workspace }: OAuthWorld,
  address: URL,
  permissions: readonly string[],
) {
  const owner = browser()
  const page = await owner.follow(await owner.get(address))
  const { url } = await owner.follow(await owner.submit(page.url, consentForm({ workspace }, permissions)))
  return url.searchParams
}

/** The official client, let in with some permissions. */
async function connect(
  permissions: readonly string[],
  { store = new Store(), revision = '2026-07-28' }: { store?: Store; revision?: Revision } = {},
) {
  const opening = () => new StreamableHTTPClientTransport(new URL(world.mcp), { authProvider: store })
  const aClient = () =>
    new Client({ name: 'a test', version: '1' }, { versionNegotiation: { mode: revisions[revision] } })
  const first = opening()
  await expect(aClient().connect(first)).rejects.toThrow(UnauthorizedError)
  await first.finishAuth(await authorizeApp(world, store.opened!, permissions))
  const client = aClient()
  await client.connect(opening())
  return { client, store, token: store.stored!.access_token }
}

const toolNames = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name)
const askAgentApi = (token: string) =>
  fetch(`${world.resource}/me`, { headers: { authorization: `Bearer ${token}` } })
const askTools = (token: string, method = 'tools/list', params: object = {}) =>
  fetch(world.mcp, {
    method: 'POST',
    headers: { ...MCP_HEADERS, authorization: `Bearer ${token}` },
    body: JSON.stringify(message(method, params)),
  })

describe.each(Object.keys(revisions) as Revision[])('the official client of %s', (revision) => {
  test('is let in from nothing but the address, and uses what the person ticked', async () => {
    const { client, store } = await connect(['channels:read', 'posts:write'], { revision })
    expect(store.opened!.searchParams.get('resource')).toBe(world.mcp)
    expect(await toolNames(client)).toEqual([
      'get_me',
      'list_channels',
      'check_post',
      'create_post',
      'edit_post',
      'schedule_post',
      'cancel_post',
      'retry_post',
      'label_posts',
      'write_series',
    ])
    const created = await client.callTool({
      name: 'create_post',
      arguments: { idempotencyKey: revision, state: 'draft', channelIds: [channelId], text: 'By an app' },
    })
    expect(created.isError ?? false).toBe(false)
    await client.close()
  })
})

test('a client that describes itself at an address is let in without a registration', async () => {
  const { client, store } = await connect(['posts:read'], { store: new Store(described.client_id) })
  expect(store.opened!.searchParams.get('client_id')).toBe(described.client_id)
  expect(await toolNames(client)).toContain('list_posts')
  await client.close()
})

test('a token opens what it was issued for, and nothing else', async () => {
  const { token, client } = await connect(permissionNames)
  expect((await askTools(token)).status).toBe(200)
  const refused = await askAgentApi(token)
  expect(refused.status).toBe(401)
  expect(refused.headers.get('www-authenticate')).toContain('/.well-known/oauth-protected-resource/agent/v1"')

  const flow = await begin(world)
  const { access_token: other } = await exchange(flow, await consent(world, flow))
  expect((await askAgentApi(other)).status).toBe(200)
  const refusedToo = await askTools(other)
  expect(refusedToo.status).toBe(401)
  expect(refusedToo.headers.get('www-authenticate')).toContain('/.well-known/oauth-protected-resource/mcp"')
  await client.close()
})

test('a call beyond what was ticked is 403, with all scopes that the app needs from now on', async () => {
  const { token, client } = await connect(['posts:read'])
  const call = { name: 'create_post', arguments: { idempotencyKey: 'k', state: 'draft' } }
  const refused = await askTools(token, 'tools/call', call)
  expect(refused.status).toBe(403)
  expect(refused.headers.get('www-authenticate')).toBe(
    `Bearer resource_metadata="${world.baseUrl}/.well-known/oauth-protected-resource/mcp", error="insufficient_scope", scope="posts:read posts:write"`,
  )
  expect(await refused.json()).toMatchObject({ code: 'missing_permission' })
  await client.close()
})

test('an app that is cut off is refused from its next message on', async () => {
  const { token, client } = await connect(['posts:read'])
  await world.world.db`update oauth_grant set revoked_at = now()`
  expect((await askTools(token)).status).toBe(401)
  await client.close()
})

test('a resource that is not here is refused', async () => {
  const { url } = await begin(world, { resource: `${world.baseUrl}/app` })
  const answer = await world.browser().get(url)
  expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'invalid_target' }])
})
