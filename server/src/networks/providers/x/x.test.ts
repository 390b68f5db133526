import { describe, expect, test } from 'vitest'
import { aLookupWork, answer, anUpload, nine as now } from '../../../../test/rigs/publish-work.ts'
import type { HttpRequest, HttpResponse } from '../port/calls.ts'
import type { LookupWork, PublishWork } from '../port/port.ts'
import { answeringAt, loadWith, play, testAdapter } from '../../../../test/rigs/adapter-suite.ts'
import { x } from './x.ts'

const authorization = {
  accountId: '7',
  username: 'alice',
  accessEndsAt: '2026-11-21T11:00:00.000Z',
  accessToken: 'secret-access-token',
  refreshToken: 'secret-refresh-token',
}
const scope = 'tweet.read tweet.write users.read media.write offline.access'

function problem(status: number, detail: string, name?: string): HttpResponse {
  const type = name === undefined ? 'about:blank' : `https://api.twitter.com/2/problems/${name}`
  return answer(status, { title: 'A title', detail, type, status })
}
function listed(id: string, change: object = {}) {
  return { id, text: 'Another', conversation_id: id, edit_history_post_ids: [id], ...change }
}
function page(...posts: object[]): HttpResponse {
  const meta = { result_count: posts.length }
  return answer(200, posts.length === 0 ? { meta } : { data: posts, meta })
}

const tokens = {
  access_token: 'secret-access-token',
  refresh_token: 'secret-refresh-token',
  token_type: 'bearer',
  expires_in: 7_200,
  scope,
}
const uploaded = { data: { id: '500', media_key: '3_500' } }
const me = { data: { id: '7', name: 'Alice', username: 'alice', subscription_type: 'Premium' } }
const TIMELINE = '/2/users/7/tweets'

/** X where all goes well. */
function network({ method, url }: HttpRequest): HttpResponse {
  switch (`${method} ${url.pathname}`) {
    case 'POST /2/oauth2/token':
      return answer(200, tokens)
    case 'GET /2/users/me':
      return answer(200, me)
    case 'POST /2/media/upload/500/append':
      return answer(200, { data: { expires_at: 1 } })
    case 'POST /2/media/upload/initialize':
    case 'POST /2/media/upload/500/finalize':
    case 'GET /2/media/upload':
    case 'POST /2/media/metadata':
      return answer(200, uploaded)
    case `GET ${TIMELINE}`:
      return page(listed('90'))
    default:
      throw new Error(`nobody answers ${method} ${url.href}`)
  }
}

const { publish, upload, lookup, oauth, refresh, profile, ...adapter } = await loadWith(x, [
  'upload',
  'lookup',
  'oauth',
  'refresh',
  'profile',
])

const client = { clientId: 'the-app', clientSecret: 'secret-of-the-app', key: null }
await testAdapter(x, {
  absence: [{ server: 'X', byDates: true, network, proves: ({ settings }) => !('communityId' in settings) }],
  authorization,
  secrets: ['secret-access-token', 'secret-refresh-token'],
  success: () => answer(201, { data: { id: '91', text: 'Hello' } }),
  network,
  refusals: [
    { title: 'Unauthorized', type: 'about:blank', status: 401, detail: 'Unauthorized' },
    { title: 'Forbidden', type: 'about:blank', detail: 'You are not permitted to perform this action.' },
    { error: 'invalid_request', error_description: 'Value passed for the token was invalid.' },
  ],
  settings: { replies: 'following', madeWithAi: true },
  oauth: { fields: {}, client, callback: { code: 'the-code', state: 'the-state' } },
})

const workOf = (change: Partial<LookupWork> = {}) => aLookupWork(authorization, change)
const reply = { parent: { remoteId: '91' }, root: { remoteId: '90' } }
const image = { kind: 'image', altText: null, remoteId: '500', details: { mediaKey: '3_500' } } as const

const where = (answers: Parameters<typeof answeringAt>[1]) => answeringAt(network, answers)

