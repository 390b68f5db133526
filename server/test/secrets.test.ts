import { randomBytes } from 'node:crypto'
import { type SandboxNetwork, startSandboxNetwork } from '@postrider/sandbox-network'
import { problemCodes } from '@postrider/contract'
import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openSandboxAccount } from '../src/accounts/sandbox/sandbox-accounts.ts'
import { comeDue } from './rigs/come-due.ts'
import { aChannel } from './rigs/fixtures.ts'
import {
  aKey,
  type Answer,
  type RequestOptions,
  dumpTables,
  openRunningApp,
  type RunningApp,
} from './rigs/running-app.ts'

/*
 * Secrets that are known to the test go through everything the product does, well and badly. Then they are looked for
 * in all that it said and stored, in each spelling that a careless line of code would give them.
 */

let network: SandboxNetwork
let app: RunningApp
let channelId: string
let brokenChannelId: string
let secrets: Record<string, string | Buffer>
const answers: Answer[] = []

beforeAll(async () => {
  network = await startSandboxNetwork({ memory: true })
  const secretKey = randomBytes(32)
  app = await openRunningApp({
    roles: 'api,publisher',
    logLevel: 'trace',
    sandboxUrl: network.url,
    secretKeys: secretKey.toString('base64'),
  })
  const account = await openSandboxAccount(
    network.url,
    { handle: 'canary', displayName: 'Canary', profile: 'short' },
    { takeOver: false },
  )
  const { workspaceId } = app.workspace
  const authorization = { baseUrl: network.url, accessToken: account.token, accountId: account.id }
  channelId = await aChannel(app.db, workspaceId, { authorization, keyring: app.keyring })
  brokenChannelId = await aChannel(app.db, workspaceId)
  secrets = {
    'the agent key': app.key,
    'another agent key': await aKey(app.db, app.workspace, { permissions: [] }),
    'the token of the account': account.token,
    'the secret key': secretKey,
  }
  await useEverything()
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await network.close()
})

async function ask(method: string, path: string, asking?: RequestOptions): Promise<Answer> {
  const answer = await app.ask(method, path, asking)
  answers.push(answer)
  return answer
}

async function create(text: string, change: object = {}): Promise<Answer> {
  const publishAt = new Date(Date.now() + 3_600_000).toISOString()
  const plan = { state: 'scheduled', publishAt, channelIds: [channelId], text }
  const made = await ask('POST', '/agent/v1/posts', {
    body: { confirmed: true, idempotencyKey: uuidv7(), ...plan, ...change },
  })
  if (made.status === 201) await comeDue(app.db, made.body.postId)
  return made
}

async function useEverything(): Promise<void> {
  const made = await create('Well')
  await create('Refused #sandbox:refuse')
  await create('Lost #sandbox:accept-then-drop')
  await create('Broken', { channelIds: [brokenChannelId] })
  await create('Waits for a person', { state: 'immediate', publishAt: undefined })
  const draft = await create('Draft', { state: 'draft', publishAt: undefined })
  await ask('POST', `/agent/v1/posts/${draft.body.postId}/edit`, {
    body: { confirmed: true, editToken: draft.body.editToken, content: { text: 'Edited' } },
    headers: { 'idempotency-key': 'edit' },
  })
  await vi.waitUntil(isAtRest, { timeout: 20_000 })
  await create('Unauthorised #sandbox:unauthorized')
  await vi.waitUntil(isAtRest, { timeout: 20_000 })

  const reads = ['me', 'channels', 'posts', `posts/${made.body.postId}`].map((name) => `/agent/v1/${name}`)
  const now = Date.now()
  const range = new URLSearchParams({
    from: new Date(now - 1e6).toISOString(),
    to: new Date(now + 1e6).toISOString(),
  })
  const pages = ['/openapi/json', '/openapi', '/problems', '/metrics', '/healthz', '/readyz']
  const problemPages = problemCodes.map((code) => `/problems/${code}`)
  for (const path of [...reads, `/agent/v1/calendar?${range.toString()}`, ...pages, ...problemPages]) {
    const { status } = await ask('GET', path)
    expect({ path, status }).toEqual({ path, status: 200 })
  }
  await misuseTheKeys()
  await breakTheDatabase()
}

/** Whether the publisher has nothing left to do. */
async function isAtRest(): Promise<boolean> {
  const rows = await app.db`select from destination where status in ('scheduled', 'publishing', 'checking')`
  return rows.length === 0
}

