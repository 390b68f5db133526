import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startSandboxNetwork, type SandboxNetwork } from '@postrider/sandbox-network'
import { operations } from '@postrider/contract'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import * as api from '../../sdk/src/api.ts'
import {
  AnswerError,
  ConnectionError,
  EditConflictError,
  isProblem,
  Postrider,
  type PostriderError,
  ProblemError,
} from '../../sdk/src/index.ts'
import { comeDue } from './rigs/come-due.ts'
import { type FaultProxy, openFaultProxy, type ProxyFault } from './rigs/fault-proxy.ts'
import { aChannel } from './rigs/fixtures.ts'
import { freePort } from './rigs/free-port.ts'
import { aPhoto } from './rigs/media-files.ts'
import { openRunningApp, type RunningApp } from './rigs/running-app.ts'

/*
 * The SDK against the real server and the sandbox network, also through a proxy that breaks connections. SDK_WRITES says how
 * many writes meet it.
 */

const WRITES = Number(process.env['SDK_WRITES'] ?? 120)

let network: SandboxNetwork
let app: RunningApp
let proxy: FaultProxy
let channelId: string
let client: Postrider
/** Through the proxy. */
let unlucky: Postrider
let sent: string[] = []

beforeAll(async () => {
  network = await startSandboxNetwork({ memory: true })
  app = await openRunningApp({ roles: 'api,publisher', sandboxUrl: network.url })
  proxy = await openFaultProxy(new URL(app.baseUrl))
  channelId = await aSandboxChannel('ada')
  client = new Postrider({ key: app.key, baseUrl: app.baseUrl })
  const recording: typeof fetch = (url, init) => {
    sent.push(new Headers(init?.headers).get('idempotency-key') ?? '')
    return fetch(url, init)
  }
  unlucky = new Postrider({ key: app.key, baseUrl: proxy.url.href, fetch: recording, timeoutMs: 5_000 })
})
afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]()
  await app?.[Symbol.asyncDispose]()
  await network?.close()
})

