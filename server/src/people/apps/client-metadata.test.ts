import { afterAll, describe, expect, test } from 'vitest'
import { makeCertificate } from '../../../test/rigs/certificate.ts'
import { openNameServer } from '../../../test/rigs/name-server.ts'
import { begin, consent, exchange, me, REDIRECT } from '../../../test/rigs/oauth-flow.ts'
import { type OAuthWorld, openOAuthWorld, textOf } from '../../../test/rigs/oauth-world.ts'
import type { OAuthServerOptions } from '../../../test/rigs/oauth-server.ts'
import { openReceiver } from '../../../test/rigs/receiver.ts'

/*
 * Clients that are named by the address of their metadata document (draft-ietf-oauth-client-id-metadata-document), fetched
 * over TLS from a host that strangers run. 127.0.0.0/24 stands for the public internet.
 */

const certificate = makeCertificate(['agent.example.com', 'inner.example.com'])
const names = await openNameServer((name) => (name.startsWith('inner') ? ['127.6.6.6'] : ['127.0.0.1']))
/** What the host has at each path. */
const documents = new Map<string, Partial<{ status: number; headers: object; body: unknown }>>()
const host = await openReceiver(({ path }, response) => {
  const { status = 200, headers = {}, body = '' } = documents.get(path) ?? { status: 404 }
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}, certificate)
afterAll(async () => {
  await host[Symbol.asyncDispose]()
  await names[Symbol.asyncDispose]()
})

const addressOf = (path: string, name = 'agent.example.com') => `https://${name}:${host.port}${path}`
const timesFetched = (path: string) => host.received.filter((one) => one.path === path).length

const aDocument = (path: string) => ({
  client_id: addressOf(path),
  client_name: 'An agent with a home',
  redirect_uris: [REDIRECT],
  token_endpoint_auth_method: 'none',
})

function openWorldOfClients(options: OAuthServerOptions = {}): Promise<OAuthWorld> {
  const rules = { httpsOnly: true, trustedOrigins: [], trustedNetworks: ['127.0.0.0/24'] }
  const outbound = { rules, nameServers: [names.address], extraCa: certificate.cert }
  return openOAuthWorld({ ...options, outbound })
}

/** Asks for access as this client: a redirect to the consent page, or a refusal that goes nowhere. */
async function asks(world: OAuthWorld, client_id: string, change: Record<string, string> = {}) {
  const { url } = await begin(world, change, { client_id })
  const answer = await world.browser().get(url)
  return { status: answer.status, location: answer.headers.get('location'), text: await answer.text() }
}

test('a client is let in by the address of its metadata document, which is fetched once', async () => {
  await using world = await openWorldOfClients()
  documents.set('/agent.json', { body: aDocument('/agent.json') })
  const client = { client_id: addressOf('/agent.json') }
  const shown = await begin(world, {}, client)
  const owner = world.browser()
  const page = await owner.follow(await owner.get(shown.url))
  const text = await textOf(page.answer)
  expect(text).toContain(`describes itself at</p> <p><strong><bdi>${client.client_id}</bdi></strong></p>`)

  const flow = await begin(world, {}, client)
  const { access_token } = await exchange(flow, await consent(world, flow))
  expect(await (await me(world, access_token)).json()).toMatchObject({
    credential: { type: 'oauth', name: 'An agent with a home' },
  })
  expect(timesFetched('/agent.json')).toBe(1)
  expect(await world.world.db`select from oauth_artifact where model = 'Client'`).toHaveLength(0)
})

describe('a document that cannot be believed lets nobody in', async () => {
  const world = await openWorldOfClients()
  afterAll(() => world[Symbol.asyncDispose]())
  const good = aDocument('/bad.json')

  test.each([
    ['names another client', { body: { ...good, client_id: addressOf('/other.json') } }],
    ['names none', { body: { ...good, client_id: undefined } }],
    ['shares a secret', { body: { ...good, token_endpoint_auth_method: 'client_secret_post' } }],
    ['has a redirect off https', { body: { ...good, redirect_uris: ['http://agent.example/callback'] } }],
    ['turns the direction of writing round', { body: { ...good, client_name: 'Claude\u202Emoc.edualc' } }],
    ['has a name without end', { body: { ...good, client_name: 'x'.repeat(101) } }],
    ['asks for what nobody knows', { body: { ...good, scope: 'everything' } }],
    ['is a list', { body: [good] }],
    ['is no JSON', { body: '{"client_id":' }],
    ['is too large', { body: { ...good, client_uri: `https://agent.example/${'x'.repeat(20_000)}` } }],
    ['is elsewhere', { status: 302, headers: { location: addressOf('/agent.json') } }],
    ['is missing', { status: 404 }],
  ])('one that %s', async (_what, answer) => {
    documents.set('/agent.json', { body: aDocument('/agent.json') })
    documents.set('/bad.json', answer)
    const [before, elsewhere] = ['/bad.json', '/agent.json'].map(timesFetched)
    const refused = await asks(world, addressOf('/bad.json'))
    expect(refused).toMatchObject({ status: 400, location: null })
    expect(refused.text).toMatch(/"error":"invalid_(client|client_metadata|redirect_uri)"/)
    expect(timesFetched('/bad.json')).toBeGreaterThan(before!)
    expect(timesFetched('/agent.json')).toBe(elsewhere)
  })

  test('nor does one at an inner address, where nobody is even connected to', async () => {
    const before = host.connections()
    for (const client of [addressOf('/agent.json', 'inner.example.com'), `https://127.6.6.6:${host.port}/a`])
      expect(await asks(world, client)).toMatchObject({ status: 400, location: null })
    expect(host.connections()).toBe(before)
  })

  test('and nobody is sent to an address that the document does not have', async () => {
    documents.set('/agent.json', { body: aDocument('/agent.json') })
    const redirect_uri = 'https://evil.example/callback'
    expect(await asks(world, addressOf('/agent.json'), { redirect_uri })).toMatchObject({
      status: 400,
      location: null,
    })
  })
})

test('documents are fetched so many times a minute for one address, and one that is known counts no more', async () => {
  await using world = await openWorldOfClients({ registrationsPerMinute: 2 })
  const paths = ['/first.json', '/second.json', '/third.json']
  for (const path of paths) documents.set(path, { body: aDocument(path) })
  const statuses = []
  for (const path of [...paths, '/first.json']) statuses.push((await asks(world, addressOf(path))).status)
  expect(statuses).toEqual([303, 303, 400, 303])
  expect(paths.map(timesFetched)).toEqual([1, 1, 0])
})

test('switched off, no document is fetched, and the metadata of the server does not promise it', async () => {
  await using world = await openWorldOfClients({ settings: { clientMetadata: false } })
  documents.set('/off.json', { body: aDocument('/off.json') })
  expect(await asks(world, addressOf('/off.json'))).toMatchObject({ status: 400, location: null })
  expect(timesFetched('/off.json')).toBe(0)
  const { as } = await begin(world, {}, { client_id: addressOf('/off.json') })
  expect(as['client_id_metadata_document_supported']).not.toBe(true)
})
