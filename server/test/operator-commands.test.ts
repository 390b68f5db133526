import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { run } from '../../cli/src/run.ts'
import { operatorCommands } from '../../cli/src/operator/commands.ts'
import { operatorAccess } from '../src/operate/commands/operator-access.ts'
import { readSettings } from '../src/operate/commands/read-settings.ts'
import { makeKeyring } from '../src/platform/sealing/sealing.ts'
import { operatorTokenIn, readOperatorToken } from '../src/people/sign-in/session/operator-token.ts'
import { commandLineWith } from './rigs/command-line.ts'
import { aChannel, aWorkspace } from './rigs/fixtures.ts'
import { freePort } from './rigs/free-port.ts'
import { openRunningApp } from './rigs/running-app.ts'

/*
 * What the operator does over the API: what the command line says where the server is not there, breaks off or refuses, and
 * away from the server's machine. What the commands do is in `operate/commands/key.test.ts`, `people.test.ts` and `audit-walk.test.ts`.
 */

const secretKey = Buffer.alloc(32, 7)
const ID = '0199c1de-7c3a-7b52-9d0e-5f1f0c3b9a11'

async function aDataDir(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-operator-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

/** The command line on a machine where this answers at the server's port. Its database is not there, and is not needed. */
async function beside(
  answer: RequestListener | null,
  env: Record<string, string> = {},
  secrets: readonly string[] = [],
) {
  let port = await freePort()
  if (answer !== null) {
    const server = createServer(answer)
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    port = (server.address() as AddressInfo).port
  }
  return commandLineWith(
    {
      DATA_DIR: await aDataDir(),
      DATABASE_URL: 'postgresql://nobody@127.0.0.1:9/none',
      PORT: String(port),
      SECRET_KEYS: secretKey.toString('base64'),
      ...env,
    },
    { secrets },
  )
}

/** A command line for each command, with all that it needs. */
const lines = Object.keys(operatorCommands).map((name) => {
  const ids = / (attempts|resend)$/.test(name)
    ? [ID, ID]
    : / (add|create|invitations|invite|list|update)$/.test(name)
      ? []
      : [ID]
  const options: Record<string, string[]> = {
    'key create': ['--name', 'k'],
    'channel add': ['mastodon', '--server', 'mastodon.social'],
    'channel rename': ['--name', 'n'],
    'channel remove': ['--posts', 'keep'],
    'member invite': ['--email', 'bob@example.com', '--role', 'editor', '--deliver-by', 'link'],
    'member role': ['--role', 'viewer'],
    'webhook create': ['--url', 'https://example.com'],
    resolve: ['--channel-id', ID, '--control-token', 't', '--finding', 'absent'],
    'webhook update': [ID, '--description', 'd'],
    'webhook replay': ['--since', '1h'],
    'workspace update': ['--name', 'n'],
  }
  return [name, [...name.split(' '), ...ids, ...(options[name] ?? [])]] as const
})

test.each(lines)(
  '%s without a server says in a sentence that it has to run, and touches no database',
  async (_, line) => {
    const postrider = await beside(null, {}, ['a secret'])
    const { exitCode, said, errors } = await postrider(...line)
    expect({ exitCode, said, errors }).toEqual({
      exitCode: 6,
      said: '',
      errors: expect.stringMatching(
        /^No server answers at http:\/\/127\.0\.0\.1:\d+\. Start it .*`postrider serve`.*\n$/,
      ),
    })
  },
)

test('a change whose answer is lost is unknown, and a look is not', async () => {
  const postrider = await beside((request) => request.socket.destroy())
  const create = ['key', 'create', '--name', 'k']
  expect(await postrider(...create)).toMatchObject({
    exitCode: 5,
    errors: expect.stringContaining('The result is unknown'),
  })
  expect((await postrider('key', 'list')).exitCode).toBe(6)
  const { exitCode, errors } = await postrider(...create, '--json')
  expect({ exitCode, error: JSON.parse(errors).error }).toMatchObject({
    exitCode: 5,
    error: { code: 'unknown_outcome', outcome: 'unknown' },
  })
})

test.each([
  [500, 'internal_error', 5],
  [503, 'not_ready', 6],
  [401, 'not_signed_in', 3],
  [403, 'missing_permission', 3],
  [404, 'not_found', 4],
  [400, 'validation_failed', 1],
  [409, 'invalid_state', 1],
])('a change answered with %d %s ends with %d', async (status, code, exit) => {
  const problem = { type: 'about:blank', title: 'No', status, detail: 'Because.', code, requestId: 'r' }
  const postrider = await beside((_, reply) => {
    reply.writeHead(status, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem))
  })
  const { exitCode, errors } = await postrider('key', 'revoke', ID)
  expect({ exitCode, errors }).toEqual({ exitCode: exit, errors: expect.stringContaining('No: Because.') })
})