async function aSandboxChannel(handle: string): Promise<string> {
  const response = await fetch(`${network.url}/control/accounts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ handle, profile: 'short' }),
  })
  const account = (await response.json()) as { id: string; token: string }
  const authorization = { baseUrl: network.url, accessToken: account.token, accountId: account.id }
  return aChannel(app.db, app.workspace.workspaceId, {
    authorization,
    keyring: app.keyring,
    displayName: handle,
  })
}

const nextYear = new Date().getFullYear() + 1
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000)
const aDraft = (text = 'Hello') => client.posts.create({ state: 'draft', channelIds: [channelId], text })
const failureOf = (call: PromiseLike<unknown>) =>
  call.then(
    () => Promise.reject(new Error('It was to fail.')),
    (error: unknown) => error as PostriderError,
  )

describe('a post', () => {
  test('is checked, created, awaited, and out with its address', async () => {
    const plan = {
      state: 'scheduled',
      channelIds: [channelId],
      text: 'Out by the SDK',
      publishAt: inHours(1),
    } as const
    expect(await client.posts.check(plan)).toMatchObject({ ready: true })
    const { postId } = await client.posts.create(plan)
    await comeDue(app.db, postId)
    const post = await client.posts.waitFor(postId)
    expect(post.destinations).toMatchObject([
      { status: 'published', releaseUrl: expect.stringContaining('http') },
    ])
  })

  test('is scheduled on all of its channels by one call, checked beside others before', async () => {
    const channelIds = [channelId, await aSandboxChannel('all')]
    const plan = { state: 'draft', channelIds, text: 'On both' } as const
    const { results } = await client.posts.checkMany([plan, { ...plan, text: '' }])
    expect(results.map(({ check }) => check?.ready)).toEqual([true, false])
    const draft = await client.posts.create(plan)
    const publishAt = inHours(3)
    const post = await client.posts.scheduleAll(draft, publishAt)
    const there = { status: 'scheduled', publishAt: publishAt.toISOString() }
    expect(post.destinations).toMatchObject([there, there])
    expect(isProblem(await failureOf(client.posts.scheduleAll(post, publishAt)), 'invalid_state')).toBe(true)
    await client.posts.cancel(post)
  })

  test('is given a time, another one, and cancelled, each by what was read', async () => {
    const draft = await aDraft()
    await client.posts.schedule(draft, { publishAt: inHours(2) })
    const scheduled = await client.posts.read(draft.postId)
    const moved = await client.posts.reschedule(scheduled, {
      channelId,
      publishAt: { local: `${nextYear}-07-01T09:00`, timeZone: 'Europe/Berlin' },
    })
    expect(moved).toMatchObject({ status: 'scheduled', publishAt: `${nextYear}-07-01T07:00:00.000Z` })
    expect(
      isProblem(await failureOf(client.posts.cancelOn(scheduled, channelId)), 'stale_control_token'),
    ).toBe(true)
    const publishAt = inHours(3)
    expect(
      isProblem(await failureOf(client.posts.rescheduleAll(scheduled, publishAt)), 'stale_edit_token'),
    ).toBe(true)
    const read = await client.posts.read(draft.postId)
    expect((await client.posts.rescheduleAll(read, publishAt)).destinations).toMatchObject([
      { status: 'scheduled', publishAt: publishAt.toISOString() },
    ])
    const cancelled = await client.posts.cancel(await client.posts.read(draft.postId))
    expect(cancelled.destinations).toMatchObject([{ status: 'cancelled' }])
    expect(await failureOf(client.posts.retry(cancelled, { publishAt: inHours(1) }))).toMatchObject({
      code: 'invalid_state',
    })
  })

  test('on one of several channels is named by it', async () => {
    const other = await aSandboxChannel('bob')
    const post = await client.posts.create({ state: 'draft', channelIds: [channelId, other], text: 'Both' })
    expect(() => client.posts.schedule(post, { publishAt: inHours(1) })).toThrow(/on 2 channels: name one/)
    expect(() => client.posts.cancelOn(post, post.postId)).toThrow(/not on the channel/)
    expect(await client.posts.cancelOn(post, other)).toMatchObject({ channelId: other, status: 'cancelled' })
  })
})

describe('a post that is waited for', () => {
  const asked: string[] = []
  /** Sends as ever, and keeps what was asked; every read of events is answered by `events`, where that is given. */
  const waiting = (events?: () => Response) =>
    new Postrider({
      key: app.key,
      baseUrl: app.baseUrl,
      fetch: async (url, init) => {
        const { pathname } = new URL(new Request(url).url)
        asked.push(pathname.replace(/.*\/agent\/v1\//, '').replace(/^posts\/.*/, 'the post'))
        return pathname.endsWith('/events') && events !== undefined ? events() : fetch(url, init)
      },
    })
  const aPostIn = async (ms: number, text: string, channel = channelId) =>
    client.posts.create({
      state: 'scheduled',
      channelIds: [channel],
      text,
      publishAt: new Date(Date.now() + ms),
    })

  test('is read again only when an event says that it changed', async () => {
    const { postId } = await aPostIn(5_000, 'Cancelled while waited for')
    asked.length = 0
    const looked = Promise.withResolvers<void>()
    const impatient = waiting()
    const ended = impatient.posts.waitFor(postId)
    void (async () => {
      for await (const page of impatient.events.follow({ postId }, { pollMs: 100 }))
        if (page.items.some(({ type }) => type === 'post.cancelled')) return looked.resolve()
    })()
    await client.posts.cancel(await client.posts.read(postId))
    await looked.promise
    expect((await ended).destinations).toMatchObject([{ status: 'cancelled' }])
    // Once at the beginning, and once for the event: between them only events were asked for.
    expect(asked.filter((path) => path === 'the post')).toHaveLength(2)
  })

  test('is waited for by reading it where events may not be read', async () => {
    const { postId } = await aPostIn(1_000, 'Waited for without events')
    asked.length = 0
    const problem = {
      title: 'No',
      detail: 'No.',
      status: 403,
      code: 'missing_permission',
      requestId: 'r',
      type: 'x',
    }
    const refused = () =>
      new Response(JSON.stringify(problem), {
        status: 403,
        headers: { 'content-type': 'application/problem+json' },
      })
    const post = await waiting(refused).posts.waitFor(postId)
    expect(post.destinations).toMatchObject([{ status: 'published' }])
    expect(asked.filter((path) => path === 'events')).toHaveLength(1)
  })

  test('ends in doubt as `checking`, which is neither failed nor published', async () => {
    const doubtful = await aSandboxChannel('eve')
    await fetch(`${network.url}/control/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        fault: { kind: 'outage' },
        times: 'always',
        match: { textIncludes: 'Whether', calls: 'read' },
      }),
    })
    const { postId } = await aPostIn(500, 'Whether it is out #sandbox:accept-then-drop', doubtful)
    const post = await client.posts.waitFor(postId)
    expect(post.destinations).toMatchObject([{ status: 'checking', releaseUrl: null }])
  })
})

