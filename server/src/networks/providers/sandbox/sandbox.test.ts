import { startSandboxNetwork, type SandboxNetwork } from '@postrider/sandbox-network'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aLookupWork, answer } from '../../../../test/rigs/publish-work.ts'
import type { HttpRequest, HttpResponse } from '../port/calls.ts'
import type { LookupWork, PublishWork, Verdict } from '../port/port.ts'
import { openOutbound } from '../../../platform/outbound/outbound-http.ts'
import { runProcedure } from '../port/procedure.ts'
import { openSender } from '../port/send-request.ts'
import { play, testAdapter } from '../../../../test/rigs/adapter-suite.ts'
import { sandboxProfessional, sandboxShort } from './sandbox.ts'

const authorization = {
  baseUrl: 'http://127.0.0.1:4999',
  accessToken: 'sbx_secret-of-the-authorization',
  accountId: 'acc_1',
}

function remotePost(work: PublishWork, more: object = {}) {
  return {
    id: '1000000000000001',
    status: 'published',
    url: 'http://127.0.0.1:4999/@me/1000000000000001',
    text: work.text,
    inReplyTo: work.parent?.remoteId ?? null,
    mediaIds: [],
    createdAt: '2026-11-21T09:00:01.000Z',
    account: { id: 'acc_1', handle: 'me' },
    ...more,
  }
}

for (const provider of [sandboxShort, sandboxProfessional]) {
  const network = ({ method, url }: HttpRequest) =>
    url.pathname === '/api/v1/accounts/me'
      ? answer(200, { id: 'acc_1', handle: 'me' })
      : method === 'GET'
        ? answer(200, { items: [] })
        : answer(201, { id: 'med_1', contentType: url.pathname })
  await testAdapter(provider, {
    authorization,
    secrets: [authorization.accessToken],
    success: (work) => answer(201, remotePost(work)),
    network,
    absence: [{ server: 'the sandbox network', byDates: true, network, proves: () => true }],
  })
}

const work = aLookupWork(authorization, { idempotencyKey: 'key-1' })
const post = remotePost(work)
const { publish, poll, lookup } = await sandboxShort.load()
const replayed = { 'idempotent-replayed': 'true' }
const published = { is: 'published', remoteId: post.id, url: post.url }
const unknown = { is: 'unknown' }
const refusal = (code: string) => ({ error: { code, message: 'No.' } })

test('of several posts without words, a look-up and an answer mean the one with the same media', () => {
  const media = [{ remoteId: 'med_1', kind: 'image', altText: null }] as const
  const mute = { ...work, text: '', media }
  const showing = (mediaIds: string[], more: object) => remotePost(mute, { mediaIds, ...more })
  const others = [showing(['med_2'], { id: '3' }), showing([], { id: '4' }), showing(['med_1', 'med_2'], {})]
  expect(look(mute, answer(200, { items: others }))).toMatchObject({ is: 'absent' })
  const all = [...others, showing(['med_1'], { id: '5' })]
  expect(look(mute, answer(200, { items: all }))).toMatchObject({ is: 'found', remoteId: '5' })
  expect(publish.judge(answer(201, others[0]), mute)).toMatchObject({ is: 'unknown' })
})

test('a first part is sent as it stands', () => {
  expect(publish.request(work)).toEqual({
    method: 'POST',
    url: new URL('http://127.0.0.1:4999/api/v1/posts'),
    headers: { 'idempotency-key': 'key-1' },
    authorization: { scheme: 'Bearer', credentials: 'sbx_secret-of-the-authorization' },
    json: { text: 'Hello' },
  })
})

test('a follow-up answers the part before it', () => {
  const reply = { ...work, parent: { remoteId: '7' }, root: { remoteId: '3' } }
  expect(publish.request(reply).json).toEqual({ text: 'Hello', inReplyTo: '7' })
})

