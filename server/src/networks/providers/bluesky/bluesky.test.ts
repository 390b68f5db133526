import { describe, expect, test } from 'vitest'
import { aLookupWork, answer, aPrepareWork, nine as now } from '../../../../test/rigs/publish-work.ts'
import type { HttpRequest, HttpResponse, Json } from '../port/calls.ts'
import type { LookupWork, PrepareWork, PublishWork, Verdict } from '../port/port.ts'
import { answeringAt, loadWith, play, testAdapter } from '../../../../test/rigs/adapter-suite.ts'
import { bluesky } from './bluesky.ts'
import { tidOf } from './record-key.ts'
import { annotate, byteRange } from './rich-text.ts'

const did = 'did:plc:ewvi7nxzyoun6zhxrhs64oiz'
const server = 'https://pds.example'
const jwt = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.signature`
const authorization = {
  kind: 'password',
  server,
  did,
  handle: 'alice.example',
  accessToken: 'secret-access-token',
  refreshToken: 'secret-refresh-token',
  accessEndsAt: '2026-11-21T11:00:00.000Z',
}
const oauthAuthorization = {
  ...authorization,
  kind: 'oauth',
  issuer: server,
  tokenEndpoint: `${server}/oauth/token`,
  endsAt: null,
  clientId: 'https://postrider.example/connect/bluesky/client-metadata.json',
  key: { kty: 'EC', crv: 'P-256', x: 'xx', y: 'yy', d: 'secret-of-the-session-key' },
}
const cid = 'bafyreie5cvv4h45feadgeuwhbcutmh6t2ceseocckahdoe6uat64zmz454'
const otherCid = 'bafyreihyrpefhacm6kkp4ql6j6udakdit7g3dmkzfriqfykhjw6cad5lrm'
const blob = { $type: 'blob', ref: { $link: cid }, mimeType: 'image/jpeg', size: 7 }

const error = (name: string) => ({ error: name, message: 'No.' })
const no = (status: number, name: string, headers = {}) => answer(status, error(name), headers)

const document = {
  id: did,
  alsoKnownAs: ['at://alice.example'],
  service: [{ id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: server }],
}
const session = {
  did,
  handle: 'alice.example',
  didDoc: document,
  active: true,
  accessJwt: jwt({ exp: 1_795_258_800 }),
  refreshJwt: 'secret-refresh-token',
}

/** A Bluesky where all goes well. */
function network({ url, form }: HttpRequest): HttpResponse {
  const [method = ''] = url.pathname.split('/').slice(-1)
  const query = Object.fromEntries(url.searchParams)
  switch (method) {
    case 'com.atproto.identity.resolveHandle':
      return answer(200, { did })
    case did:
      return answer(200, document)
    case 'com.atproto.server.createSession':
    case 'com.atproto.server.refreshSession':
      return answer(200, session)
    case 'com.atproto.server.getSession':
      return answer(200, { did, handle: 'alice.example' })
    case 'app.bsky.actor.getProfile':
      return answer(200, { did, displayName: 'Alice', avatar: 'https://cdn.example/alice.jpg' })
    case 'com.atproto.repo.uploadBlob':
      return answer(200, { blob })
    case 'com.atproto.repo.getRecord': {
      const uri = `at://${query['repo']}/${query['collection']}/${query['rkey']}`
      return answer(200, { uri, cid, value: { createdAt: '2026-11-21T09:00:00.000Z' } })
    }
    case 'oauth-protected-resource':
      return answer(200, { authorization_servers: [server] })
    case 'oauth-authorization-server':
      return answer(200, {
        issuer: server,
        authorization_endpoint: `${server}/oauth/authorize`,
        token_endpoint: `${server}/oauth/token`,
        pushed_authorization_request_endpoint: `${server}/oauth/par`,
      })
    case 'par':
      return answer(201, { request_uri: 'urn:request:1', expires_in: 299 })
    case 'token':
      return answer(200, {
        access_token: 'secret-access-token',
        refresh_token: 'secret-refresh-token',
        token_type: 'DPoP',
        scope: 'atproto transition:generic',
        sub: did,
        expires_in: 300,
      })
    default:
      throw new Error(`nobody answers ${url.href} ${JSON.stringify(form)}`)
  }
}

