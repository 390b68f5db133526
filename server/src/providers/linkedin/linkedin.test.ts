import { describe, expect, test } from 'vitest'
import { aLookupWork } from '../../../test/rigs/publish-work.ts'
import type { HttpRequest, HttpResponse, LookupWork } from '../port.ts'
import { answeringAt, loadWith, play, testAdapter } from '../suite.ts'
import { linkedin } from './linkedin.ts'

const page = 'urn:li:organization:5'
const member = 'urn:li:person:Al1ce'
const grant = {
  ...{ author: page, accessToken: 'secret-access-token', accessEndsAt: '2027-01-20T09:00:00.000Z' },
  refresh: { token: 'secret-refresh-token', endsAt: '2027-11-21T09:00:00.000Z' },
}
const scope =
  'openid,profile,w_member_social,w_organization_social,r_organization_social,r_organization_admin'

const date = 'Sat, 21 Nov 2026 09:00:00 GMT'
function answer(status: number, body: unknown, headers: Record<string, string> = {}): HttpResponse {
  return {
    status,
    headers: { date, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  }
}
function fault(status: number, message: string, code?: string): HttpResponse {
  return answer(status, { status, message, code, serviceErrorCode: 1 })
}
const now = new Date('2026-11-21T09:00:00Z')
function listed(id: string, change: object = {}) {
  return { id: `urn:li:share:${id}`, commentary: 'Another', createdAt: now.getTime(), ...change }
}
const elements = (...posts: object[]) => answer(200, { elements: posts })

const tokens = {
  ...{ access_token: 'secret-access-token', expires_in: 5_184_000, scope },
  ...{ refresh_token: 'secret-refresh-token', refresh_token_expires_in: 31_536_000 },
}
const image = 'urn:li:image:C5'

/** LinkedIn where all goes well. */
function network({ method, url }: HttpRequest): HttpResponse {
  switch (
    `${method} ${decodeURIComponent(url.pathname)}${url.search.startsWith('?action') ? url.search : ''}`
  ) {
    case 'POST /oauth/v2/accessToken':
      return answer(200, tokens)
    case 'GET /rest/organizations/5':
      return answer(200, { id: 5, localizedName: 'Example Works', vanityName: 'example-works' })
    case 'POST /rest/images?action=initializeUpload':
      return answer(200, { value: { uploadUrl: 'https://www.linkedin.com/dms-uploads/C5', image } })
    case 'PUT /dms-uploads/C5':
      return answer(201, '', { etag: 'part-1' })
    case `GET /rest/images/${image}`:
      return answer(200, { status: 'AVAILABLE' })
    case 'GET /rest/posts':
      return elements(listed('90'))
    default:
      throw new Error(`nobody answers ${method} ${url.href}`)
  }
}

const { publish, prepare, upload, lookup, refresh, grantTimes } = await loadWith(linkedin, [
  'prepare',
  'upload',
  'lookup',
  'refresh',
])

const client = { clientId: 'the-app', clientSecret: 'secret-of-the-app', key: null }
await testAdapter(linkedin, {
  absence: [
    {
      server: 'LinkedIn',
      network,
      proves: ({ settings: { visibility = 'PUBLIC' } }) => visibility === 'PUBLIC',
    },
  ],
  grant,
  secrets: ['secret-access-token', 'secret-refresh-token'],
  success: () => answer(201, '', { 'x-restli-id': 'urn:li:share:91' }),
  network,
  refusals: [
    { status: 401, message: 'The token has expired', code: 'EXPIRED_ACCESS_TOKEN' },
    { status: 403, message: 'Not enough permissions', code: 'ACCESS_DENIED' },
    { status: 422, message: 'Content is a duplicate of urn:li:share:1', code: 'DUPLICATE_POST' },
  ],
  text: 'With a link: https://example.com/page',
  settings: { visibility: 'LOGGED_IN', resharing: false },
  oauth: {
    ...{ fields: { organization: '5' }, client },
    callback: { code: 'the-code', state: 'the-state' },
  },
})

const workOf = (change: Partial<LookupWork> = {}) =>
  aLookupWork(grant, { prepared: { article: null }, ...change })

/** The network with another answer at a path. */
const where = (path: string, response: HttpResponse) => answeringAt(network, { [path]: response })

describe('what is sent', () => {
  test('every call names the version of the API and of its protocol', () => {
    expect(publish.request(workOf()).headers).toEqual({
      ...{ 'linkedin-version': '202609', 'x-restli-protocol-version': '2.0.0' },
    })
  })

  test('a card has the address without what ends the sentence, and none is made where there are media', () => {
    const work = { ...workOf({ text: 'See (https://example.com/page).' }), now, former: null }
    expect(play(prepare(work), network).outcome).toMatchObject({
      prepared: { article: { source: 'https://example.com/page', title: 'A title', thumbnail: image } },
    })
    const none = { is: 'prepared', prepared: { article: null } }
    const media = [{ kind: 'image', altText: null, remoteId: image }] as const
    expect(play(prepare({ ...work, media }), network)).toMatchObject({ outcome: none, requests: [] })
    const settings = { linkCard: false }
    expect(play(prepare({ ...work, settings }), network)).toMatchObject({ outcome: none, requests: [] })
  })

  test('bytes and token go to LinkedIn alone, whatever address is given', () => {
    const elsewhere = answer(200, { value: { uploadUrl: 'https://linkedin.com.example/C5', image } })
    const work = { ...workOf(), kind: 'image', altText: null, width: 1, height: 1, checkpoint: null } as const
    const file = { contentType: 'image/png', size: 1, async *open() {} }
    const { outcome, requests } = play(upload({ ...work, file }), where('/rest/images', elsewhere))
    expect(outcome).toMatchObject({ is: 'deferred' })
    expect(requests).toHaveLength(1)
  })

  test('a video goes up in the pieces that LinkedIn asks for, and is put together by their names', () => {
    const uploadUrl = 'https://www.linkedin.com/dms-uploads/C5'
    const video = 'urn:li:video:C5'
    const uploadInstructions = [
      { uploadUrl, firstByte: 0, lastByte: 3 },
      { uploadUrl, firstByte: 4, lastByte: 9 },
    ]
    const file = { contentType: 'video/mp4', size: 10, async *open() {} }
    const work = { grant, kind: 'video', file, altText: null, width: 1, height: 1, checkpoint: null } as const
    const { outcome, requests } = play(upload(work), (request) => {
      if (request.url.search.includes('initialize'))
        return answer(200, { value: { video, uploadToken: 't', uploadInstructions } })
      if (request.url.search.includes('finalize')) return answer(200, '')
      return request.method === 'PUT' ? network(request) : answer(200, { status: 'AVAILABLE' })
    })
    expect(outcome).toEqual({ is: 'uploaded', media: { remoteId: video } })
    expect(requests.flatMap(({ file: piece }) => (piece === undefined ? [] : [piece.size]))).toEqual([4, 6])
    expect(requests.at(-2)?.json).toEqual({
      finalizeUploadRequest: { video, uploadToken: 't', uploadedPartIds: ['part-1', 'part-1'] },
    })
  })
})

describe('what an answer to a post proves', () => {
  test.each([
    [fault(401, 'Expired', 'EXPIRED_ACCESS_TOKEN'), 'expired', undefined],
    [fault(401, 'Revoked', 'REVOKED_ACCESS_TOKEN'), 'reauthorize', undefined],
    [fault(403, 'Not enough permissions', 'ACCESS_DENIED'), 'rejected', 'permission_refused'],
    [fault(426, 'Version', 'NONEXISTENT_VERSION'), 'rejected', 'not_published'],
    [fault(422, 'Content is a duplicate of urn:li:share:1'), 'rejected', 'duplicate_refused'],
    [fault(400, 'ShareCommentary text length (3020 characters) exceeded'), 'rejected', 'content_refused'],
    [fault(422, 'unrecognized field found but not allowed'), 'rejected', 'content_refused'],
    [fault(500, 'Internal Server Error'), 'unknown', undefined],
    [fault(504, 'Gateway timeout'), 'unknown', undefined],
    [answer(403, { status: 401, message: 'Of another status' }), 'unknown', undefined],
    [answer(401, '<html>A proxy</html>'), 'unknown', undefined],
    [answer(201, ''), 'unknown', undefined],
    [answer(201, '', { 'x-restli-id': 'nonsense' }), 'unknown', undefined],
    [answer(200, '', { 'x-restli-id': 'urn:li:share:91' }), 'unknown', undefined],
  ])('%o is %s %s', (response, is, code) => {
    expect(publish.judge(response, workOf())).toMatchObject(code === undefined ? { is } : { is, code })
  })

  test('a daily limit holds until midnight UTC, by the clock of LinkedIn', () => {
    const response = answer(429, '', { date: 'Sat, 21 Nov 2026 22:30:00 GMT' })
    expect(publish.judge(response, workOf())).toEqual({
      ...{ is: 'deferred', code: 'rate_limited', afterMs: 5_400_000 },
    })
  })
})

describe('what a look finds', () => {
  const look = (change: Partial<LookupWork>, posts: HttpResponse) =>
    play(lookup(workOf(change)), where('/rest/posts', posts)).outcome
  const media = [{ kind: 'image', altText: null, remoteId: image }] as const
  const content = { media: { id: image } }

  test('the same text is it, with its escapes and its hashtags as templates', () => {
    const commentary = 'Fish \\(and chips\\) {hashtag|\\#|tag}'
    expect(look({ text: 'Fish (and chips) #tag ' }, elements(listed('91', { commentary })))).toEqual({
      ...{ is: 'found', remoteId: 'urn:li:share:91', exact: false },
      url: 'https://www.linkedin.com/feed/update/urn:li:share:91/',
    })
  })

  test('a post with the upload is it, exactly', () => {
    const post = listed('91', { commentary: '', content })
    expect(look({ text: '', media }, elements(post))).toMatchObject({ is: 'found', exact: true })
  })

  test.each([
    ['edited since', { lifecycleStateInfo: { isEditedByAuthor: true } }],
    ['cut off', { commentary: 'Hel' }],
    ['with a picture', { commentary: 'Hello', content }],
  ])('a post %s proves nothing', (_, change) => {
    expect(look({}, elements(listed('91', change)))).toMatchObject({ is: 'unavailable' })
  })

  test('the equal one is found behind others that cannot be compared', () => {
    const edited = listed('93', { lifecycleStateInfo: { isEditedByAuthor: true } })
    const longer = listed('92', { commentary: 'Hello again' })
    const equal = listed('91', { commentary: 'Hello' })
    expect(look({}, elements(edited, longer, equal))).toMatchObject({
      is: 'found',
      remoteId: 'urn:li:share:91',
    })
    expect(look({}, elements(edited, longer))).toMatchObject({ is: 'unavailable' })
  })

  test('absent is said when every post since before the call was read, and is another one', () => {
    const older = { commentary: 'Hello', createdAt: now.getTime() - 2 * 3_600_000 }
    expect(look({}, elements(listed('91'), listed('90', older)))).toMatchObject({ is: 'absent' })
    expect(look({}, elements(listed('90', older), listed('91')))).toMatchObject({ is: 'unavailable' })
    const full = Array.from({ length: 50 }, (_, place) => listed(String(place)))
    expect(look({}, elements(...full))).toMatchObject({ is: 'unavailable' })
    const known = ['urn:li:share:91']
    expect(look({ knownRemoteIds: known }, elements(listed('91', { commentary: 'Hello' })))).toMatchObject({
      is: 'absent',
    })
  })

  test.each([
    ['ahead of LinkedIn', 'Sat, 21 Nov 2026 07:02:00 GMT', 'unavailable'],
    ['that cannot be compared with that of LinkedIn', '', 'unavailable'],
    ['behind LinkedIn', 'Sat, 21 Nov 2026 11:02:00 GMT', 'absent'],
  ])('with a clock of the database %s, a post that seems older is %s', (_, at, is) => {
    const made = listed('91', { commentary: 'Hello', createdAt: now.getTime() - 2 * 3_600_000 })
    expect(look({}, answer(200, { elements: [made] }, { date: at }))).toMatchObject({ is })
  })

  test('posts of a member are not looked for', () => {
    const outcome = play(lookup(workOf({ grant: { ...grant, author: member } })), network)
    expect(outcome).toMatchObject({ outcome: { is: 'unavailable' }, requests: [] })
  })
})

describe('grants', () => {
  const renew = (response: HttpResponse) =>
    play(refresh({ grant, client, now }), where('/oauth/v2/accessToken', response)).outcome

  test('an answer without a scope is a success: it is the one of before', () => {
    const fresh = { ...tokens, access_token: 'new-access', scope: undefined }
    expect(renew(answer(200, fresh))).toMatchObject({
      is: 'refreshed',
      grant: { accessToken: 'new-access' },
    })
  })

  test('a refresh keeps the refresh token and its end where the answer leaves them out', () => {
    const fresh = { ...tokens, access_token: 'new-access', refresh_token: undefined }
    expect(renew(answer(200, fresh))).toMatchObject({
      is: 'refreshed',
      grant: { accessToken: 'new-access', refresh: grant.refresh },
    })
  })

  test.each([
    [{ error: 'invalid_grant' }, 'ended'],
    [
      {
        error: 'invalid_request',
        error_description:
          'The provided authorization grant or refresh token is invalid, expired or revoked.',
      },
      'ended',
    ],
    [{ error: 'invalid_request', error_description: 'A required parameter is missing' }, 'unavailable'],
    [{ error: 'invalid_client' }, 'unavailable'],
  ])('%o to a refresh means %s', (body, is) => {
    expect(renew(answer(400, body)).is).toBe(is)
  })

  test('without a refresh token the grant ends with the access token, and nobody is asked', () => {
    const short = { ...grant, refresh: null }
    expect(grantTimes(short)).toEqual({ accessEndsAt: null, grantEndsAt: new Date(grant.accessEndsAt) })
    expect(play(refresh({ grant: short, client, now }), network)).toMatchObject({
      ...{ outcome: { is: 'ended' }, requests: [] },
    })
  })

  test('with one it ends with that', () => {
    expect(grantTimes(grant)).toEqual({
      ...{ accessEndsAt: new Date(grant.accessEndsAt), grantEndsAt: new Date(grant.refresh.endsAt) },
    })
  })
})