describe('an edit', () => {
  test('of a post that somebody changed elsewhere is repeated on what it is now', async () => {
    const read = await aDraft('Before')
    const theirs = await client.posts.edit(read, { thread: [{ text: 'And more' }] })
    const edited = await client.posts.edit(read, { text: 'After' })
    expect(edited.content).toMatchObject({ text: 'After', thread: [{ text: 'And more' }] })
    expect(edited.editToken).not.toBe(theirs.editToken)
  })

  test('that was repeated on what the post is now has taken one key, and no other one', async () => {
    const read = await aDraft('Before')
    await client.posts.edit(read, { thread: [{ text: 'And more' }] })
    const edited = await client.posts.edit(read, { text: 'After' }, { idempotencyKey: 'week' })
    const next = await client.posts.edit(edited, { text: 'Later' }, { idempotencyKey: 'week-1' })
    expect(next.content).toMatchObject({ text: 'Later' })
    const other = failureOf(client.posts.edit(next, { text: 'Other' }, { idempotencyKey: 'week' }))
    expect(await other).toMatchObject({ code: 'idempotency_key_reused' })
  })

  test('of the very field that somebody changed is refused, and changes nothing', async () => {
    const read = await aDraft('Before')
    await client.posts.edit(read, { text: 'Theirs' })
    const error = await failureOf(client.posts.edit(read, { text: 'Mine' }))
    expect(error).toBeInstanceOf(EditConflictError)
    expect(error).toMatchObject({ fields: ['text'], current: { content: { text: 'Theirs' } } })
    expect(await client.posts.read(read.postId)).toMatchObject({ content: { text: 'Theirs' } })
  })

  test('of one channel knows its own text, and its settings', async () => {
    const other = await aSandboxChannel('cleo')
    const read = await client.posts.create({ state: 'draft', channelIds: [channelId, other], text: 'Both' })
    await client.posts.edit(read, { targets: [{ channelId: other, text: 'Theirs' }] })
    const mine = await client.posts.edit(read, { targets: [{ channelId, text: 'Mine' }] })
    expect(mine.destinations.map(({ content }) => content?.text ?? '').toSorted()).toEqual(['Mine', 'Theirs'])
    expect(
      await failureOf(client.posts.edit(read, { targets: [{ channelId: other, text: 'Mine, too' }] })),
    ).toMatchObject({
      fields: [`${other}.text`],
    })
  })
})

describe('lists', () => {
  test('are a page when awaited, and everything when iterated', async () => {
    const other = await aSandboxChannel('dora')
    for (const text of ['1', '2', '3', '4', '5']) {
      await client.posts.create({ state: 'draft', channelIds: [other], text })
    }
    const listing = client.posts.list({ channelId: other, limit: 2 })
    expect((await listing).items.map(({ text }) => text)).toEqual(['5', '4'])
    expect((await Array.fromAsync(listing)).map(({ text }) => text)).toEqual(['5', '4', '3', '2', '1'])
    expect(await Array.fromAsync(listing.pages())).toHaveLength(3)
  })

  test('of events go on from a cursor, and are followed', async () => {
    const before = (await Array.fromAsync(client.events.list().pages())).at(-1)!
    const stop = new AbortController()
    const made = Promise.withResolvers<string>()
    const followed: string[] = []
    const following = (async () => {
      for await (const page of client.events.follow(
        { cursor: before.nextCursor },
        { pollMs: 20, signal: stop.signal },
      )) {
        // Posts of other tests may still come to their end meanwhile.
        const postId = await made.promise
        const mine = page.items.filter(({ data }) => data.post.postId === postId)
        followed.push(...mine.map(({ type }) => type))
        if (followed.length >= 2) break
      }
    })()
    const post = await client.posts.create({
      state: 'scheduled',
      channelIds: [channelId],
      text: 'Tell',
      publishAt: inHours(1),
    })
    made.resolve(post.postId)
    await client.posts.cancel(post)
    await following
    expect(followed).toEqual(['post.scheduled', 'post.cancelled'])
  })
})

test('a file is uploaded, listed, read, and comes back as an image', async () => {
  const photo = new Uint8Array(await aPhoto())
  const made = await client.media.upload(photo, { altText: 'A red field' })
  expect(made).toMatchObject({ kind: 'image', altText: 'A red field' })
  expect(await client.media.read(made.mediaId)).toEqual(made)
  expect((await client.media.list({ kind: 'image' })).items).toContainEqual(made)
  const bytes = new Uint8Array(await client.media.content(made.mediaId, { width: 16 }))
  expect([...bytes.subarray(0, 2)]).toEqual([0xff, 0xd8])
})