/** Keys where they do not belong. What was sent may come back in the answer; the log is to know nothing of it. */
async function misuseTheKeys(): Promise<void> {
  for (const misused of [app.key, secrets['another agent key'] as string]) {
    await app.ask('GET', `/agent/v1/posts/${misused}`)
    await app.ask('GET', `/${misused}`)
    await app.ask('GET', `/agent/v1/posts?q=${misused}`)
    await app.ask('GET', `/agent/v1/posts?cursor=${misused}`)
    await app.ask('GET', `/agent/v1/me?access_token=${misused}`)
    await app.ask('POST', '/agent/v1/posts', { body: { [misused]: misused } })
    await app.ask('POST', '/agent/v1/posts', { body: `{"${misused}` })
    for (const authorization of [
      misused,
      `Basic ${misused}`,
      `Bearer ${misused}x`,
      `Bearer ${misused} ${misused}`,
    ]) {
      await ask('GET', '/agent/v1/me', { key: null, headers: { authorization } })
    }
    await ask('GET', '/agent/v1/posts', { key: misused })
    await ask('GET', '/agent/v1/me', { headers: { cookie: `session=${misused}`, 'x-api-key': misused } })
  }
}

/** A fault of ours, with everything that a driver tells about it. */
async function breakTheDatabase(): Promise<void> {
  await app.db`alter table channel rename column display_name to misnamed`
  try {
    const broken = await ask('GET', '/agent/v1/channels')
    expect({ status: broken.status, code: broken.body.code }).toEqual({ status: 500, code: 'internal_error' })
    await create('Never made')
  } finally {
    await app.db`alter table channel rename column misnamed to display_name`
  }
}

function spellings(secret: string | Buffer): string[] {
  const bytes = Buffer.from(secret)
  const encoded = [
    bytes.toString('hex'),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
  ]
  // The prefix of an agent key is no secret, and neither is the hint made of its first characters.
  return typeof secret === 'string'
    ? [secret, secret.slice(8), encodeURIComponent(secret), ...encoded]
    : encoded
}

/** Which of the secrets stand in these texts. */
function found(texts: readonly string[]): string[] {
  const all = texts.join('\n').toLowerCase()
  return Object.entries(secrets).flatMap(([name, secret]) =>
    spellings(secret).some((spelling) => all.includes(spelling.toLowerCase())) ? [name] : [],
  )
}

test('the search finds what is there', () => {
  expect(found([`x${app.key}x`])).toEqual(['the agent key'])
  expect(found([(secrets['the secret key'] as Buffer).toString('hex').toUpperCase()])).toEqual([
    'the secret key',
  ])
})

test('the product did all of it: published, failed, in doubt, broken, refused', async () => {
  const rows = await app.db<{ status: string }[]>`select distinct status from destination order by 1`
  expect(rows.map(({ status }) => status)).toEqual([
    'delayed',
    'draft',
    'failed',
    'published',
    'reconnect_required',
  ])
  const levels = new Set(app.logged.map((line) => (JSON.parse(line) as { level: string }).level))
  expect([...levels].toSorted()).toEqual(expect.arrayContaining(['error', 'info']))
})

test('no answer, page, description or problem holds a secret', () => {
  expect(answers.length).toBeGreaterThan(40)
  expect(found(answers.map(({ text, headers }) => `${text}\n${JSON.stringify([...headers])}`))).toEqual([])
})

test('no line of the log holds a secret, at the level that tells most', () => {
  expect(app.logged.length).toBeGreaterThan(60)
  expect(found(app.logged)).toEqual([])
})

test('no row of any table holds a secret in the clear', async () => {
  const counts = await app.db<{ row: string }[]>`select t::text as row from rate_count t`
  const dump = await dumpTables(app.db)
  expect(dump['outbox_event']!.length).toBeGreaterThan(5)
  expect(found([...Object.values(dump).flat(), ...counts.map(({ row }) => row)])).toEqual([])
})

test('no event holds a secret, or an id that is ours or the network’s alone', async () => {
  const rows = await app.db<{ body: Buffer }[]>`select body from outbox_event`
  const bodies = rows.map(({ body }) => body.toString())
  expect(found(bodies)).toEqual([])

  const internal = await app.db<{ id: string }[]>`
    select id::text from destination union all select id::text from attempt union all select remote_account_id from channel
    union all select workspace_id::text from post union all select control_token from destination`
  const remote = await app.db<{ id: string }[]>`select remote_id as id from part where remote_id is not null`
  // The address of a post holds the id that the network gave it.
  const withoutAddresses = bodies.map((body) => body.replaceAll(/"releaseUrl":"[^"]*"/g, ''))
  const told = [...internal, ...remote].filter(({ id }) => withoutAddresses.some((body) => body.includes(id)))
  expect(told).toEqual([])
})

test('an answer to a fault of ours tells nothing but its name', () => {
  const broken = answers.filter(({ status }) => status === 500)
  expect(broken).toHaveLength(2)
  for (const { body } of broken) {
    expect(Object.keys(body as object).toSorted()).toEqual(
      ['code', 'detail', 'instance', 'requestId', 'status', 'title', 'type'].toSorted(),
    )
    expect(JSON.stringify(body)).not.toMatch(/display_name|column|select|\.ts/)
  }
})