test.each<[string, HttpResponse, object]>([
  ['created', answer(201, post), published],
  ['created, without the fields that may be added', answer(201, { ...post, status: undefined }), published],
  ['replayed', answer(200, post, replayed), published],
  ['200 that is no replay', answer(200, post), unknown],
  ['201 of another text', answer(201, { ...post, text: 'Hullo' }), unknown],
  ['201 of another parent', answer(201, { ...post, inReplyTo: '9' }), unknown],
  ['201 of another account', answer(201, { ...post, account: { id: 'acc_2' } }), unknown],
  ['201 with an address that is none', answer(201, { ...post, url: 'javascript:alert(1)' }), unknown],
  ['201 that is still processing', answer(201, { ...post, status: 'processing' }), unknown],
  ['accepted', answer(202, { id: '5', status: 'processing' }), { is: 'accepted', handle: '5' }],
  ['202 without status', answer(202, { id: '5' }), unknown],
  ['replayed while processing', answer(200, { id: '5', status: 'processing' }, replayed), { is: 'accepted' }],
  [
    'replayed after it failed',
    answer(200, { id: '5', status: 'failed' }, replayed),
    { code: 'processing_failed' },
  ],
  ['revoked', answer(401, refusal('invalid_token')), { is: 'reauthorize' }],
  ['forbidden', answer(403, refusal('forbidden')), { is: 'rejected', code: 'permission_refused' }],
  ['too long', answer(422, refusal('text_too_long')), { is: 'rejected', code: 'content_refused' }],
  ['empty', answer(422, refusal('text_empty')), { is: 'rejected', code: 'content_refused' }],
  ['parent gone', answer(422, refusal('parent_not_found')), { is: 'rejected', code: 'parent_missing' }],
  ['refused for a new reason', answer(422, refusal('no_cats')), { is: 'rejected', code: 'content_refused' }],
  [
    'rate limited',
    answer(429, refusal('rate_limited'), { 'retry-after': '7' }),
    { is: 'deferred', afterMs: 7000 },
  ],
  ['rate limited, no time', answer(429, refusal('rate_limited')), { code: 'rate_limited', afterMs: null }],
  [
    'rate limited by a gateway',
    answer(429, '', { 'retry-after': '7' }),
    { code: 'rate_limited', afterMs: 7000 },
  ],
  ['429 that says nothing', answer(429, ''), unknown],
  ['outage', answer(503, refusal('outage')), { is: 'deferred', code: 'provider_unavailable', afterMs: null }],
  ['503 of a gateway', answer(503, '<html>', { 'retry-after': '7' }), unknown],
  ['503 with another code', answer(503, refusal('internal_error')), unknown],
  ['500', answer(500, refusal('internal_error')), unknown],
  ['408', answer(408, refusal('timeout')), unknown],
])('publish, %s', (_, response, verdict) => {
  expect(publish.judge(response, work)).toMatchObject(verdict)
})

const processing = { id: post.id, status: 'processing' }

test.each<[string, HttpResponse, object]>([
  ['published', answer(200, post), published],
  ['processing', answer(200, processing), { is: 'accepted', handle: post.id }],
  ['failed', answer(200, { ...processing, status: 'failed' }), { is: 'rejected', code: 'processing_failed' }],
  ['another post', answer(200, { ...post, id: '4' }), unknown],
  ['rate limited', answer(429, ''), { is: 'accepted', handle: post.id }],
  ['outage', answer(503, ''), { is: 'accepted', handle: post.id }],
  ['revoked', answer(401, refusal('invalid_token')), { is: 'reauthorize' }],
  ['forgotten', answer(404, refusal('post_not_found')), { is: 'forgotten' }],
  ['not found by something in between', answer(404, '<html></html>'), unknown],
])('poll, %s', (_, response, verdict) => {
  expect(poll?.judge(response, { authorization, handle: post.id })).toMatchObject(verdict)
})

const others = Array.from({ length: 100 }, (_, place) => ({ ...post, id: String(place + 1), text: 'Other' }))
const before = { createdAt: '2026-11-21T08:54:59.999Z' }
const absent = { is: 'absent' }
const endOfList = answer(200, { items: [] })

/** Looks for a post in pages that follow one another. */
function look(at: LookupWork, ...pages: HttpResponse[]) {
  if (lookup === null) throw new Error('it has no look-up')
  return play(lookup(at), () => pages.shift() ?? endOfList).outcome
}

test('a further page begins below the one before', () => {
  if (lookup === null) throw new Error('it has no look-up')
  const pages = [answer(200, { items: others }), endOfList]
  const { requests } = play(lookup(work), () => pages.shift() ?? endOfList)
  expect(requests.map(({ url }) => url.search)).toEqual(['?limit=100', '?limit=100&beforeId=100'])
})

const found = { is: 'found', remoteId: post.id, url: post.url, exact: false }
const fullPage = answer(200, { items: others })

test.each<[string, HttpResponse[], object]>([
  ['seen', [answer(200, { items: [post] })], found],
  ['seen twice', [answer(200, { items: [{ ...post, id: '2' }, post] })], { ...found, remoteId: '2' }],
  ['only an equal one from before the call', [answer(200, { items: [{ ...post, ...before }] })], absent],
  ['an equal text under another parent', [answer(200, { items: [{ ...post, inReplyTo: '9' }] })], absent],
  ['an account without posts', [endOfList], absent],
  ['on the second page', [fullPage, answer(200, { items: [post] })], found],
  ['a second page that cannot be read', [fullPage, answer(200, '<html>')], { is: 'unavailable' }],
  ['a full page that shows it', [answer(200, { items: [post, ...others.slice(1)] })], found],
  [
    'a full page that reaches back',
    [answer(200, { items: [...others.slice(1), { ...post, ...before }] }), answer(500, '')],
    absent,
  ],
  ['revoked', [answer(401, refusal('invalid_token'))], { is: 'reauthorize' }],
  ['refused by something else', [answer(401, {})], { is: 'unavailable' }],
  ['garbage', [answer(200, '<html>')], { is: 'unavailable' }],
  ['a time that is none', [answer(200, { items: [{ ...post, createdAt: 'soon' }] })], { is: 'unavailable' }],
])('lookup, %s', (_, pages, result) => {
  expect(look(work, ...pages)).toMatchObject(result)
})