test('another program at that port is told apart, and is given nothing that lasts', async () => {
  let token: string | null = null
  const postrider = await beside((request, reply) => {
    token = operatorTokenIn(request.headers)
    reply.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not here</h1>')
  })
  const { exitCode, errors } = await postrider('key', 'list', '--workspace', 'Acme')
  expect({ exitCode, errors }).toEqual({
    exitCode: 6,
    errors: expect.stringContaining('does not answer like a Postrider server'),
  })
  const keyring = makeKeyring([secretKey])
  expect(readOperatorToken(keyring, token!, Date.now())).toMatchObject({ workspace: 'Acme', as: null })
  expect(readOperatorToken(keyring, token!, Date.now() + 2 * 60_000)).toBeNull()
})

test('a redirect is not followed: the token goes to this machine alone', async () => {
  const asked: string[] = []
  const elsewhere = createServer((request, reply) => {
    asked.push(request.headers.authorization ?? '')
    reply.end('[]')
  })
  await new Promise<void>((ready) => elsewhere.listen(0, '127.0.0.1', ready))
  onTestFinished(() => void elsewhere.close())
  const { port } = elsewhere.address() as AddressInfo
  const postrider = await beside((_, reply) => {
    reply.writeHead(307, { location: `http://127.0.0.1:${port}/` }).end()
  })
  expect((await postrider('key', 'list')).exitCode).toBe(6)
  expect(asked).toEqual([])
})

const json =
  (body: unknown): RequestListener =>
  (_, reply) =>
    void reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))

test('a name that every object has is no command, network or answer', async () => {
  const postrider = await beside(json(null))
  for (const name of ['constructor', '__proto__', 'toString']) {
    expect((await postrider(name)).exitCode).toBe(2)
    expect(await postrider('channel', 'add', name)).toMatchObject({
      exitCode: 2,
      errors: expect.stringContaining(`There is no network ${name}.`),
    })
  }
  expect((await postrider('key', 'list')).exitCode).toBe(6)
  expect((await postrider('key', 'create', '--name', 'k')).exitCode).toBe(5)
})

const TRICK = 'a\u001b[2J\u009b31m\u202eb'
const SHOWN = 'a\\u{1b}[2J\\u{9b}31m\\u{202e}b'

/** A server on which a link to connect accounts has been opened: each look at it is answered by the next of these. */
async function besideLink(looks: readonly RequestListener[], url = 'http://localhost/connect') {
  let look = 0
  return beside((request, reply) => {
    if (request.method === 'POST') return json({ url, linkId: ID })(request, reply)
    return looks[Math.min(look++, looks.length - 1)]!(request, reply)
  })
}
const ended = (more: object) => json({ status: 'connected', detail: null, channels: [], ...more })

test('what a network or a server says cannot act on the terminal', async () => {
  const channel = { channelId: ID, handle: TRICK, reconnected: false, resumed: 0 }
  const connected = await besideLink([ended({ channels: [channel] })], TRICK)
  expect(await connected('channel', 'add', 'threads')).toMatchObject({
    exitCode: 0,
    said: `Connected @${SHOWN} as channel ${ID} (threads).\n`,
    errors: expect.stringContaining(SHOWN),
  })
  const refused = await besideLink([ended({ status: 'refused', detail: TRICK })])
  expect(await refused('channel', 'add', 'threads')).toMatchObject({
    exitCode: 1,
    errors: expect.stringMatching(/\\u\{202e\}b\n$/),
  })
})

