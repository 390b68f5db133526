import { describe, expect, test } from 'vitest'
import {
  aLookupWork,
  answer,
  anUpload,
  aPrepareWork,
  nine as now,
} from '../../../../test/rigs/publish-work.ts'
import { countCharacters } from '../shared/characters.ts'
import type { HttpRequest, HttpResponse } from '../port/calls.ts'
import type { LookupWork, PublishWork, Verdict } from '../port/port.ts'
import {
  answeringAt,
  loadWith,
  play,
  testAdapter,
  type AbsenceCase,
  type PostKind,
} from '../../../../test/rigs/adapter-suite.ts'
import { mastodon } from './mastodon.ts'
import { sameVisibleText } from './same-text.ts'

const server = 'https://social.example'
const authorization = { server, accountId: '7', accessToken: 'secret-access-token' }

const configuration = {
  statuses: { max_characters: 1_000, max_media_attachments: 6 },
  media_attachments: {
    supported_mime_types: ['image/jpeg', 'image/png', 'video/mp4', 'audio/ogg'],
    description_limit: 900,
    image_size_limit: 1_000_000,
    image_matrix_limit: 33_177_600,
    video_matrix_limit: 2_304_000,
    video_frame_rate_limit: 60,
  },
}
const account = {
  id: '7',
  username: 'alice',
  display_name: 'Alice',
  avatar: 'https://social.example/alice.png',
}
const scope = 'read:accounts read:statuses write:statuses write:media'
/** An error as Mastodon writes it. */
const no = (httpStatus: number, error: string) => answer(httpStatus, { error })

function status(id: string, change: object = {}) {
  return {
    id,
    url: `${server}/@alice/${id}`,
    created_at: '2026-11-21T09:00:01.000Z',
    edited_at: null,
    in_reply_to_id: null,
    content: '<p>Another</p>',
    media_attachments: [],
    ...change,
  }
}

/** What a server says of itself (https://nodeinfo.diaspora.software/protocol). */
function software(name: string, version: string) {
  const path = name === 'snac' ? '/nodeinfo_2_0' : '/nodeinfo/2.0'
  const href = `https://its-other-name.example${path}`
  return {
    '/.well-known/nodeinfo': answer(200, {
      links: [{ rel: 'http://nodeinfo.diaspora.software/ns/schema/2.0', href }],
    }),
    [path]: answer(200, { version: '2.0', software: { name, version } }),
  }
}

const itself = software('mastodon', '4.5.0')

/** An instance where all goes well. */
function network({ method, url, form }: HttpRequest): HttpResponse {
  const { pathname } = url
  if (pathname.endsWith('/instance'))
    return answer(200, { domain: 'social.example', uri: 'social.example', version: '4.5.0', configuration })
  if (pathname === '/api/v1/apps/verify_credentials')
    return answer(200, { name: 'Postrider', scopes: ['read', 'write:statuses', 'write:media'] })
  if (pathname === '/api/v1/apps') return answer(200, { client_id: 'id', client_secret: 'secret' })
  if (pathname === '/oauth/token') {
    return answer(200, { access_token: 'secret-access-token', token_type: 'Bearer', scope: form?.['scope'] })
  }
  if (pathname === '/api/v1/accounts/verify_credentials') return answer(200, account)
  if (pathname === '/api/v2/media') return answer(202, { id: '500' })
  if (pathname.startsWith('/api/v1/media/')) return answer(200, { id: '500' })
  if (pathname === '/api/v1/accounts/7/statuses') {
    return answer(200, url.searchParams.has('max_id') ? [] : [status('90')])
  }
  if (pathname.endsWith('/source')) return answer(200, { id: '90', text: 'Another', spoiler_text: '' })
  if (method === 'GET' && pathname.startsWith('/api/v1/statuses/')) return answer(200, status('90'))
  const told = itself[pathname as keyof typeof itself]
  if (told !== undefined) return told
  throw new Error(`nobody answers ${method} ${url.href}`)
}

const { prepare, publish, upload, lookup, form, oauth, profile, ...adapter } = await loadWith(mastodon, [
  'prepare',
  'upload',
  'lookup',
  'form',
  'oauth',
  'profile',
])