test('the caller, the channels, the calendar and the models are read', async () => {
  expect(await client.me()).toMatchObject({ credential: { type: 'agent_key' } })
  expect((await client.channels()).map((channel) => channel.channelId)).toContain(channelId)
  expect(await client.calendar({ from: inHours(-1), to: inHours(1) })).toBeInstanceOf(Array)
  expect(await client.ai.models()).toMatchObject({ models: [] })
})

test('every operation for agents is one of the client', async () => {
  const forAgents = operations.filter(({ asks }) => asks.startsWith('agent')).map(({ id }) => id)
  expect(Object.keys(api.operations).toSorted()).toEqual(forAgents.toSorted())
  const source = await readFile(new URL('../../sdk/src/client.ts', import.meta.url), 'utf8')
  expect(forAgents.filter((id) => !source.includes(`'${id}'`))).toEqual([])
})

test('webhook endpoints are made, read, tried out, resent and deleted', async () => {
  const { endpoint, secret } = await client.webhooks.create({
    url: 'https://hooks.example.com/x',
    eventTypes: ['post.published'],
  })
  const { endpointId } = endpoint
  expect(await client.webhooks.read(endpointId)).toMatchObject({ endpointId })
  expect((await client.webhooks.rotateSecret(endpointId, { atOnce: true })).secret).not.toBe(secret)
  const { eventId } = await client.webhooks.test(endpointId)
  await expect
    .poll(async () => (await client.webhooks.deliveries(endpointId)).map((delivery) => delivery.eventId))
    .toEqual([eventId])
  expect(await client.webhooks.attempts(endpointId, eventId)).toBeInstanceOf(Array)
  expect(await client.webhooks.resend(endpointId, eventId)).toEqual({ endpointId, eventId })
  expect(await client.webhooks.replay(endpointId, { since: inHours(-1), onlyFailed: true })).toMatchObject({})
  await client.webhooks.delete(endpointId)
  expect(await failureOf(client.webhooks.read(endpointId))).toMatchObject({ code: 'not_found' })
})