describe('what is sent', () => {
  const sent = (change: Partial<PublishWork>) => publish.request(workOf(change)).json

  test('a text alone is nothing but a text', () => {
    expect(sent({})).toEqual({ text: 'Hello' })
  })

  test('a post shows its uploads', () => {
    expect(sent({ media: [image, { ...image, remoteId: '501' }] })).toEqual({
      text: 'Hello',
      media: { media_ids: ['500', '501'] },
    })
  })

  test('a file that X still processes is asked about', () => {
    const states = ['pending', 'in_progress', 'succeeded']
    const processed = () => answer(200, { data: { id: '500', processing_info: { state: states.shift() } } })
    const answers = where({ '/2/media/upload/500/finalize': processed, '/2/media/upload': processed })
    const { outcome, requests } = play(upload(anUpload(authorization, 'video')), answers)
    expect(outcome).toMatchObject({ is: 'uploaded', media: { remoteId: '500' } })
    expect(requests.slice(-2).map(({ url }) => url.pathname + url.search)).toEqual([
      '/2/media/upload?command=STATUS&media_id=500',
      '/2/media/upload?command=STATUS&media_id=500',
    ])
  })

  test('replies and community are settings of the first part, disclosures of every part', () => {
    const settings = { replies: 'verified', communityId: '5', madeWithAi: true, paidPartnership: true }
    const disclosed = { text: 'Hello', made_with_ai: true, paid_partnership: true }
    expect(sent({ settings })).toEqual({ ...disclosed, reply_settings: 'verified', community_id: '5' })
    expect(sent({ settings, ...reply })).toEqual({ ...disclosed, reply: { in_reply_to_tweet_id: '91' } })
  })

  test('a file goes up in pieces that make it up', async () => {
    const bytes = Buffer.alloc(9 * 1024 * 1024, 'A video of 9 MB.\n')
    const file = {
      contentType: 'video/mp4',
      size: bytes.length,
      async *open({ from, to } = { from: 0, to: bytes.length }) {
        yield bytes.subarray(from, to)
      },
    }
    const { requests } = play(upload(anUpload(authorization, 'video', { file, altText: 'None' })), network)
    expect(requests.map(({ url }) => url.pathname.split('/').at(-1))).toEqual([
      'initialize',
      'append',
      'append',
      'append',
      'finalize',
    ])
    expect(requests[0]?.json).toMatchObject({ media_category: 'tweet_video', total_bytes: bytes.length })
    const category = (contentType: string) =>
      play(upload(anUpload(authorization, 'image', { file: { ...file, contentType } })), network).requests[0]
        ?.json
    expect(category('image/gif')).toMatchObject({ media_category: 'tweet_gif' })
    expect(category('image/png')).toMatchObject({ media_category: 'tweet_image' })
    const pieces = requests.flatMap(({ multipart }) => multipart?.parts ?? [])
    const whole: Uint8Array[] = []
    for (const piece of pieces)
      if ('file' in piece) for await (const part of piece.file.open()) whole.push(part)
    expect(Buffer.concat(whole).equals(bytes)).toBe(true)
  })
})

describe('what an answer to a post proves', () => {
  test.each([
    [problem(401, 'Unauthorized'), 'expired', undefined],
    [problem(402, 'No credits', 'credits'), 'rejected', 'permission_refused'],
    [problem(403, 'The user is suspended', 'user-suspended'), 'rejected', 'permission_refused'],
    [problem(403, 'Not enrolled', 'client-forbidden'), 'rejected', 'permission_refused'],
    [
      problem(403, 'You are not allowed to create a Tweet with duplicate content.'),
      'rejected',
      'duplicate_refused',
    ],
    [
      problem(403, 'You attempted to reply to a Tweet that is deleted or not visible to you.'),
      'rejected',
      'parent_missing',
    ],
    [problem(403, 'You are not permitted to perform this action.'), 'rejected', 'permission_refused'],
    [problem(403, 'Your Tweet text is too long.'), 'rejected', 'content_refused'],
    [problem(400, 'Your media IDs are invalid.', 'invalid-request'), 'deferred', 'media_unavailable'],
    [problem(400, 'One or more parameters', 'invalid-request'), 'rejected', 'content_refused'],
    [problem(404, 'Not Found'), 'rejected', 'not_published'],
    [problem(405, 'Method Not Allowed'), 'rejected', 'not_published'],
    [problem(404, 'There is none', 'resource-not-found'), 'unknown', undefined],
    [answer(200, { data: { id: '91' } }), 'unknown', undefined],
  ])('%o is %s %s', (response, is, code) => {
    expect(publish.judge(response, workOf())).toMatchObject(code === undefined ? { is } : { is, code })
  })

  test('a limit that is spent holds until its reset, by the clock of X', () => {
    const seconds = now.getTime() / 1_000
    const headers = {
      'x-rate-limit-remaining': '20',
      'x-rate-limit-reset': String(seconds + 60),
      'x-user-limit-24hour-remaining': '0',
      'x-user-limit-24hour-reset': String(seconds + 7_200),
    }
    expect(publish.judge(answer(429, '', headers), workOf())).toEqual({
      is: 'deferred',
      code: 'rate_limited',
      afterMs: 7_200_000,
    })
    expect(adapter.budget(answer(201, {}, headers), 'publish', now)).toEqual({
      remaining: 0,
      resetsInMs: 7_200_000,
    })
  })
})