const isPublic = ({ settings: { visibility = 'public' } }: PostKind) => visibility === 'public'
const absence: AbsenceCase[] = [
  ...(
    [
      ['mastodon', '4.5.0', () => true],
      ['mastodon', '4.4.0-rc.1+glitch', () => true],
      ['gotosocial', '0.20.1 git-0a1b2c3', () => true],
      ['snac', '2.75', isPublic],
      // What nobody has looked into: a fork, another version, another server.
      ...['4.3.0+fork', '3.5.0', 'seven', '14', ''].map(
        (version) => ['mastodon', version, isPlain] satisfies [string, string, typeof isPlain],
      ),
      ['pleroma', '2.7.0', isPlain],
      ['constructor', '4.5.0', isPlain],
    ] satisfies [string, string, AbsenceCase['proves']][]
  ).map(([name, version, proves]) => ({
    server: `${name} ${version}`,
    network: answeringAt(network, software(name, version)),
    proves,
  })),
  {
    server: 'a server that does not say what it is',
    network: answeringAt(network, { '/.well-known/nodeinfo': answer(404, '') }),
    proves: isPlain,
  },
]

function isPlain({
  reply,
  settings: { visibility = 'public', sensitive = false, contentWarning },
}: PostKind) {
  return !reply && visibility === 'public' && sensitive === false && contentWarning === undefined
}

await testAdapter(mastodon, {
  absence,
  authorization,
  secrets: ['secret-access-token'],
  success: () => answer(200, status('91')),
  network,
  refusals: [{ error: 'The access token is invalid' }, { error: 'Validation failed: Text is too long' }],
  settings: { visibility: 'unlisted', contentWarning: 'A bird', language: 'en' },
  form: { server: 'social.example', accessToken: 'secret-access-token' },
  oauth: {
    fields: { server: 'social.example' },
    client: { clientId: 'id', clientSecret: 'client-secret', key: null },
    callback: { code: 'the-code', state: 'the-state' },
  },
})

const part = aPrepareWork(authorization)
const workOf = (change: Partial<LookupWork> = {}) =>
  aLookupWork(authorization, { prepared: { newestId: '80' }, ...change })

const where = (answers: Parameters<typeof answeringAt>[1]) => answeringAt(network, answers)
const STATUSES = '/api/v1/accounts/7/statuses'
const ACCOUNT = '/api/v1/accounts/verify_credentials'
const sourceOf = (id: string, text: string) => ({
  [`/api/v1/statuses/${id}/source`]: answer(200, { id, text }),
})

describe('what is sent', () => {
  const sent = (change: Partial<PublishWork>) => publish.request(workOf(change)).json

  test('a post is public unless its settings say otherwise, and carries its key', () => {
    expect(sent({})).toEqual({ status: 'Hello', visibility: 'public' })
    expect(publish.request(workOf()).headers).toEqual({
      'idempotency-key': part.idempotencyKey,
      'accept-language': 'en',
    })
  })

  test('a post shows its uploads', () => {
    const media = [{ remoteId: '500', kind: 'image', altText: 'A bird' }] as const
    expect(sent({ media })).toEqual({ status: 'Hello', visibility: 'public', media_ids: ['500'] })
  })

  test('a content warning hides media, too', () => {
    expect(sent({ settings: { contentWarning: 'A bird', language: 'de' } })).toEqual({
      status: 'Hello',
      visibility: 'public',
      spoiler_text: 'A bird',
      sensitive: true,
      language: 'de',
    })
  })

  test('an alt text cannot end its part of an upload', () => {
    const [request] = play(upload(anUpload(authorization, 'image', { altText: 'A bird' })), network).requests
    const [description, sentFile] = request!.multipart!.parts
    expect(description).toEqual({ name: 'description', value: 'A bird' })
    expect(sentFile).toMatchObject({ name: 'file', fileName: 'media.png' })
    expect(request!.multipart!.boundary).not.toContain('secret')
  })
})

