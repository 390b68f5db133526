import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildCli, type CliCall, runCli } from './rigs/cli.ts'
import { MCP_HEADERS } from './rigs/mcp-message.ts'
import { consentForm, me } from './rigs/oauth-flow.ts'
import { openOAuthWorld, textOf } from './rigs/oauth-world.ts'

/* `postrider login` in the browser, here or on another device: what a person allows there, the terminal may do, until it logs out. */

const world = await openOAuthWorld()
let built: Awaited<ReturnType<typeof buildCli>>
let folder: string
beforeAll(async () => {
  built = await buildCli()
  folder = await mkdtemp(join(tmpdir(), 'postrider-login-'))
})
afterAll(async () => {
  await built?.[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const path = () => join(folder, 'credentials.json')
const stored = async () => {
  const { logins } = JSON.parse(await readFile(path(), 'utf8')) as { logins: Record<string, any> }
  return Object.values(logins)[0]
}
const cli = (args: readonly string[], call: CliCall = {}) =>
  runCli(built.folder, args, { ...call, env: { POSTRIDER_CONFIG_DIR: folder, ...call.env } })

const TOOLS = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })}\n`
const toolNames = async () => {
  const { json } = await cli(['mcp'], { input: TOOLS })
  return (json.result.tools as { name: string }[]).map(({ name }) => name)
}
const askTools = (token: string) =>
  fetch(world.mcp, {
    method: 'POST',
    headers: { ...MCP_HEADERS, authorization: `Bearer ${token}` },
    body: TOOLS,
  })
const refreshTokens = async () =>
  (await world.world.db`select from oauth_artifact where model = 'RefreshToken'`).length

/** Begins to log in, and gives where a person is to allow it. */
async function beginLogin() {
  const asked = Promise.withResolvers<string>()
  const ended = cli(['login', world.baseUrl, '--no-browser'], {
    onError: (text) => {
      const address = /http:\S+\/oauth\/auth\S+/.exec(text)?.[0]
      if (address !== undefined) asked.resolve(address)
    },
  })
  return { ended, address: new URL(await asked.promise) }
}

/** Logs in as a person does who allows these permissions, or denies it. */
async function logIn(form: [string, string][]) {
  const { ended, address } = await beginLogin()
  const owner = world.browser()
  const page = await owner.follow(await owner.get(address))
  const { url } = await owner.follow(await owner.submit(page.url, form))
  expect(url.hostname).toBe('127.0.0.1')
  // Pages of others can send a browser there, too.
  expect((await fetch(`${url.origin}/callback?code=stolen&state=guessed`)).status).toBe(404)
  expect((await fetch(url)).status).toBe(200)
  return ended
}

test('what a person allows in the browser is stored, renewed once by many processes, and ended', async () => {
  expect(await logIn(consentForm(world, ['posts:read', 'channels:read']))).toMatchObject({
    code: 0,
    out: expect.stringContaining('as Ada'),
  })
  const first = await stored()
  expect((await cli(['whoami', '--json'])).json.credential).toMatchObject({
    type: 'oauth',
    permissions: ['channels:read', 'posts:read'],
  })

  // The tools take another token than the API, which the same login gets.
  expect((await toolNames()).length).toBeGreaterThan(5)
  const { accessToken, tools } = await stored()
  expect(tools.accessToken).not.toBe(accessToken)
  expect((await me(world, tools.accessToken)).status).toBe(401)
  expect((await cli(['whoami'])).code).toBe(0)

  const text = await readFile(path(), 'utf8')
  await writeFile(path(), text.replaceAll(/"expiresAt": \d+/g, '"expiresAt": 0'))
  const before = await refreshTokens()
  const ended = await Promise.all(Array.from({ length: 6 }, () => cli(['whoami'])))
  expect(ended.map(({ code }) => code)).toEqual(Array(6).fill(0))
  let renewed = await stored()
  expect(renewed.refreshToken).not.toBe(first.refreshToken)
  expect(await refreshTokens()).toBe(before + 1)
  // With the API’s and the tools’ tokens asked for at the same moment, neither undoes the other.
  await writeFile(path(), (await readFile(path(), 'utf8')).replaceAll(/"expiresAt": \d+/g, '"expiresAt": 0'))
  const mixed = await Promise.all([toolNames(), cli(['whoami']), toolNames(), cli(['whoami'])])
  expect([mixed[0].length, mixed[1].code]).toEqual([mixed[2].length, 0])
  expect(await refreshTokens()).toBe(before + 3)

  renewed = await stored()
  expect((await cli(['logout'])).code).toBe(0)
  expect((await cli(['whoami'])).code).toBe(3)
  expect((await me(world, renewed.accessToken)).status).toBe(401)
  expect((await askTools(renewed.tools.accessToken)).status).toBe(401)
})

test('a login whose refresh token was taken back says in one sentence that it is over, to tools, too', async () => {
  await logIn(consentForm(world))
  await world.world.db`delete from oauth_artifact where model = 'RefreshToken'`
  await writeFile(path(), (await readFile(path(), 'utf8')).replaceAll(/"expiresAt": \d+/g, '"expiresAt": 0'))
  expect(await cli(['whoami'])).toMatchObject({
    code: 3,
    err: expect.stringMatching(/^The login has ended .* Run `postrider login` again\.\n$/),
  })
  const { json } = await cli(['mcp'], { input: TOOLS })
  expect(json.error.message).toContain('Run `postrider login` again')
})

test('a login that a person denies is told, and stores nothing', async () => {
  expect(await logIn([['decision', 'deny']])).toMatchObject({
    code: 3,
    err: expect.stringContaining('The login was not allowed'),
  })
  expect((await cli(['whoami'])).code).toBe(3)
})

/** Begins `login --device`, and gives the code that it shows. */
async function beginDevice(args: readonly string[] = []) {
  const shown = Promise.withResolvers<string>()
  const ended = cli(['login', world.baseUrl, '--device', ...args], {
    onError: (text) => {
      const code = /[A-Z]{4}-[A-Z]{4}/.exec(text)?.[0]
      if (code !== undefined) shown.resolve(code)
    },
  })
  return { ended, code: await shown.promise }
}

test('a login on another device gets what a person allows there, for the API and the tools, renews and ends it', async () => {
  const { ended, code } = await beginDevice()
  const owner = world.browser()
  const page = await owner.submit('/device', [['code', code]])
  expect(await textOf(page)).toContain('Postrider CLI on ')
  expect((await owner.submit('/device', consentForm(world, ['posts:read', 'channels:read']))).status).toBe(
    200,
  )
  const { code: exit, out, err } = await ended
  expect([exit, out]).toEqual([0, expect.stringContaining('as Ada')])
  expect(err).toContain(`Open ${world.baseUrl}/device in a browser`)
  expect((await cli(['whoami', '--json'])).json.credential).toMatchObject({ type: 'oauth' })
  expect((await toolNames()).length).toBeGreaterThan(5)
  await writeFile(path(), (await readFile(path(), 'utf8')).replaceAll(/"expiresAt": \d+/g, '"expiresAt": 0'))
  expect((await cli(['whoami'])).code).toBe(0)
  const { accessToken } = await stored()
  expect((await cli(['logout'])).code).toBe(0)
  expect((await me(world, accessToken)).status).toBe(401)
})

test('a login on another device tells each other end in a sentence, and stores nothing', async () => {
  const deny = async (code: string) => {
    const owner = world.browser()
    await owner.submit('/device', [['code', code]])
    await owner.submit('/device', [['decision', 'deny']])
  }
  const expire = () => world.world.db`update oauth_artifact set expires_at = now() where model = 'DeviceCode'`
  const forget = () => world.world.db`delete from oauth_artifact where model = 'DeviceCode'`
  for (const [end, said] of [
    [deny, /^The login was denied\.$/],
    [expire, /^The code was not allowed in time\. Run .* again for another one\.$/],
    [forget, /^The code has expired\. If it was allowed, the answer was lost: run .* again\.$/],
  ] as const) {
    const { ended, code } = await beginDevice(['--json'])
    await end(code)
    const { code: exit, out, err } = await ended
    const [shown, last] = err.trim().split('\n')
    expect(JSON.parse(shown!)).toEqual({
      page: `${world.baseUrl}/device`,
      userCode: code,
      expiresInSeconds: 600,
    })
    expect([exit, out, JSON.parse(last!).error.message]).toEqual([3, '', expect.stringMatching(said)])
  }
  expect((await cli(['whoami'])).code).toBe(3)
})

test('what others send to the port of a login changes nothing: it takes the one answer that it asked for', async () => {
  const { ended, address } = await beginLogin()
  const back = new URL(address.searchParams.get('redirect_uri')!)
  const state = address.searchParams.get('state')!
  expect(back.hostname).toBe('127.0.0.1')
  const get = async (path: string, init: RequestInit = {}) => (await fetch(new URL(path, back), init)).status
  // Requests of others: no state or a wrong one, another path, another method, by a name that leads here.
  expect(await get('/callback')).toBe(404)
  expect(await get('/callback?state=&code=stolen')).toBe(404)
  expect(await get(`/callback?state=${state.slice(0, -1)}x&code=stolen`)).toBe(404)
  expect(await get(`/else?state=${state}&code=stolen`)).toBe(404)
  expect(await get(`/callback?state=${state}&code=stolen`, { method: 'POST', body: 'a' })).toBe(404)
  expect(await rawStatus(back, `GET //?x HTTP/1.1\r\nhost: a\r\n\r\n`)).toMatch(/^HTTP\/1\.1 404/)
  expect(
    await rawStatus(back, `GET /callback?state=${state}&code=a HTTP/1.1\r\nhost: evil.example\r\n\r\n`),
  ).toMatch(/^HTTP\/1\.1 404/)
  // One who sends slowly holds nobody up.
  const slow = connect(Number(back.port), back.hostname)
  slow.on('error', () => undefined).write('POST /callback HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\na')
  const owner = world.browser()
  const page = await owner.follow(await owner.get(address))
  const { url } = await owner.follow(await owner.submit(page.url, consentForm(world)))
  expect((await fetch(url)).status).toBe(200)
  expect(await ended).toMatchObject({ code: 0 })
  await expect(fetch(url)).rejects.toThrow('fetch failed')
  slow.destroy()
})