const { prepare, publish, lookup, form, oauth, refresh, ...adapter } = await loadWith(bluesky, [
  'prepare',
  'lookup',
  'form',
  'oauth',
  'refresh',
])

const part = aPrepareWork(authorization)
const rkey = tidOf(now, part.idempotencyKey)
const uri = `at://${did}/app.bsky.feed.post/${rkey}`
const address = `https://bsky.app/profile/${did}/post/${rkey}`

function preparedFor(change: Partial<PrepareWork>) {
  const { outcome, requests } = play(prepare({ ...part, ...change }), network)
  if (outcome.is !== 'prepared') throw new Error(outcome.is)
  type Prepared = { rkey: string; record: Record<string, unknown>; gates: unknown[] }
  return { ...(outcome.prepared as Prepared), prepared: outcome.prepared, requests }
}
function workOf(change: Partial<PrepareWork> = {}): LookupWork {
  const { prepared } = preparedFor(change)
  return aLookupWork(authorization, { ...change, prepared })
}

const suite = {
  success: (work: PublishWork) => {
    const { rkey: own } = work.prepared as { rkey: string }
    return answer(200, { uri: `at://${did}/app.bsky.feed.post/${own}`, cid, commit: { cid, rev: own } })
  },
  network,
  absence: [
    {
      server: 'a PDS',
      network: answeringAt(network, {
        '/xrpc/com.atproto.repo.getRecord': no(400, 'RecordNotFound'),
      }),
      // Looked for by its key.
      proves: () => true,
    },
  ],
  refusals: ['ExpiredToken', 'InvalidRequest', 'AccountTakedown', 'BlobNotFound'].map(error),
  text: 'Hello @bob.example, see https://example.com/page #news',
  form: { handle: 'alice.example', appPassword: 'secret-app-password' },
  oauth: {
    fields: { handle: 'alice.example' },
    client: { clientId: 'https://postrider.example/client', clientSecret: null, key: null },
    callback: { code: 'secret-code', iss: server },
  },
}
const secrets = ['secret-access-token', 'secret-refresh-token', 'secret-app-password']
await testAdapter(bluesky, { ...suite, authorization, secrets })
describe('with OAuth', async () => {
  await testAdapter(bluesky, {
    ...suite,
    authorization: oauthAuthorization,
    secrets: [...secrets, 'secret-of-the-session-key'],
  })
})

describe('a later attempt', () => {
  const later = new Date('2026-11-21T09:30:00Z')
  const first = preparedFor({})
  const second = preparedFor({ former: first.prepared, now: later })
  const third = preparedFor({ former: second.prepared, now: later })
  const look = (prepared: Json, value: object) =>
    play(lookup({ ...workOf(), prepared }), () => answer(200, { uri, cid: otherCid, value })).outcome

  test('has the key of the first, and its own time', () => {
    expect([second.rkey, third.rkey]).toEqual([rkey, rkey])
    expect(second.record).toMatchObject({ createdAt: '2026-11-21T09:30:00.000Z' })
  })

  test('finds what an earlier one wrote, and takes no other record for it', () => {
    for (const { createdAt } of [first.record, second.record]) {
      expect(look(third.prepared, { createdAt })).toMatchObject({ is: 'found', exact: true })
    }
    expect(look(third.prepared, { createdAt: '2026-11-21T09:00:00.001Z' })).toMatchObject({
      is: 'out',
    })
  })
})

