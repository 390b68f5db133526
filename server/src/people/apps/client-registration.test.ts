import { afterAll, expect, test } from 'vitest'
import { openOAuthWorld } from '../../../test/rigs/oauth-world.ts'

/** What clients send in practice; each asks for something that is not offered here, and must get in all the same. */
const clients: [string, Record<string, unknown>][] = [
  [
    'VS Code',
    {
      client_name: 'Visual Studio Code',
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code'],
      redirect_uris: [
        'https://insiders.vscode.dev/redirect',
        'https://vscode.dev/redirect',
        'http://127.0.0.1/',
        'http://127.0.0.1:33418/',
      ],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    },
  ],
  [
    'Cursor',
    {
      client_name: 'Cursor',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      redirect_uris: ['cursor://anysphere.cursor-mcp/oauth/callback'],
      token_endpoint_auth_method: 'none',
    },
  ],
  [
    'Claude',
    {
      client_name: 'Claude',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
      token_endpoint_auth_method: 'client_secret_post',
      scope: 'posts:read posts:write',
    },
  ],
  [
    'Claude Code',
    {
      client_name: 'Claude Code (postrider)',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      redirect_uris: ['http://localhost:45123/callback'],
      token_endpoint_auth_method: 'none',
    },
  ],
  [
    'ChatGPT',
    {
      client_name: 'ChatGPT',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
      token_endpoint_auth_method: 'client_secret_post',
    },
  ],
  [
    'the MCP inspector',
    {
      client_name: 'MCP Inspector',
      client_uri: 'https://github.com/modelcontextprotocol/inspector',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      redirect_uris: ['http://localhost:6274/oauth/callback'],
      token_endpoint_auth_method: 'none',
      scope: 'openid profile posts:read',
    },
  ],
  [
    'mcp-remote',
    {
      client_name: 'MCP CLI Proxy',
      client_uri: 'https://github.com/modelcontextprotocol/mcp-cli',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      redirect_uris: ['http://127.0.0.1:3334/oauth/callback'],
      software_id: '2e6dc280-f3c3-4e01-99a7-8181dbd1d23d',
      software_version: '1.0.0',
      token_endpoint_auth_method: 'none',
    },
  ],
]

function register(baseUrl: string, body: unknown): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return fetch(`${baseUrl}/oauth/reg`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: text,
  })
}

const world = await openOAuthWorld()
afterAll(() => world[Symbol.asyncDispose]())
const { db } = world.world

test('clients of today register', async () => {
  for (const [name, body] of clients) {
    const answer = await register(world.baseUrl, body)
    expect([name, answer.status]).toEqual([name, 201])
    const registered = (await answer.json()) as { grant_types: string[]; scope?: string }
    const asked = (body['grant_types'] ?? []) as string[]
    const ofDevices = asked.filter((type) => type.endsWith(':device_code'))
    expect(registered.grant_types).toEqual(['authorization_code', 'refresh_token', ...ofDevices])
    expect(registered.scope ?? '').not.toMatch(/openid|profile/)
  }
})

test('an application has a scheme of its own, by the name of its domain', async () => {
  const answer = await register(world.baseUrl, {
    redirect_uris: ['com.example.app:/callback', 'com.example.app://callback'],
    token_endpoint_auth_method: 'none',
  })
  expect(answer.status).toBe(201)
})