/** A server of a stranger, which says of itself what a server of ours does, but for what is changed. */
async function hostileServer(
  change: (origin: string) => Partial<Record<'resource' | 'issuer' | 'answers', object>>,
) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', origin)
    asked.push(pathname)
    const answers: Record<string, object> = {
      '/.well-known/oauth-protected-resource/agent/v1': {
        resource: `${origin}/agent/v1`,
        authorization_servers: [`${origin}/oauth`],
        ...change(origin).resource,
      },
      '/.well-known/oauth-authorization-server/oauth': {
        issuer: `${origin}/oauth`,
        authorization_endpoint: `${origin}/oauth/auth`,
        token_endpoint: `${origin}/oauth/token`,
        revocation_endpoint: `${origin}/oauth/token/revocation`,
        registration_endpoint: `${origin}/oauth/reg`,
        device_authorization_endpoint: `${origin}/oauth/device/auth`,
        ...change(origin).issuer,
      },
      '/oauth/reg': { client_id: 'a' },
      '/oauth/device/auth': {
        device_code: 'a',
        user_code: 'BCDF-GHJK',
        verification_uri: `${origin}/device`,
        expires_in: 1,
        interval: 1,
        ...change(origin).answers,
      },
    }
    const answer = answers[pathname]
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer ?? {}))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    asked,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