describe('what a look finds', () => {
  const look = (
    change: Partial<LookupWork>,
    posts: HttpResponse | ((request: HttpRequest) => HttpResponse),
  ) => play(lookup(workOf(change)), where({ [TIMELINE]: posts })).outcome
  const link = { url: 'https://t.co/abc', expanded_url: 'https://example.com/?a=1&b=2' }
  const picture = { url: 'https://t.co/pic', media_key: '3_500' }

  test('the same text in the same place is it, whatever X made of its links and signs', () => {
    const text = 'Fish &amp; chips: https://t.co/abc'
    const post = listed('91', { text, entities: { urls: [link] } })
    expect(look({ text: 'Fish & chips:\nexample.com/?a=1&b=2 ' }, page(listed('92'), post))).toEqual({
      is: 'found',
      remoteId: '91',
      url: 'https://x.com/alice/status/91',
      exact: false,
    })
  })

  test.each(['note_post', 'note_tweet'])('a long text is compared in full (%s)', (name) => {
    const text = 'word '.repeat(100).trim()
    const post = listed('91', { text: `${text.slice(0, 270)}… https://t.co/abc`, [name]: { text } })
    expect(look({ text }, page(post))).toMatchObject({ is: 'found', exact: false })
  })

  test('a reply is it only in its thread', () => {
    const post = { text: 'Hello' }
    expect(look(reply, page(listed('92', { ...post, conversation_id: '90' })))).toMatchObject({ is: 'found' })
    expect(look(reply, page(listed('92', post)))).toMatchObject({ is: 'unavailable' })
    expect(look({}, page(listed('92', { ...post, conversation_id: '90' })))).toMatchObject({
      is: 'unavailable',
    })
  })

  test('a post with the upload is it, exactly, and one with another picture is not', () => {
    const post = {
      text: 'https://t.co/pic',
      entities: { urls: [picture] },
      attachments: { media_keys: ['3_500'] },
    }
    const other = { ...post, attachments: { media_keys: ['3_600'] } }
    expect(look({ text: '', media: [image] }, page(listed('91', post)))).toMatchObject({ exact: true })
    expect(look({ text: '', media: [image] }, page(listed('91', other)))).toMatchObject({ is: 'unavailable' })
  })

  test.each([
    ['edited since', listed('95', { edit_history_post_ids: ['91', '95'] })],
    ['cut off', listed('91', { text: 'Hel' })],
    ['with a mention before it', listed('91', { text: '@bob Hello!' })],
    ['with a picture', listed('91', { text: 'Hello', attachments: { media_keys: ['3_9'] } })],
  ])('a post %s proves nothing', (_, post) => {
    expect(look({}, page(post))).toMatchObject({ is: 'unavailable' })
  })

  test('a post that is known to be another part is not looked at', () => {
    const post = listed('91', { text: 'Hello' })
    expect(look({ knownRemoteIds: ['91'] }, page(post))).toMatchObject({ is: 'absent' })
  })

  test('absent is said when every post since before the call was read, and is another one', () => {
    const asked: string[] = []
    const outcome = look({}, ({ url: { searchParams } }) => {
      asked.push(searchParams.get('start_time') ?? '')
      return searchParams.has('pagination_token')
        ? page(listed('91'))
        : answer(200, { data: [listed('92')], meta: { result_count: 1, next_token: 'more' } })
    })
    expect(outcome).toMatchObject({ is: 'absent' })
    expect(asked).toEqual(['2026-11-21T08:00:00Z', '2026-11-21T08:00:00Z'])
    const endless = answer(200, { data: [listed('92')], meta: { result_count: 1, next_token: 'more' } })
    expect(look({}, endless)).toMatchObject({ is: 'unavailable' })
  })

  test('a post to a community is found where it is shown', () => {
    const settings = { communityId: '5' }
    expect(look({ settings }, page(listed('91', { text: 'Hello' })))).toMatchObject({ is: 'found' })
  })

  test('the equal one is found behind others that cannot be compared', () => {
    const edited = listed('93', { edit_history_post_ids: ['92', '93'] })
    const longer = listed('92', { text: 'Hello again' })
    expect(look({}, page(edited, longer, listed('91', { text: 'Hello' })))).toMatchObject({
      is: 'found',
      remoteId: '91',
    })
    expect(look({}, page(edited, longer))).toMatchObject({ is: 'unavailable' })
  })

  test('a list that tells too little, or with errors, proves nothing', () => {
    expect(look({}, page({ id: '91', text: 'Other' }))).toMatchObject({ is: 'unavailable' })
    const partial = { data: [], meta: { result_count: 0 }, errors: [{ title: 'Gone' }] }
    expect(look({}, answer(200, partial))).toMatchObject({ is: 'unavailable' })
  })

  test('a version of the API that calls posts otherwise is asked in its words', () => {
    const outcome = look({}, ({ url }) =>
      url.searchParams.has('tweet.fields') ? page() : problem(400, 'post.fields', 'invalid-request'),
    )
    expect(outcome).toMatchObject({ is: 'absent' })
  })
})