test('a server that is away while a link is open is waited for: the account may be connected all the same', async () => {
  const problem = { title: 'No', status: 503, detail: 'Because.', code: 'not_ready', requestId: 'r' }
  const postrider = await besideLink([
    (request) => request.socket.destroy(),
    (_, reply) =>
      void reply.writeHead(503, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem)),
    ended({ channels: [{ channelId: ID, handle: 'ada', reconnected: false, resumed: 0 }] }),
  ])
  expect(await postrider('channel', 'add', 'threads')).toMatchObject({
    exitCode: 0,
    said: `Connected @ada as channel ${ID} (threads).\n`,
  })
})

test('who interrupts the wait for a link is told that it is still good', async () => {
  const stop = new AbortController()
  const server = createServer((request, reply) => {
    if (request.method !== 'POST') stop.abort(new Error('Interrupted.'))
    json(request.method === 'POST' ? { url: 'http://localhost/connect', linkId: ID } : { status: 'open' })(
      request,
      reply,
    )
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  let said = ''
  const exit = await run(['channel', 'add', 'threads'], {
    env: { POSTRIDER_OPERATOR_URL: `http://127.0.0.1:${port}`, POSTRIDER_OPERATOR_TOKEN: 't' },
    write: (text) => (said += text),
    writeError: (text) => (said += text),
    signal: stop.signal,
    askSecret: async () => '',
  })
  expect(exit).toBe(5)
  expect(said).toContain('Interrupted. Whoever opens the link before it expires still connects the account')
})

test('a secret is named by what it is asked for by: there is no option for it', async () => {
  const error = { pointer: '/fields/webhookUrl', code: 'invalid_field', detail: 'No address.' }
  const problem = {
    title: 'No',
    status: 400,
    detail: 'No address.',
    code: 'validation_failed',
    requestId: 'r',
    errors: [error],
  }
  const asked: string[] = []
  const answer: RequestListener = (request, reply) => {
    asked.push(request.url ?? '')
    reply.writeHead(400, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem))
  }
  expect(await (await beside(answer, {}, ['x']))('channel', 'add', 'discord')).toMatchObject({
    exitCode: 1,
    errors: 'No: No address.\n  Webhook URL: No address.\n',
  })
  expect(asked).toHaveLength(1)
  expect(await (await beside(answer))('channel', 'add', 'discord')).toMatchObject({
    exitCode: 2,
    errors: expect.stringContaining('Webhook URL is missing'),
  })
  expect(asked).toHaveLength(1)
})

test('without the secret keys of the server there is no token', async () => {
  const postrider = await beside(null, { SECRET_KEYS: '' })
  const { exitCode, errors } = await postrider('key', 'list')
  expect({ exitCode, errors }).toEqual({
    exitCode: 1,
    errors: expect.stringContaining('There are no secret keys in'),
  })
})

test.each(lines)('%s away from the server says who does it', async (_, line) => {
  let errors = ''
  const exitCode = await run(line, {
    env: { POSTRIDER_KEY: 'pr_x', POSTRIDER_URL: 'http://127.0.0.1:9' },
    write: () => undefined,
    writeError: (text: string) => void (errors += text),
    signal: new AbortController().signal,
    askSecret: async () => '',
  })
  expect({ exitCode, errors }).toEqual({
    exitCode: 3,
    errors: expect.stringContaining('machine of the server'),
  })
})

test('posts are written, found and cancelled without a login, in the name of the operator, and the log says so', async () => {
  await using running = await openRunningApp()
  const { db, workspace } = running
  await db`update workspace set time_zone = 'Europe/Vienna'`
  const [channelId] = [await aChannel(db, workspace.workspaceId), await aChannel(db, workspace.workspaceId)]
  await db`update channel set enabled = false where id <> ${channelId}`
  const postrider = commandLineWith({ ...running.env, POSTRIDER_CONFIG_DIR: await aDataDir() })
  const json = async (...line: string[]): Promise<any> => {
    const { exitCode, said, errors } = await postrider(...line, '--json')
    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' })
    return JSON.parse(said)
  }
  expect(await json('channels')).toMatchObject([{ channelId }])
  expect((await postrider('whoami')).said).toContain('the operator of this machine')
  const year = new Date().getFullYear() + 1
  const made = await json('post', 'From the machine', '--to', channelId, '--at', `${year}-01-10T09:00`)
  expect(made).toMatchObject({
    createdBy: { type: 'person', name: 'operator' },
    destinations: [{ status: 'scheduled', publishAt: `${year}-01-10T08:00:00.000Z` }],
  })
  expect(await json('list')).toMatchObject([{ postId: made.postId }])
  expect(await json('cancel', made.postId)).toMatchObject({ destinations: [{ status: 'cancelled' }] })
  const acts = await db`select action, actor_type as by from audit_entry order by seq`
  expect(acts.map((act) => ({ ...act }))).toEqual([
    { action: 'appCreatePost', by: 'operator' },
    { action: 'appCancelDestination', by: 'operator' },
  ])
  const other = await aWorkspace(db)
  expect((await postrider('list')).errors).toContain('There are 2 workspaces: give --workspace')
  expect(await json('list', '--workspace', other.workspaceId)).toEqual([])
})

test('a login goes before the operator, and has its own workspace', async () => {
  const folder = await aDataDir()
  const asked: string[] = []
  const postrider = await beside(
    (request, reply) => {
      asked.push(`${request.url} ${request.headers.authorization}`)
      reply.writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'one' }).end('[]')
    },
    { POSTRIDER_CONFIG_DIR: folder, POSTRIDER_KEY: 'pr_mine' },
  )
  expect((await postrider('channels')).exitCode).toBe(0)
  expect(asked).toEqual(['/agent/v1/channels Bearer pr_mine'])
  expect(await postrider('channels', '--workspace', 'Acme')).toMatchObject({
    exitCode: 2,
    errors: expect.stringContaining('A login has one workspace'),
  })
})