describe('what is written', () => {
  test('the record goes under a key that is chosen before the call, and replaces nothing', () => {
    const { prepared, record: written } = preparedFor({})
    expect(prepared).toEqual({
      rkey,
      record: { $type: 'app.bsky.feed.post', text: 'Hello', createdAt: '2026-11-21T09:00:00.000Z' },
      gates: [],
    })
    const request = publish.request(workOf())
    expect(request.url.href).toBe(`${server}/xrpc/com.atproto.repo.putRecord`)
    expect(request.json).toEqual({
      repo: did,
      collection: 'app.bsky.feed.post',
      rkey,
      validate: true,
      swapRecord: null,
      record: written,
    })
    expect(request.authorization).toEqual({ scheme: 'Bearer', credentials: 'secret-access-token' })
  })

  test('links, mentions and hashtags are marked by their bytes', () => {
    const text = 'Grüße 👋 an @bob.example: https://example.com/ä?q=1 und #Nötig.'
    const { facets } = preparedFor({ text, settings: { linkCard: false } }).record as {
      facets: { index: { byteStart: number; byteEnd: number }; features: { $type: string }[] }[]
    }
    const bytes = Buffer.from(text)
    const marked = facets.map(({ index, features }) => [
      bytes.subarray(index.byteStart, index.byteEnd).toString(),
      features[0]?.$type.split('#')[1],
    ])
    expect(marked).toEqual([
      ['@bob.example', 'mention'],
      ['https://example.com/ä?q=1', 'link'],
      ['#Nötig', 'tag'],
    ])
    expect(facets[0]?.features[0]).toMatchObject({ did })
  })

  test('a mention of nobody stays text', () => {
    const nobody = (request: HttpRequest) =>
      request.url.pathname.endsWith('resolveHandle') ? no(400, 'InvalidRequest') : network(request)
    const { outcome } = play(prepare({ ...part, text: 'Hello @nobody.example' }), nobody)
    expect(JSON.stringify(outcome)).not.toContain('facets')
  })

  test.each([
    [no(429, 'RateLimitExceeded'), 'rate_limited'],
    [no(502, 'UpstreamFailure'), 'provider_unavailable'],
    [answer(400, '<html>A proxy</html>'), 'provider_unavailable'],
    [answer(200, {}), 'provider_unavailable'],
  ])('a mention waits where %o does not tell who has the handle', (response, code) => {
    const answers = answeringAt(network, { '/xrpc/com.atproto.identity.resolveHandle': response })
    const { outcome } = play(prepare({ ...part, text: 'Hello @bob.example' }), answers)
    expect(outcome).toMatchObject({ is: 'deferred', code })
  })

  test('the first link becomes a card with a picture, unless the post has media or the author says no', () => {
    const text = 'Read https://example.com/page and https://example.com/other'
    const { embed } = preparedFor({ text }).record
    expect(embed).toEqual({
      $type: 'app.bsky.embed.external',
      external: {
        uri: 'https://example.com/page',
        title: 'A title',
        description: 'A description',
        thumb: blob,
      },
    })
    expect(preparedFor({ text, settings: { linkCard: false } }).record['embed']).toBeUndefined()
    const media = [
      { remoteId: cid, details: blob, kind: 'image', altText: 'A gate', width: 4, height: 3 },
    ] as const
    expect(preparedFor({ text, media }).record['embed']).toEqual({
      $type: 'app.bsky.embed.images',
      images: [{ image: blob, alt: 'A gate', aspectRatio: { width: 4, height: 3 } }],
    })
  })

  test('a card without its picture is better than no post, and an expired token is said', () => {
    const refused = (response: HttpResponse) => (request: HttpRequest) =>
      request.url.pathname.endsWith('uploadBlob') ? response : network(request)
    const work = { ...part, text: 'https://example.com/' }
    const { outcome, lacks } = play(prepare(work), refused(no(413, 'PayloadTooLarge')))
    expect(JSON.stringify(outcome)).toContain('A title')
    expect(JSON.stringify(outcome)).not.toContain('thumb')
    expect(lacks).toEqual([{ of: 'picture', why: 'network' }])
    expect(play(prepare(work), network).lacks).toEqual([])
    expect(play(prepare(work), refused(no(400, 'ExpiredToken'))).outcome).toEqual({ is: 'expired' })
  })

  test('a reply refers to the part before and to the first, as they stand there', () => {
    const parent = { remoteId: `at://${did}/app.bsky.feed.post/3k2aaaaaaaaa3` }
    const root = { remoteId: `at://${did}/app.bsky.feed.post/3k2aaaaaaaaa2` }
    const { record, gates } = preparedFor({ parent, root, settings: { replies: 'nobody' } })
    expect(record['reply']).toEqual({
      parent: { uri: parent.remoteId, cid },
      root: { uri: root.remoteId, cid },
    })
    expect(gates).toEqual([])
    const gone = () => no(400, 'RecordNotFound')
    expect(play(prepare({ ...part, parent, root }), gone).outcome).toMatchObject({ code: 'parent_missing' })
  })

  test('languages, labels and tags are fields of the record', () => {
    const settings = { languages: ['de', 'pt-BR'], labels: ['nudity'], tags: ['gates'] }
    expect(preparedFor({ settings }).record).toMatchObject({
      langs: ['de', 'pt-BR'],
      labels: { $type: 'com.atproto.label.defs#selfLabels', values: [{ val: 'nudity' }] },
      tags: ['gates'],
    })
  })

  test('a post shows its files, whether it is written alone or with who may reply', () => {
    const shown = { altText: 'A bird', width: 3, height: 4 }
    const image = { kind: 'image', remoteId: cid, details: blob, ...shown } as const
    const video = { ...image, kind: 'video', details: { ...blob, mimeType: 'video/mp4' } } as const
    const all = { languages: ['en'], labels: ['graphic-media'], tags: ['news'] }
    for (const settings of [all, { ...all, replies: 'nobody' }]) {
      const embedOf = (...media: LookupWork['media']) => {
        const work = workOf({ media, settings })
        const { json } = publish.request({ ...work, media, settings })
        const { record: alone, writes } = json as Record<
          string,
          { embed: Json } & { value: { embed: Json } }[]
        >
        return alone?.embed ?? writes?.[0]?.value.embed
      }
      const aspectRatio = { width: 3, height: 4 }
      expect(embedOf(image)).toEqual({
        $type: 'app.bsky.embed.images',
        images: [{ image: blob, alt: 'A bird', aspectRatio }],
      })
      expect(embedOf(video)).toEqual({
        $type: 'app.bsky.embed.video',
        video: video.details,
        alt: 'A bird',
        aspectRatio,
      })
    }
  })

  test('who may reply and quote is written in one commit with the post, under its key', () => {
    const settings = { replies: ['mentioned', 'following'], quotes: false }
    const request = publish.request(workOf({ settings }))
    expect(request.url.pathname).toBe('/xrpc/com.atproto.repo.applyWrites')
    expect(request.json).toMatchObject({
      repo: did,
      writes: [
        { collection: 'app.bsky.feed.post', rkey },
        {
          collection: 'app.bsky.feed.threadgate',
          rkey,
          value: {
            post: uri,
            allow: [
              { $type: 'app.bsky.feed.threadgate#mentionRule' },
              { $type: 'app.bsky.feed.threadgate#followingRule' },
            ],
          },
        },
        { collection: 'app.bsky.feed.postgate', rkey, value: { post: uri } },
      ],
    })
    const written = answer(200, {
      results: [
        { uri, cid },
        { uri: 'at://x', cid },
      ],
    })
    expect(publish.judge(written, workOf({ settings }))).toEqual({
      is: 'published',
      remoteId: uri,
      url: address,
    })
  })
})