test.each([
  ['a script as redirect', { redirect_uris: ['javascript:alert(1)'] }],
  ['data as redirect', { redirect_uris: ['data:text/html,x'] }],
  ['http off the loopback address', { redirect_uris: ['http://agent.example/callback'] }],
  ['a fragment', { redirect_uris: ['https://agent.example/callback#x'] }],
  ['no redirect', { redirect_uris: [] }],
  ['a program of the system', { redirect_uris: ['ms-msdt:/id'] }],
  ['an intent of Android', { redirect_uris: ['intent://x/#Intent;end'] }],
  ['an intent of Android, without a fragment', { redirect_uris: ['intent://x/y'] }],
  ['a program of the system beside a good one', { redirect_uris: ['https://a.example/', 'search-ms:x'] }],
  ['user information', { redirect_uris: ['https://user:pw@a.example/callback'] }],
  ['a name of a user', { redirect_uris: ['https://user@a.example/callback'] }],
  ['a line end', { redirect_uris: ['https://a.example/call\r\nback'] }],
  ['a tab', { redirect_uris: ['https://a.example/call\tback'] }],
  ['a scope of which nothing is known', { redirect_uris: ['https://a.example/'], scope: 'everything root' }],
  ['a list', [1, 2]],
  ['what is no JSON', '{"redirect_uris": ['],
])('%s is refused as the RFC says, and nothing is kept', async (_what, body) => {
  const before = await db`select from oauth_artifact where model = 'Client'`
  const whole =
    Array.isArray(body) || typeof body === 'string' ? body : { token_endpoint_auth_method: 'none', ...body }
  const answer = await register(world.baseUrl, whole)
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ error: expect.stringMatching(/^invalid_/) })
  expect(await db`select from oauth_artifact where model = 'Client'`).toHaveLength(before.length)
})

test('a registration gets no weaker flow than the one that is offered, whatever it asks for', async () => {
  const answer = await register(world.baseUrl, {
    redirect_uris: ['https://agent.example/callback'],
    grant_types: ['implicit', 'password', 'client_credentials'],
    response_types: ['token', 'id_token token'],
    token_endpoint_auth_method: 'none',
  })
  expect(answer.status).toBe(201)
  expect(await answer.json()).toMatchObject({
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  })
})

test('a body without end, and too many registrations, are refused', async () => {
  await using world = await openOAuthWorld({ registrationsPerMinute: 2 })
  const large = await register(world.baseUrl, JSON.stringify({ client_name: 'x'.repeat(100_000) }))
  expect([large.status, await large.json()]).toMatchObject([413, { error: 'invalid_request' }])
  expect(
    (
      await register(world.baseUrl, {
        redirect_uris: ['https://agent.example/callback'],
        token_endpoint_auth_method: 'none',
      })
    ).status,
  ).toBe(201)
  const third = await register(world.baseUrl, {})
  expect(third.status).toBe(429)
  expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0)
})

const fit = { redirect_uris: ['https://agent.example/callback'], token_endpoint_auth_method: 'none' }

test.each([
  ['what turns the direction of writing round', 'Claude\u202Emoc.edualc'],
  ['an isolate', 'Claude\u2066x\u2069'],
  ['a mark of direction', 'Claude\u200F'],
  ['nothing that is seen', 'Cl\u200Baude'],
  ['a filler', 'Claude\u3164'],
  ['a blank of Braille', '\u2800'],
  ['a selector of forms alone', '\uFE0F'],
  ['an accent alone', '\u0301'],
  ['a line end', 'Claude\nclaude.com'],
  ['a line separator', 'Claude\u2028claude.com'],
  ['a control', 'Claude\u0007'],
  ['a code point without a meaning', 'Claude\u{E0FFF}'],
  ['101 characters', 'x'.repeat(101)],
  ['spaces alone', '   '],
  ['no letter', ''],
  ['no text', 7 as unknown as string],
])('a name with %s is refused', async (_what, client_name) => {
  const answer = await register(world.baseUrl, { ...fit, client_name })
  expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'invalid_client_metadata' }])
})

test('a name of a hundred characters in any writing is taken', async () => {
  for (const client_name of [
    '😀'.repeat(100),
    'مساعد النشر',
    'Агент',
    '出版助手',
    'Zoë’s “agent” №1',
    '❤\uFE0F',
  ]) {
    const answer = await register(world.baseUrl, { ...fit, client_name })
    expect([answer.status, await answer.json()]).toMatchObject([201, { client_name }])
  }
})

test('a registration leaves one row and hands out nothing by which it could be changed', async () => {
  await db`delete from oauth_artifact`
  const answer = await register(world.baseUrl, fit)
  expect(await answer.json()).not.toHaveProperty('registration_access_token')
  expect(await db`select model from oauth_artifact`).toEqual([{ model: 'Client' }])
})