describe('what an answer to a post proves', () => {
  const reply = { parent: { remoteId: '90' }, root: { remoteId: '90' } }
  test.each<[string, HttpResponse, Verdict['is'], Partial<LookupWork>?]>([
    ['a status whose id is none', answer(200, status(' ')), 'unknown'],
    ['a token that is over', no(401, 'The access token was revoked'), 'reauthorize'],
    ['a token that is over, said without a word', answer(401, ''), 'reauthorize'],
    ['a suspended account', no(403, 'Your login is currently disabled'), 'rejected'],
    ['a text that is too long', no(422, 'Text character limit of 500 exceeded'), 'rejected'],
    ['media in processing', no(422, 'Cannot attach files that have not finished processing'), 'deferred'],
    ['a parent that is gone', no(404, 'The post you reply to does not exist'), 'rejected', reply],
    ['a 404 for what replies to nothing', no(404, 'Record not found'), 'unknown'],
    ['an instance that has no such call', no(404, 'Not Found'), 'rejected'],
    ['a refusal of GoToSocial', no(400, 'Bad Request: text with spoiler exceed max chars (500)'), 'rejected'],
    ['a 400 in other words', no(400, 'param is missing'), 'unknown'],
    ['a post that is invalid', no(422, "Validation failed: Text can't be blank"), 'rejected'],
    [
      'a hashtag that is invalid, of a post that is stored',
      no(422, 'Validation failed: Name is invalid'),
      'unknown',
    ],
    ['a 422 in another language', no(422, 'Validierung fehlgeschlagen'), 'unknown'],
  ])('%s', (_, response, verdict, change = {}) => {
    expect(publish.judge(response, workOf(change)).is).toBe(verdict)
  })

  test.each([
    ['Bad Request: too\u0007 long,\n <b>really</b>', 'It says: “Bad Request: too long, <b>really</b>”'],
    [`Bad Request: ${'x'.repeat(500)}`, `It says: “Bad Request: ${'x'.repeat(187)}…”`],
    ['Bad Request: secret-access-token', 'The instance refuses the post as invalid.'],
  ])('the reason of a refusal is shown in one short line, and never a secret: %j', (error, shown) => {
    expect(publish.judge(no(400, error), workOf())).toMatchObject({
      is: 'rejected',
      code: 'content_refused',
      detail: expect.stringContaining(shown),
    })
  })

  test('a rate limit ends by the clock of the instance', () => {
    const headers = { 'x-ratelimit-reset': '2026-11-21T09:05:00.000000Z' }
    const verdict = publish.judge(answer(429, { error: 'Too many requests' }, headers), workOf())
    expect(verdict).toEqual({ is: 'deferred', code: 'rate_limited', afterMs: 300_000 })
  })

  test('what is left of a limit is told with every answer', () => {
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '2026-11-21T09:05:00.000000Z' }
    expect(adapter.budget({ status: 200, headers, body: '' }, 'publish', now)).toEqual({
      remaining: 0,
      resetsInMs: 300_000,
    })
  })
})