test.each<[string, HttpResponse, Partial<Verdict> | object]>([
  ['written', answer(200, { uri, cid }), { is: 'published', remoteId: uri, url: address }],
  ['written elsewhere', answer(200, { uri: `${uri}x`, cid }), { is: 'unknown' }],
  ['expired', no(400, 'ExpiredToken'), { is: 'expired' }],
  ['expired by OAuth', no(401, 'invalid_token'), { is: 'expired' }],
  ['a token nobody knows', no(400, 'InvalidToken'), { is: 'expired' }],
  ['suspended', no(401, 'AccountTakedown'), { is: 'rejected', code: 'permission_refused' }],
  ['deactivated', no(401, 'AccountDeactivated'), { is: 'rejected', code: 'permission_refused' }],
  ['moved away', no(403, 'AccountNotFound'), { is: 'reauthorize' }],
  ['scope missing', no(403, 'InsufficientScope'), { is: 'rejected', code: 'permission_refused' }],
  ['invalid', no(400, 'InvalidRequest'), { is: 'rejected', code: 'content_refused' }],
  ['something there', no(400, 'InvalidSwap'), { is: 'unknown' }],
  ['a blob removed', no(400, 'BlobNotFound'), { is: 'deferred', code: 'media_unavailable' }],
  ['a blob too large', no(400, 'BlobTooLarge'), { is: 'rejected', code: 'media_refused' }],
  ['too large', no(413, 'PayloadTooLarge'), { is: 'rejected', code: 'content_refused' }],
  [
    'rate limited',
    no(429, 'RateLimitExceeded', { 'retry-after': '60' }),
    { is: 'deferred', code: 'rate_limited', afterMs: 60_000 },
  ],
  ['an error of another name', no(400, 'SomethingNew'), { is: 'unknown' }],
])('publish, %s', (_, response, verdict) => {
  expect(publish.judge(response, workOf())).toMatchObject(verdict)
})