describe('authorizations', () => {
  const renew = (response: HttpResponse) =>
    play(refresh({ authorization, client, now }), where({ '/2/oauth2/token': response }))

  test('a refresh replaces both tokens, and proves who asks', () => {
    const fresh = { ...tokens, access_token: 'new-access', refresh_token: 'new-refresh' }
    const { outcome, requests } = renew(answer(200, fresh))
    expect(outcome).toEqual({
      is: 'refreshed',
      authorization: { ...authorization, accessToken: 'new-access', refreshToken: 'new-refresh' },
    })
    expect(requests[0]).toMatchObject({
      authorization: {
        scheme: 'Basic',
        credentials: Buffer.from('the-app:secret-of-the-app').toString('base64'),
      },
      form: { grant_type: 'refresh_token', refresh_token: 'secret-refresh-token' },
    })
  })

  test.each([
    [
      answer(400, { error: 'invalid_request', error_description: 'Value passed for the token was invalid.' }),
      'ended',
    ],
    [answer(400, { error: 'invalid_grant' }), 'ended'],
    [
      answer(400, {
        error: 'invalid_request',
        error_description: 'Missing required parameter [grant_type].',
      }),
      'unavailable',
    ],
    [answer(401, { error: 'unauthorized_client' }), 'unavailable'],
    [answer(503, ''), 'unavailable'],
  ])('%o to a refresh means %s', (response, is) => {
    expect(renew(response).outcome.is).toBe(is)
  })

  test('the profile tells the subscription', () => {
    expect(play(profile({ authorization, now }), network).outcome).toMatchObject({
      account: { remoteAccountId: '7', handle: 'alice', subscription: 'Premium' },
    })
    const expired = where({ '/2/users/me': problem(401, 'Unauthorized') })
    expect(play(profile({ authorization, now }), expired).outcome).toEqual({ is: 'expired' })
  })

  test('an app that X does not know is told to whoever runs the server', () => {
    const callback = { code: 'the-code' }
    const back = { redirectUri: 'https://p.example', codeVerifier: 'v', kept: null, callback }
    const answers = where({ '/2/oauth2/token': answer(401, { error: 'unauthorized_client' }) })
    expect(play(oauth.exchange({ ...back, client, now }), answers).outcome).toMatchObject({
      is: 'unavailable',
      detail: expect.stringContaining('X_CLIENT_ID'),
    })
  })
})