describe('a look for a post in doubt', () => {
  const look = (work: LookupWork, answers: Parameters<typeof where>[0]) =>
    play(lookup(work), where(answers)).outcome
  const listed = (...posts: object[]) => ({
    [STATUSES]: ({ url }: HttpRequest) => answer(200, url.searchParams.has('max_id') ? [] : posts),
  })
  const newest = status('80', { created_at: '2026-11-21T08:00:00.000Z' })
  /** A post of the time of the call, and what its source says. */
  const made = (change: object, text: string) => ({
    ...listed(status('91', change), newest),
    ...sourceOf('91', text),
  })

  test('finds it by what was sent', () => {
    expect(look(workOf(), made({}, 'Hello'))).toEqual({
      is: 'found',
      remoteId: '91',
      url: `${server}/@alice/91`,
      exact: false,
    })
  })

  test('finds an upload of ours exactly, since it is attached once', () => {
    const media = [{ remoteId: '500', kind: 'image', altText: null }] as const
    const post = status('91', { media_attachments: [{ id: '500' }] })
    expect(look(workOf({ media }), listed(post, newest))).toMatchObject({ is: 'found', exact: true })
  })

  test('is absent when every post since then says something else', () => {
    expect(look(workOf(), made({}, 'Other'))).toMatchObject({ is: 'absent' })
    expect(look(workOf({ prepared: { newestId: null } }), listed())).toMatchObject({ is: 'absent' })
  })

  test.each([
    ['a proxy whose instance is away', { '/.well-known/nodeinfo': answer(502, '<html>') }],
    ['a limit', { '/.well-known/nodeinfo': answer(429, { error: 'Too many requests' }) }],
    ['a page', { '/.well-known/nodeinfo': answer(200, '<html>') }],
    ['half an answer', { '/nodeinfo/2.0': answer(200, '{"version":"2.0","softw') }],
    ['an answer without software', { '/nodeinfo/2.0': answer(200, { version: '2.0' }) }],
    ['a failure of the second answer', { '/nodeinfo/2.0': answer(503, '') }],
  ])('proves nothing while %s hides what software the instance is', (_, answers) => {
    expect(look(workOf({ prepared: { newestId: null } }), { ...listed(), ...answers })).toMatchObject({
      is: 'unavailable',
      detail: expect.stringContaining('which software it runs'),
    })
  })

  test('reads back to before the call, page by page', () => {
    const pages: Record<string, object[]> = { '': [status('92')], 92: [status('91')], 91: [newest] }
    const outcome = look(workOf(), {
      [STATUSES]: ({ url }) => answer(200, pages[url.searchParams.get('max_id') ?? '']),
      ...sourceOf('92', 'Other'),
      ...sourceOf('91', 'Hello'),
    })
    expect(outcome).toMatchObject({ is: 'found', remoteId: '91' })
  })

  test('takes the whole list of a server that knows no pages', () => {
    const answers = { [STATUSES]: answer(200, [status('91')]), ...sourceOf('91', 'Other') }
    expect(look(workOf({ prepared: { newestId: null } }), answers)).toMatchObject({ is: 'absent' })
  })

  test('ends at posts of long before the call when the newest of then was deleted', () => {
    const old = status('70', { created_at: '2026-11-20T09:00:00.000Z' })
    expect(look(workOf(), listed(old))).toMatchObject({ is: 'absent' })
  })

  test('what was made since the newest of then is compared, however old it seems', () => {
    const answers = made({ created_at: '2026-11-21T07:00:01.000Z' }, 'Hello')
    expect(look(workOf(), answers)).toMatchObject({ is: 'found', remoteId: '91' })
  })

  test.each([
    ['ahead of the instance', 'Sat, 21 Nov 2026 07:00:00 GMT'],
    ['that cannot be compared with that of the instance', ''],
  ])('with a clock of the database %s, no post is left out by its age', (_, at) => {
    const old = status('91', { created_at: '2026-11-21T07:00:01.000Z' })
    const answers = { [STATUSES]: answer(200, [old], { date: at }), ...sourceOf('91', 'Hello') }
    const work = workOf({ prepared: { newestId: null } })
    expect(look(work, answers)).toMatchObject({ is: 'found', remoteId: '91' })
    // It may be of long ago: nothing tells.
    expect(look(workOf(), answers)).toMatchObject({ is: 'unavailable' })
  })

  const full = Array.from({ length: 40 }, (_, n) => status(String(100 + n)))
  test.each([
    ['a post that was edited since', made({ edited_at: '2026-11-21T09:01:00Z' }, 'Edited')],
    ['a text that the server has changed', made({}, 'Hello!\n\nsent by a bot')],
    ['a list that ends above what was the newest', { ...made({}, 'Other'), ...listed(status('91')) }],
    ['an empty list, where there was a post', listed()],
    ['an equal text in reply to another', made({ in_reply_to_id: '5' }, 'Hello')],
    [
      'a server that tells no source, and shows something else',
      { ...made({}, ''), '/api/v1/statuses/91/source': answer(404, '') },
    ],
    ['a list that repeats itself', { [STATUSES]: answer(200, full) }],
    ['a list that cannot be read', { [STATUSES]: answer(502, '<html></html>') }],
  ])('%s proves nothing', (_, answers) => {
    expect(look(workOf(), answers)).toMatchObject({ is: 'unavailable' })
  })

  test('the equal one is found behind others that cannot be compared, and behind many', () => {
    const edited = status('199', { edited_at: '2026-11-21T09:01:00Z' })
    const many = Array.from({ length: 30 }, (_, n) => status(String(198 - n)))
    const equal = status('91', { content: '<p>Hello</p>' })
    const answers = { ...listed(edited, ...many, equal, newest), ...sourceOf('91', 'Hello') }
    const others = answeringAt(where(answers), {})
    const asked: string[] = []
    const { outcome } = play(lookup(workOf()), (request) => {
      asked.push(request.url.pathname)
      return others(request)
    })
    expect(outcome).toMatchObject({ is: 'found', remoteId: '91' })
    expect(asked.filter((path) => path.endsWith('/source'))).toEqual(['/api/v1/statuses/91/source'])
    const without = { ...listed(edited, ...many, newest) }
    expect(look(workOf(), without)).toMatchObject({ is: 'unavailable' })
  })

  test('with more posts than can be compared, that none is equal proves nothing', () => {
    const many = Array.from({ length: 21 }, (_, n) => status(String(198 - n)))
    expect(look(workOf(), listed(...many, newest))).toMatchObject({ is: 'unavailable' })
    expect(look(workOf(), listed(...many.slice(1), newest))).toMatchObject({ is: 'absent' })
  })

  test('posts that are known to be of other parts are not taken for it', () => {
    const work = workOf({ knownRemoteIds: ['91'] })
    expect(look(work, made({}, 'Hello'))).toMatchObject({ is: 'absent' })
  })

  test('without a source, what is shown is compared as people read it', () => {
    const shown =
      '<p>Hello <span class="h-card"><a href="x">@<span>bob</span></a></span> &amp; all<br />see <a href="https://a.example/long"><span class="invisible">https://</span><span>a.example/long</span></a></p>'
    expect(sameVisibleText(shown, 'Hello @bob@b.example & all\nsee https://a.example/long')).toBe(true)
    expect(sameVisibleText(shown, 'Hello')).toBe(false)
  })
})