const ENDPOINTS = [
  'authorization_endpoint',
  'token_endpoint',
  'revocation_endpoint',
  'registration_endpoint',
  'device_authorization_endpoint',
]
const ELSEWHERE = [
  'file:///etc/passwd',
  'vscode://x/y',
  '//evil.example/share',
  'https://evil.example/x',
  'nothing',
]

test.each<[string, Parameters<typeof hostileServer>[0], string[]]>([
  ['the address of another server', () => ({ resource: { resource: `${world.baseUrl}/agent/v1` } }), []],
  [
    'an issuer that all can read',
    () => ({ resource: { authorization_servers: ['http://evil.example/oauth'] } }),
    [],
  ],
  ...ENDPOINTS.flatMap((name) =>
    ELSEWHERE.map((address): [string, Parameters<typeof hostileServer>[0], string[]] => [
      `${name} at ${address}`,
      () => ({ issuer: { [name]: address } }),
      [],
    ]),
  ),
  ...ELSEWHERE.map((verification_uri): [string, Parameters<typeof hostileServer>[0], string[]] => [
    `a page for codes at ${verification_uri}`,
    () => ({ answers: { verification_uri } }),
    ['--device'],
  ]),
  ['a sentence as code', () => ({ answers: { user_code: 'A\n\nOpen evil.example' } }), ['--device']],
])('a server that names %s opens nothing, and changes no login', async (_, change, options) => {
  await using server = await hostileServer(change)
  const opened = join(folder, 'opened')
  const browser = join(folder, 'browser')
  await writeFile(browser, `#!/bin/sh\necho "$1" > ${opened}\n`, { mode: 0o700 })
  const before = JSON.stringify({
    server: world.baseUrl,
    logins: { [world.baseUrl]: { kind: 'key', key: 'pr_mine' } },
  })
  await writeFile(path(), before, { mode: 0o600 })
  const { code, out, err } = await cli(['login', server.origin, ...options], { env: { BROWSER: browser } })
  expect([code, out]).toEqual([1, ''])
  expect(err).toMatch(/^http:\S+ (says that its address is|names|does not answer like a Postrider server)/)
  expect(await readFile(path(), 'utf8')).toBe(before)
  expect(existsSync(opened)).toBe(false)
  expect(server.asked).not.toContain('/oauth/token')
})

test('what a server says acts on no terminal', async () => {
  const escape = '\u001b]0;owned\u0007\u009b2J'
  const event = { id: escape, type: escape, createdAt: escape, data: { post: { postId: escape } } }
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'a' })
    response.end(JSON.stringify({ items: [event], nextCursor: escape, hasMore: false }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const env = {
    POSTRIDER_KEY: 'pr_a',
    POSTRIDER_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  }
  for (const more of [[], ['--json']]) {
    const { out, err } = await cli(['events', ...more], { env })
    expect(out).toContain('owned')
    expect(out + err).not.toMatch(/(?!\n)\p{Cc}/u)
  }
  const { json } = await cli(['events', '--json'], { env })
  expect(json).toEqual(event)
  server.close()
  server.closeAllConnections()
})

/** The first line that a request is answered with. */
function rawStatus(back: URL, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(back.port), back.hostname)
    socket
      .setEncoding('utf8')
      .on('error', reject)
      .once('data', (text) => {
        resolve(String(text).split('\r\n')[0]!)
        socket.destroy()
      })
    socket.write(request)
  })
}