const { record } = preparedFor({})
const there = (value: object, as: string) => answer(200, { uri, cid: as, value })

test.each<[string, HttpResponse, object]>([
  ['there', there(record, cid), { is: 'found', remoteId: uri, url: address, exact: true }],
  ['changed since', there({ ...record, text: 'Bye' }, otherCid), { is: 'found', exact: true }],
  ['another', there({ createdAt: '2020-01-01T00:00:00.000Z' }, otherCid), { is: 'out' }],
  ['not there', no(400, 'RecordNotFound'), { is: 'absent', seen: 'by key', keepsKeys: true }],
  ['no such repository', no(400, 'RepoNotFound'), { is: 'gone' }],
  ['404 of a gateway', answer(404, '<html>'), { is: 'unavailable' }],
])('lookup, %s', (_, response, result) => {
  const { outcome, requests } = play(lookup(workOf()), () => response)
  expect(outcome).toMatchObject(result)
  expect(requests[0]?.authorization).toBeUndefined()
})

test('the budget is counted in posts, and is none where the server has no limits', () => {
  const limits = { 'ratelimit-limit': '5000', 'ratelimit-remaining': '17', 'ratelimit-policy': '5000;w=3600' }
  const reset = String(now.getTime() / 1_000 + 60)
  const read = (headers: Record<string, string>) => adapter.budget(answer(200, {}, headers), 'publish', now)
  expect(read({ ...limits, 'ratelimit-reset': reset })).toEqual({ remaining: 1, resetsInMs: 60_000 })
  expect(read({})).toBeNull()
})