describe('what is prepared', () => {
  test('the newest post is remembered, or that there is none', () => {
    expect(play(prepare(part), network).outcome).toEqual({ is: 'prepared', prepared: { newestId: '90' } })
    expect(play(prepare(part), where({ [STATUSES]: answer(200, []) })).outcome).toEqual({
      is: 'prepared',
      prepared: { newestId: null },
    })
  })

  test('a part whose parent was deleted is not sent', () => {
    const reply = { ...part, parent: { remoteId: '90' }, root: { remoteId: '90' } }
    const gone = where({ '/api/v1/statuses/90': no(404, 'Record not found') })
    expect(play(prepare(reply), gone).outcome).toMatchObject({ is: 'rejected', code: 'parent_missing' })
  })
})

describe('uploads', () => {
  const work = anUpload(authorization, 'image')

  test('a file is polled until it is processed', () => {
    let polls = 0
    const slow = where({ '/api/v1/media/500': () => answer(++polls < 3 ? 206 : 200, { id: '500' }) })
    expect(play(upload(work), slow).outcome).toEqual({ is: 'uploaded', media: { remoteId: '500' } })
    expect(polls).toBe(3)
  })

  test('what something else answers in the name of the instance does not make a file ready', () => {
    const portal = where({ '/api/v1/media/500': answer(200, '<html>Sign in</html>') })
    expect(play(upload(work), portal).outcome).toMatchObject({ is: 'deferred' })
  })

  test('a later run goes on with what was sent', () => {
    const { requests } = play(upload({ ...work, checkpoint: { mediaId: '500' } }), network)
    expect(requests.map(({ method }) => method)).toEqual(['GET'])
  })

  test.each([
    ['of a kind that it does not take', '/api/v2/media', no(422, 'File content type is invalid')],
    ['that is too large', '/api/v2/media', answer(413, '')],
    ['that it cannot process', '/api/v1/media/500', no(422, 'Error processing')],
  ])('a file %s is refused', (_, path, response) => {
    expect(play(upload(work), where({ [path]: response })).outcome).toMatchObject({ code: 'media_refused' })
  })
})