describe('what fails', () => {
  test('says which fields break a rule, and keeps the name of the request', async () => {
    const error = await failureOf(
      client.posts.create({ state: 'draft', channelIds: [channelId], text: 'x'.repeat(100_001) }),
    )
    expect(error).toBeInstanceOf(ProblemError)
    expect(error).toMatchObject({
      code: 'validation_failed',
      status: 400,
      outcome: 'none',
      attempts: 1,
      operation: 'createPost',
      errors: [{ pointer: '/text' }],
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(error.message).toContain('/text')
  })

  test('of a wrong key is no matter of retrying', async () => {
    const stranger = new Postrider({ key: 'pr_wrong', baseUrl: app.baseUrl })
    expect(await failureOf(stranger.me())).toMatchObject({ code: 'invalid_credential', attempts: 1 })
  })

  test('with no server there says where, and that nothing was written', async () => {
    const baseUrl = `http://127.0.0.1:${await freePort()}`
    const nowhere = new Postrider({ key: 'k', baseUrl, maxRetries: 1 })
    const error = await failureOf(
      nowhere.posts.create({ state: 'draft', channelIds: [channelId], text: 'Nowhere' }),
    )
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({ outcome: 'none', attempts: 2 })
    expect(error.message).toMatch(`${baseUrl}: no answer came: connect ECONNREFUSED`)
  })

  test('at an address that is not one, or with what is no key, is refused at once', async () => {
    expect(() => new Postrider({ key: 'k', baseUrl: 'ftp://x' })).toThrow(TypeError)
    for (const key of [undefined, '', 'pr_…'])
      await expect(new Postrider({ key, baseUrl: app.baseUrl }).me()).rejects.toThrow(
        /^key is missing, or no agent/,
      )
  })

  test('by a signal ends with its reason', async () => {
    const reason = new Error('enough')
    expect(await failureOf(client.me({ signal: AbortSignal.abort(reason) }))).toBe(reason)
  })

  test.each([
    [303, 'unknown'],
    [302, 'none'],
    [308, 'none'],
  ])('by a redirect with %d says what is known of a write: %s', async (status, outcome) => {
    const server = createServer((_request, response) =>
      response.writeHead(status, { location: 'https://elsewhere.example/done' }).end(),
    )
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const redirected = new Postrider({ key: 'k', baseUrl: `http://127.0.0.1:${port}`, maxRetries: 0 })
    const error = await failureOf(
      redirected.posts.create({ state: 'draft', channelIds: [channelId], text: 'Moved' }),
    )
    expect(error).toMatchObject({ outcome, status })
  })

  test('with another server there is told from a problem', async () => {
    proxy.choose = () => '200 with HTML'
    const error = await failureOf(unlucky.posts.list({}, { maxRetries: 0 }))
    expect(error).toBeInstanceOf(AnswerError)
    expect(error.message).toMatch(/does not answer like a Postrider server \(status 200, text\/html/)
    proxy.choose = null
  })
})

describe('over connections that break', () => {
  const breaking: ProxyFault[] = [
    ...(['reset before it is read', 'reset after it was read', 'half an answer', 'half a body'] as const),
    ...(['cut in the request', '502 with HTML', '503', 'sent twice', 'a redirect'] as const),
  ]

  test(`${WRITES} writes, most attempts of which break, have one effect each`, async () => {
    // Three of four attempts break: a write may meet it three times, is told as unknown, and repeated here by its key.
    let seed = 1
    const nextRandom = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
    proxy.choose = () => (nextRandom() < 0.25 ? null : breaking[Math.floor(nextRandom() * breaking.length)]!)
    sent = []
    const texts = Array.from({ length: WRITES }, (_, n) => `cut ${n}`)
    const left = [...texts]
    const unknown: PostriderError[] = []
    const create = async (text: string) => {
      const plan = { state: 'draft', channelIds: [channelId], text } as const
      for (let key: string | undefined; ;) {
        try {
          return await unlucky.posts.create(plan, key === undefined ? {} : { idempotencyKey: key })
        } catch (error) {
          unknown.push(error as PostriderError)
          key = (error as PostriderError).idempotencyKey ?? undefined
        }
      }
    }
    const lane = async () => {
      for (let text = left.pop(); text !== undefined; text = left.pop()) await create(text)
    }
    await Promise.all(Array.from({ length: 12 }, lane))
    proxy.choose = null

    const made = await Array.fromAsync(client.posts.list({ q: 'cut ', limit: 100 }))
    expect(made.map(({ text }) => text).toSorted()).toEqual(texts.toSorted())
    expect(new Set(sent).size).toBe(WRITES)
    expect(sent.length).toBeGreaterThan(2 * WRITES)
    expect(unknown.filter(({ outcome }) => outcome === 'unknown').length).toBeGreaterThan(0)
  })

  test('a write whose answers are all lost is unknown, names its key, and is found by it', async () => {
    proxy.choose = () => 'reset after it was read'
    const plan = { state: 'draft', channelIds: [channelId], text: 'Lost' } as const
    const error = await failureOf(unlucky.posts.create(plan))
    expect(error).toMatchObject({ outcome: 'unknown', attempts: 3 })
    expect(error.message).toContain(`Call again with the idempotencyKey ${error.idempotencyKey}`)
    proxy.choose = null
    const { data, replayed } = await unlucky.posts
      .create(plan, { idempotencyKey: error.idempotencyKey! })
      .withResponse()
    expect(replayed).toBe(true)
    expect((await client.posts.list({ q: 'Lost' })).items.map(({ postId }) => postId)).toEqual([data.postId])
  })

  test('a write without a key whose answer is lost is unknown, too, and says to look first', async () => {
    proxy.choose = () => 'reset after it was read'
    const error = await failureOf(
      unlucky.webhooks.create({ url: 'https://hooks.example.com/lost', eventTypes: ['post.failed'] }),
    )
    proxy.choose = null
    expect(error).toMatchObject({ outcome: 'unknown', idempotencyKey: null, attempts: 1 })
    expect(error.message).toContain('read what exists before you call again')
    expect((await client.webhooks.list()).map(({ url }) => url)).toContain('https://hooks.example.com/lost')
  })

  test('a read is never unknown', async () => {
    proxy.choose = () => 'reset after it was read'
    expect(await failureOf(unlucky.me())).toMatchObject({
      outcome: 'none',
      idempotencyKey: null,
      attempts: 3,
    })
    proxy.choose = null
  })

  test('what became unknown stays so when only the credential is refused then', async () => {
    const keys = [app.key, 'pr_wrong']
    const revoked = new Postrider({ key: () => keys.shift()!, baseUrl: proxy.url.href })
    proxy.choose = () => (proxy.passed === before ? 'reset after it was read' : null)
    const before = proxy.passed
    const error = await failureOf(
      revoked.posts.create({ state: 'draft', channelIds: [channelId], text: 'Revoked' }),
    )
    proxy.choose = null
    expect(error).toMatchObject({ code: 'invalid_credential', outcome: 'unknown', attempts: 2 })
  })
})