test("a post that shows the uploads of this call is the call's own, whatever else is in doubt", () => {
  const media = [{ remoteId: 'med_1', kind: 'image', altText: null }] as const
  const items = [
    { ...post, id: '2', mediaIds: ['med_2'] },
    { ...post, mediaIds: ['med_1'] },
  ]
  expect(look({ ...work, media }, answer(200, { items }))).toEqual({ ...found, exact: true })
})

test('a post that is known to be another is passed over, on every page', () => {
  const second = answer(200, { items: [{ ...post, id: '2' }] })
  const first = answer(200, { items: [post, ...others.slice(1)] })
  expect(look({ ...work, knownRemoteIds: [post.id] }, first, second)).toMatchObject({ remoteId: '2' })
  expect(look({ ...work, knownRemoteIds: [post.id, '2'] }, first, second)).toMatchObject(absent)
})

describe('against the sandbox network', () => {
  let network: SandboxNetwork
  beforeAll(async () => {
    network = await startSandboxNetwork({ memory: true })
  })
  afterAll(() => network.close())

  const outbound = openOutbound({
    connectMs: 1_000,
    totalMs: 5_000,
    bodyMaxBytes: 1_000_000,
    userAgent: 'test',
    rules: { httpsOnly: false, trustedOrigins: 'any', trustedNetworks: [] },
  })
  afterAll(() => outbound.close())
  const send = openSender({ call: outbound.call, talk: outbound.talk, totalMs: 5_000 })

  async function call(request: HttpRequest): Promise<HttpResponse> {
    const answered = await send(request)
    if (!answered.arrived) throw new Error(answered.reason)
    return answered.response
  }

  async function lookFor(sent: LookupWork) {
    if (lookup === null) throw new Error('it has no look-up')
    const tools = { call: send, wait: async () => undefined, readCard: async () => Promise.reject() }
    const options = { signal: new AbortController().signal, maxCalls: 10, maxWaitMs: 0 }
    const ran = await runProcedure(lookup, sent, tools, options)
    return ran.is === 'done' ? ran.outcome : ran
  }

  async function anAccount(handle: string): Promise<LookupWork> {
    const response = await fetch(new URL('/control/accounts', network.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ handle, profile: 'short' }),
    })
    const { id, token } = (await response.json()) as { id: string; token: string }
    return {
      ...work,
      armedAt: new Date(),
      now: new Date(),
      authorization: { baseUrl: network.url, accessToken: token, accountId: id },
    }
  }

  async function publishText(who: LookupWork, text: string): Promise<Verdict> {
    const sent = { ...who, text }
    return publish.judge(await call(publish.request(sent)), sent)
  }

  test('what is published is found again, and what is not is absent', async () => {
    const who = await anAccount('finder')
    const verdict = await publishText(who, 'Find me. 日本 👩‍👩‍👧')
    expect(verdict.is).toBe('published')

    const sent = { ...who, text: 'Find me. 日本 👩‍👩‍👧' }
    expect(await lookFor(sent)).toMatchObject({
      is: 'found',
      remoteId: verdict.is === 'published' && verdict.remoteId,
    })
    expect(await lookFor(who)).toMatchObject(absent)
  })

  test.each([
    ['#sandbox:refuse', { is: 'rejected', code: 'content_refused' }],
    ['#sandbox:rate-limit=9', { is: 'deferred', code: 'rate_limited', afterMs: 9000 }],
    ['#sandbox:outage=9', { is: 'deferred', code: 'provider_unavailable', afterMs: 9000 }],
    ['#sandbox:accept-then-500', unknown],
    ['#sandbox:error-500', unknown],
    ['#sandbox:garbage', unknown],
    ['#sandbox:unauthorized', { is: 'reauthorize' }],
    ['#sandbox:no-such-thing', { is: 'rejected', code: 'content_refused' }],
    ['x'.repeat(281), { is: 'rejected', code: 'content_refused' }],
  ])('%s', async (text, verdict) => {
    const who = await anAccount(`rehearsal-${Math.random().toString(36).slice(2, 12)}`)
    expect(await publishText(who, text)).toMatchObject(verdict)
  })

  test('a post in processing is watched until it is out', async () => {
    const who = await anAccount('slow')
    const verdict = await publishText(who, '#sandbox:processing=30')
    if (verdict.is !== 'accepted' || poll === null) throw new Error('not accepted')
    const watched = { authorization: who.authorization, handle: verdict.handle }
    await expect.poll(async () => poll.judge(await call(poll.request(watched)), watched).is).toBe('published')
  })
})