describe('connecting', () => {
  const byToken = (fields: Record<string, string>, answers: Parameters<typeof where>[0] = {}) =>
    play(form({ fields: { server: 'social.example', accessToken: 'x', ...fields }, now }), where(answers))
      .outcome

  test('an account has the limits of its instance', () => {
    expect(byToken({})).toMatchObject({
      is: 'connected',
      account: {
        remoteAccountId: 'social.example/7',
        handle: 'alice@social.example',
        displayName: 'Alice',
        limits: {
          maxCharacters: 1_000,
          media: {
            maxItems: 6,
            maxAltCharacters: 900,
            kinds: [
              { contentTypes: ['image/jpeg', 'image/png'], maxBytes: 1_000_000, maxPixels: 33_177_600 },
              { contentTypes: ['video/mp4'], maxPixels: 2_304_000, maxFrameRate: 60 },
            ],
          },
        },
      },
    })
  })

  test('an instance that says nothing, or nonsense, has the usual limits', () => {
    for (const told of [undefined, null, { statuses: { max_characters: -1 }, media_attachments: 'many' }]) {
      const instance = answer(200, { domain: 'social.example', version: '4', configuration: told })
      expect(byToken({}, { '/api/v2/instance': instance })).toMatchObject({
        account: { limits: { maxCharacters: 500, media: { maxItems: 4 } } },
      })
    }
  })

  test('servers that have only the older description of themselves are taken', () => {
    const answers = {
      '/api/v2/instance': answer(404, ''),
      '/api/v1/instance': answer(200, { uri: 'https://old.example', version: '2.7', configuration }),
    }
    expect(byToken({}, answers)).toMatchObject({ account: { handle: 'alice@old.example' } })
  })

  test.each([
    'social.example',
    'https://social.example/',
    '@alice@social.example',
    ' SOCIAL.example '.trim(),
  ])('the instance of %s is found', (typed) => {
    expect(oauth.server({ server: typed })).toBe(server)
  })

  test.each([
    ['not a server address', { server: 'not an address' }, {}, 'invalid_field'],
    ['an address with more than a host', { server: 'social.example/@alice' }, {}, 'invalid_field'],
    ['a page', {}, { '/api/v2/instance': answer(200, '<html></html>') }, 'invalid_field'],
    ['a wrong token', {}, { [ACCOUNT]: no(401, 'The access token is invalid') }, 'credentials_refused'],
    ['a token with too little', {}, { [ACCOUNT]: no(403, 'outside the authorized scopes') }, 'missing_scope'],
    ['a suspended account', {}, { [ACCOUNT]: no(403, 'Your login is disabled') }, 'account_unusable'],
  ] as const)('%s is refused with what to do', (_, fields, answers, code) => {
    expect(byToken(fields, answers)).toMatchObject({ is: 'refused', code })
  })

  test('an instance that is away is not called wrong', () => {
    expect(byToken({}, { '/api/v2/instance': answer(503, '') })).toMatchObject({ is: 'unavailable' })
  })

  const client = { clientId: 'id', clientSecret: 'client-secret', key: null }
  const redirectUri = 'https://postrider.example/connect/mastodon/callback'
  const asked = { fields: { server: 'social.example' }, state: 's', codeChallenge: 'c' }
  const begin = { ...asked, client, redirectUri, now }

  test('people are sent to their instance with a challenge', () => {
    const { outcome } = play(oauth.authorize(begin), network)
    if (outcome.is !== 'authorize') throw new Error(outcome.is)
    expect(outcome.url.origin + outcome.url.pathname).toBe(`${server}/oauth/authorize`)
    expect(Object.fromEntries(outcome.url.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'id',
      redirect_uri: redirectUri,
      scope,
      state: 's',
      code_challenge: 'c',
      code_challenge_method: 'S256',
    })
  })

  test('an app that the instance has removed is registered again before anybody is sent there', () => {
    const removed = where({ '/oauth/token': no(401, 'invalid_client') })
    expect(play(oauth.authorize(begin), removed).outcome).toEqual({ is: 'unknown_client' })
  })

  const back = { client, redirectUri, codeVerifier: 'v', kept: { server }, callback: { code: 'x' }, now }
  test.each([
    ['everything', scope, 'connected'],
    ['whole families of it', 'read write', 'connected'],
    ['less', 'read:accounts read:statuses', 'refused'],
  ])('%s that was granted', (_, granted, is) => {
    const token = answer(200, { access_token: 'secret-access-token', token_type: 'Bearer', scope: granted })
    expect(play(oauth.exchange(back), where({ '/oauth/token': token })).outcome).toMatchObject({ is })
  })

  test('only the word of the instance that the token is over ends an authorization', () => {
    const seen = (response: HttpResponse) =>
      play(profile({ authorization, now }), where({ [ACCOUNT]: response })).outcome.is
    expect(seen(no(401, 'The access token was revoked'))).toBe('reauthorize')
    expect(seen(no(403, 'Your login is currently disabled'))).toBe('unavailable')
  })
})

describe('length', () => {
  test.each([
    ['https://example.com/a-very-long-address-that-counts-like-any-other', 23],
    ['see http://a.com, and b.com', 4 + 23 + 11],
    ['@alice@social.example hi', 9],
    ['mail@social.example', 19],
    ['👩‍👩‍👧‍👦é', 2],
  ])('%s', (text, length) => {
    expect(countCharacters(text, 'mastodon')).toBe(length)
  })

  test('a content warning counts with the text', () => {
    const check = (text: string, contentWarning: string) =>
      mastodon.check?.({
        kind: 'post',
        text,
        index: 0,
        mediaCount: 0,
        mediaKinds: [],
        mediaSizes: [],
        settings: { contentWarning },
        limits: mastodon.limits,
      })
    expect(check('a'.repeat(490), 'b'.repeat(10))).toEqual([])
    expect(check('a'.repeat(490), 'b'.repeat(11))).toMatchObject([{ severity: 'error' }])
  })
})