test('without settings of a server, a login is asked for', async () => {
  const postrider = commandLineWith({ POSTRIDER_CONFIG_DIR: await aDataDir(), DATA_DIR: await aDataDir() })
  expect(await postrider('list')).toMatchObject({
    exitCode: 3,
    errors: expect.stringContaining('You are not logged in'),
  })
})

test('a proxy that Node is told to take gets nothing of the operator', async () => {
  const got: string[] = []
  const listen = async (name: string) => {
    const server = createServer((_request, response) => void (got.push(name), response.end('{}')))
    server.on('connect', (_request, socket) => void (got.push(name), socket.end('HTTP/1.1 403 No\r\n\r\n')))
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
    onTestFinished(() => void server.close())
    return String((server.address() as AddressInfo).port)
  }
  const [PORT, proxy] = [await listen('server'), await listen('proxy')]
  const settings = {
    HOST: '127.0.0.1',
    PORT,
    SECRET_KEYS: secretKey.toString('base64'),
    DATA_DIR: await aDataDir(),
  }
  const { env } = await operatorAccess(
    ['key', 'list'],
    readSettings({ ...settings, DATABASE_URL: 'postgresql://nobody@127.0.0.1:9/none' }),
    { env: {}, calledAs: 'postrider' },
  )
  const told = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: `http://127.0.0.1:${proxy}` }
  const ask = 'fetch(process.env.POSTRIDER_OPERATOR_URL).catch(() => undefined).finally(() => process.exit())'
  const child = promisify(execFile)
  await child(process.execPath, ['--eval', ask], { env: { ...process.env, ...told, ...env } })
  expect(got).toEqual(['server'])
})