describe('connecting', () => {
  const fields = { handle: '@Alice.example', appPassword: 'secret-app-password' }
  const byForm = (change: Record<string, string>, answers = network) =>
    play(form({ fields: { ...fields, ...change }, now }), answers)

  test('by app password, at the server that the handle leads to', () => {
    const { outcome, requests } = byForm({})
    expect(outcome).toMatchObject({
      is: 'connected',
      authorization: { kind: 'password', server, did, accessEndsAt: '2026-11-21T11:00:00.000Z' },
      account: { remoteAccountId: did, handle: 'alice.example', displayName: 'Alice' },
    })
    expect(requests.map(({ url }) => url.hostname)).toEqual([
      'public.api.bsky.app',
      'plc.directory',
      'pds.example',
      'pds.example',
    ])
  })

  test('a handle that the account does not claim is refused, and no password is sent', () => {
    const other = { ...document, alsoKnownAs: ['at://mallory.example'] }
    const { outcome, requests } = byForm({}, (request) =>
      request.url.hostname === 'plc.directory' ? answer(200, other) : network(request),
    )
    expect(outcome).toMatchObject({ is: 'refused', field: 'handle' })
    expect(requests.some(({ json }) => json !== undefined)).toBe(false)
  })

  test.each([
    ['not a handle', { handle: 'alice' }, null, { code: 'invalid_field', field: 'handle' }],
    ['nobody has it', {}, no(400, 'InvalidRequest'), { code: 'invalid_field', field: 'handle' }],
    ['not a Bluesky server', { server: 'a b' }, null, { code: 'invalid_field', field: 'server' }],
    ['wrong password', { server }, no(401, 'AuthenticationRequired'), { code: 'credentials_refused' }],
    ['suspended', { server }, no(401, 'AccountTakedown'), { code: 'account_unusable' }],
    ['deactivated', { server }, answer(200, { ...session, active: false }), { code: 'account_unusable' }],
    ['a second factor', { server }, no(401, 'AuthFactorTokenRequired'), { field: 'appPassword' }],
    ['not Bluesky', { server }, answer(404, '<html>'), { code: 'invalid_field', field: 'server' }],
    ['too many', { server }, no(429, 'RateLimitExceeded'), { is: 'unavailable' }],
  ] as const)('%s', (_, change, response, outcome) => {
    const played = byForm(change, (request) => response ?? network(request))
    expect(played.outcome).toMatchObject(outcome)
    expect(played.outcome).toMatchObject({ detail: expect.stringMatching(/\.$/) })
  })

  const client = { clientId: 'https://postrider.example/client', clientSecret: null, key: null }
  const redirectUri = 'https://postrider.example/connect/bluesky/callback'
  const asked = { fields: { handle: 'alice.example' }, state: 's', codeChallenge: 'c' }
  const begun = { ...asked, client, redirectUri, now }

  test('OAuth pushes all that it asks for, and sends the person away with a reference', () => {
    const { outcome, requests } = play(oauth.authorize(begun), network)
    const pushed = requests.find(({ url }) => url.pathname === '/oauth/par')
    expect(pushed?.form).toMatchObject({
      state: 's',
      code_challenge: 'c',
      code_challenge_method: 'S256',
      redirect_uri: redirectUri,
    })
    expect(pushed?.authorization).toMatchObject({ scheme: 'DPoP', credentials: null })
    expect(outcome).toMatchObject({ is: 'authorize' })
    expect('url' in outcome && outcome.url.href).toBe(
      `${server}/oauth/authorize?client_id=https%3A%2F%2Fpostrider.example%2Fclient&request_uri=urn%3Arequest%3A1`,
    )
  })

  test('a client with a key proves itself by an assertion for that server', () => {
    const key = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y', d: 'd', kid: 'k' }
    const { requests } = play(oauth.authorize({ ...begun, client: { ...client, key } }), network)
    const assertion = requests.find(({ form: sent }) => sent !== undefined)?.form?.['client_assertion']
    expect(assertion).toBe(
      `signed.${JSON.stringify({ iss: client.clientId, sub: client.clientId, aud: server })}`,
    )
  })

  const kept = {
    identity: { did, handle: 'alice.example', server },
    issuer: server,
    tokenEndpoint: `${server}/oauth/token`,
    key: oauthAuthorization.key,
  }
  const back = { client, redirectUri, codeVerifier: 'v', kept, callback: { code: 'c', iss: server }, now }
  const token = {
    access_token: 'a',
    refresh_token: 'r',
    token_type: 'DPoP',
    sub: did,
    scope: 'atproto transition:generic',
  }

  test.each([
    ['another server answers', { callback: { iss: 'https://evil.example' } }, null, 'credentials_refused'],
    ['another account signs in', {}, { sub: 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa' }, 'credentials_refused'],
    ['less is allowed', {}, { scope: 'atproto' }, 'missing_scope'],
    ['a bearer token', {}, { token_type: 'Bearer' }, 'credentials_refused'],
    ['the code is used', {}, { error: 'invalid_grant' }, 'credentials_refused'],
  ] as const)('nothing is connected when %s', (_, change, told, code) => {
    const answered = told !== null && 'error' in told ? answer(400, told) : answer(200, { ...token, ...told })
    const { outcome } = play(oauth.exchange({ ...back, ...change }), () => answered)
    expect(outcome).toMatchObject({ is: 'refused', code })
  })

  test('a client with a key proves itself with each token, by the same assertion', () => {
    const key = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y', d: 'd', kid: 'k' }
    const keyed = { ...client, clientId: oauthAuthorization.clientId, key }
    const talks = [
      play(oauth.exchange({ ...back, client: keyed }), network),
      play(refresh({ authorization: oauthAuthorization, client: keyed, now }), network),
    ]
    const { clientId: iss } = keyed
    for (const { requests } of talks)
      expect(requests[0]?.form).toMatchObject({
        client_id: iss,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: `signed.${JSON.stringify({ iss, sub: iss, aud: server })}`,
      })
  })

  test('an account of the web is read where its name says', () => {
    const { outcome, requests } = byForm({ handle: 'did:web:alice.example' }, (request) =>
      request.url.pathname === '/.well-known/did.json'
        ? answer(200, { ...document, id: 'did:web:alice.example' })
        : network(request),
    )
    expect(requests[0]?.url.href).toBe('https://alice.example/.well-known/did.json')
    expect(requests[1]?.json).toMatchObject({ identifier: 'did:web:alice.example' })
    expect(outcome.is).toBe('connected')
  })

  test('a client without a key says when its sessions end', () => {
    const { outcome } = play(oauth.exchange(back), network)
    expect(outcome).toMatchObject({
      is: 'connected',
      authorization: { kind: 'oauth', endsAt: '2026-11-28T09:00:00.000Z' },
    })
  })

  test.each([
    ['password', authorization, no(400, 'ExpiredToken'), 'ended'],
    ['password', authorization, no(401, 'AccountTakedown'), 'unavailable'],
    ['oauth', oauthAuthorization, answer(400, { error: 'invalid_grant' }), 'ended'],
    ['oauth', oauthAuthorization, answer(401, { error: 'invalid_client' }), 'unavailable'],
  ] as const)(
    'a refresh of %s ends an authorization only by the network’s own word',
    (_, of, response, is) => {
      expect(play(refresh({ authorization: of, client: null, now }), () => response).outcome.is).toBe(is)
    },
  )
})

describe('the text', () => {
  test.each([
    ['a@b.com and alice@example.com', []],
    ['(https://example.com/a_(b))', ['link https://example.com/a_(b)']],
    ['see example.com.', ['link https://example.com']],
    ['no.such.thing.zzz', []],
    ['@alice.example @bob', ['mention alice.example']],
    ['x@alice.example', []],
    ['#one, #zwei! #3 #四 ＃five', ['tag one', 'tag zwei', 'tag 四', 'tag five']],
    ['https://ja.wikipedia.org/wiki/東京。', ['link https://ja.wikipedia.org/wiki/東京']],
    ['詳しくは（https://example.jp/記事/一覧）を', ['link https://example.jp/記事/一覧）を']],
    ['「https://example.jp/記事」', ['link https://example.jp/記事']],
    ['(https://ko.wikipedia.org/wiki/서울특별시)', ['link https://ko.wikipedia.org/wiki/서울특별시']],
    ['https://hi.wikipedia.org/wiki/दिल्ली।', ['link https://hi.wikipedia.org/wiki/दिल्ली']],
    ['https://ar.wikipedia.org/wiki/القاهرة، نعم', ['link https://ar.wikipedia.org/wiki/القاهرة']],
    ['https://el.wikipedia.org/wiki/Αθήνα_(πόλη), ναι', ['link https://el.wikipedia.org/wiki/Αθήνα_(πόλη)']],
    ['example.com/Αθήνα?ζ=1#τέλος!', ['link https://example.com/Αθήνα?ζ=1#τέλος']],
    [
      'https://müller.example/straße and https://例え.テスト/道',
      ['link https://müller.example/straße', 'link https://例え.テスト/道'],
    ],
    ['記事：https://example.com/a', ['link https://example.com/a']],
    ['“https://example.com/a”, she said', ['link https://example.com/a']],
    ['https://example.com/a...', ['link https://example.com/a']],
    ['<https://example.com/a>', ['link https://example.com/a']],
    ['https:// and http://, nothing', []],
    ['mailto:a@b.com, a.b@example.com', []],
    ['v1.2.3 and e.g. this', []],
    ['#a\u200bb #日本語、 #1つ', ['tag a', 'tag 日本語', 'tag 1つ']],
    ['https://example.com/#frag #tag', ['link https://example.com/#frag', 'tag tag']],
  ])('%s', (text, found) => {
    expect(
      annotate(text).map((one) =>
        one.is === 'link' ? `link ${one.uri}` : one.is === 'tag' ? `tag ${one.tag}` : `mention ${one.handle}`,
      ),
    ).toEqual(found)
  })

  test('a byte range is that of the words', () => {
    const text = 'é👩‍👩‍👧#a'
    expect(byteRange(text, { from: text.indexOf('#'), to: text.length })).toEqual({
      byteStart: 20,
      byteEnd: 22,
    })
  })
})

describe('record keys', () => {
  test('sort by time, and are the same for each repeat', () => {
    const uuid = part.idempotencyKey
    expect(tidOf(now, uuid)).toMatch(/^[234567a-j][234567a-z]{12}$/)
    expect(tidOf(now, uuid)).toBe(tidOf(now, uuid))
    const times = [0, 1, 1_000, 86_400_000].map((ms) => tidOf(new Date(now.getTime() + ms), uuid))
    expect(times.toSorted()).toEqual(times)
  })
})
