import { describe, expect, test } from 'vitest'
import {
  aLookupWork,
  answer,
  anUpload,
  aPrepareWork,
  nine as now,
} from '../../../../test/rigs/publish-work.ts'
import type { HttpRequest, HttpResponse } from '../port/calls.ts'
import type { LookupWork, PublishWork } from '../port/port.ts'
import { answeringAt, loadWith, play, testAdapter } from '../../../../test/rigs/adapter-suite.ts'
import { linkedin } from './linkedin.ts'

const page = 'urn:li:organization:5'
const member = 'urn:li:person:Al1ce'
const authorization = {
  author: page,
  accessToken: 'secret-access-token',
  accessEndsAt: '2027-01-20T09:00:00.000Z',
  refresh: { token: 'secret-refresh-token', endsAt: '2027-11-21T09:00:00.000Z' },
}
const scope =
  'openid,profile,w_member_social,w_organization_social,r_organization_social,r_organization_admin'

function fault(status: number, message: string, code?: string): HttpResponse {
  return answer(status, { status, message, code, serviceErrorCode: 1 })
}
function listed(id: string, change: object = {}) {
  return { id: `urn:li:share:${id}`, commentary: 'Another', createdAt: now.getTime(), ...change }
}
const elements = (...posts: object[]) => answer(200, { elements: posts })

const tokens = {
  access_token: 'secret-access-token',
  expires_in: 5_184_000,
  scope,
  refresh_token: 'secret-refresh-token',
  refresh_token_expires_in: 31_536_000,
}
const image = 'urn:li:image:C5'

const example = { id: 5, localizedName: 'Example Works', vanityName: 'example-works' }

/** LinkedIn where all goes well. */
function network({ method, url }: HttpRequest): HttpResponse {
  switch (
    `${method} ${decodeURIComponent(url.pathname)}${url.search.startsWith('?action') ? url.search : ''}`
  ) {
    case 'POST /oauth/v2/accessToken':
      return answer(200, tokens)
    case 'POST /oauth/v2/introspectToken':
      return answer(200, { active: true, status: 'active', scope: 'openid,profile,w_member_social' })
    case 'GET /v2/userinfo':
      return answer(200, { sub: 'Al1ce', name: 'Alice Example' })
    case 'GET /rest/organizationAcls':
      return answer(200, { elements: [{ organization: page }] })
    case 'GET /rest/organizations':
      return answer(200, { results: { 5: example } })
    case 'GET /rest/organizations/5':
      return answer(200, example)
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

const { publish, prepare, upload, lookup, oauth, refresh, authorizationTimes } = await loadWith(linkedin, [
  ...(['prepare', 'upload', 'lookup', 'oauth', 'refresh'] as const),
])

const client = { clientId: 'the-app', clientSecret: 'secret-of-the-app', key: null }
await testAdapter(linkedin, {
  absence: [
    {
      server: 'LinkedIn',
      byDates: true,
      network,
      proves: ({ settings: { visibility = 'PUBLIC' } }) => visibility === 'PUBLIC',
    },
  ],
  authorization,
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
    fields: { organization: 'all' },
    client,
    callback: { code: 'the-code', state: 'the-state' },
  },
})

const workOf = (change: Partial<LookupWork> = {}) =>
  aLookupWork(authorization, { prepared: { article: null }, ...change })

/** The network with another answer at a path. */
const where = (path: string, response: HttpResponse) => answeringAt(network, { [path]: response })

describe('what is sent', () => {
  test('every call names the version of the API and of its protocol', () => {
    expect(publish.request(workOf()).headers).toEqual({
      'linkedin-version': '202609',
      'x-restli-protocol-version': '2.0.0',
    })
  })

  test('a card has the address without what ends the sentence, and none is made where there are media', () => {
    const work = aPrepareWork(authorization, { text: 'See (https://example.com/page).' })
    expect(play(prepare(work), network).outcome).toMatchObject({
      prepared: { article: { source: 'https://example.com/page', title: 'A title', thumbnail: image } },
    })
    const none = { is: 'prepared', prepared: { article: null } }
    const media = [{ kind: 'image', altText: null, remoteId: image }] as const
    expect(play(prepare({ ...work, media }), network)).toMatchObject({ outcome: none, requests: [] })
    const settings = { linkCard: false }
    expect(play(prepare({ ...work, settings }), network)).toMatchObject({ outcome: none, requests: [] })
  })

  test.each([
    ['See https://example.com/a_(b)', 'https://example.com/a_(b)'],
    ['(See https://example.com/a_(b)).', 'https://example.com/a_(b)'],
    ['https://example.com/a…', 'https://example.com/a'],
  ])('of %j, the card is that of %s', (text, source) => {
    const work = aPrepareWork(authorization, { text })
    expect(play(prepare(work), network).outcome).toMatchObject({ prepared: { article: { source } } })
  })

  test('a card whose picture LinkedIn refuses goes without it, and says so', () => {
    const refused = where('/rest/images', answer(400, { status: 400, message: 'Too many pixels' }))
    const { outcome, lacks } = play(
      prepare(aPrepareWork(authorization, { text: 'https://example.com/' })),
      refused,
    )
    expect(outcome).toMatchObject({ is: 'prepared', prepared: { article: { title: 'A title' } } })
    expect(JSON.stringify(outcome)).not.toContain('thumbnail')
    expect(lacks).toEqual([{ of: 'picture', why: 'network' }])
  })

  test('a title of signs that count twice is cut between them', () => {
    const steps = prepare(aPrepareWork(authorization, { text: 'https://example.com/' }))
    steps.next()
    const { value } = steps.next({ title: `a${'😀'.repeat(299)}`, description: '', picture: null })
    expect(value).toMatchObject({ prepared: { article: { title: `a${'😀'.repeat(199)}` } } })
  })

  test('a post shows one item or several pictures, with the alt texts of pictures', () => {
    const content = (media: PublishWork['media']) =>
      (publish.request(workOf({ media })).json as { content?: unknown }).content
    const bird = { kind: 'image', altText: 'A bird', remoteId: image } as const
    const film = { kind: 'video', altText: 'A film', remoteId: 'urn:li:video:C6' } as const
    expect(content([bird])).toEqual({ media: { id: image, altText: 'A bird' } })
    expect(content([film])).toEqual({ media: { id: film.remoteId } })
    expect(content([bird, { ...bird, altText: '' }])).toEqual({
      multiImage: { images: [{ id: image, altText: 'A bird' }, { id: image }] },
    })
  })

  test('bytes and token go to LinkedIn alone, whatever address is given', () => {
    const elsewhere = answer(200, { value: { uploadUrl: 'https://linkedin.com.example/C5', image } })
    const work = anUpload(authorization, 'image')
    const { outcome, requests } = play(upload(work), where('/rest/images', elsewhere))
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
    const { outcome, requests } = play(upload(anUpload(authorization, 'video', { file })), (request) => {
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

describe('what something else answered in the name of LinkedIn', () => {
  const file = { contentType: 'video/mp4', size: 10, async *open() {} }
  const work = {
    authorization,
    file,
    altText: null,
    width: 1,
    height: 1,
    settings: {},
    before: [],
    checkpoint: null,
  } as const
  const uploadUrl = 'https://www.linkedin.com/dms-uploads/C5'
  const html = answer(200, '<html>Sign in</html>')

  test('a video whose part has no name of LinkedIn goes up again later', () => {
    const uploadInstructions = [{ uploadUrl, firstByte: 0, lastByte: 9 }]
    const value = { video: 'urn:li:video:C5', uploadToken: 't', uploadInstructions }
    const { outcome, requests } = play(upload({ ...work, kind: 'video' }), ({ method }) =>
      method === 'PUT' ? html : answer(200, { value }),
    )
    expect(outcome).toMatchObject({ is: 'deferred', code: 'provider_unavailable' })
    expect(requests.map(({ method }) => method)).toEqual(['POST', 'PUT'])
  })

  test('an image that LinkedIn still waits for goes up again, and one that it was slow to notice does not', () => {
    const lateBy = (missed: number) => {
      let looks = 0
      return play(upload({ ...work, kind: 'image' }), (request) => {
        if (request.method === 'PUT') return html
        if (request.method === 'POST') return network(request)
        return answer(200, { status: ++looks > missed ? 'AVAILABLE' : 'WAITING_UPLOAD' })
      }).outcome
    }
    expect(lateBy(4)).toMatchObject({ is: 'uploaded' })
    expect(lateBy(5)).toMatchObject({ is: 'deferred', code: 'provider_unavailable' })
    const resumed = { ...work, kind: 'image', checkpoint: { urn: image, missed: 4 } } as const
    expect(play(upload(resumed), () => answer(200, { status: 'WAITING_UPLOAD' })).outcome).toMatchObject({
      is: 'deferred',
    })
  })
})

describe('what an answer to a post proves', () => {
  test.each([
    [fault(401, 'Expired', 'EXPIRED_ACCESS_TOKEN'), 'expired', undefined],
    [fault(401, 'Revoked', 'REVOKED_ACCESS_TOKEN'), 'reauthorize', undefined],
    [fault(403, 'Not enough permissions', 'ACCESS_DENIED'), 'rejected', 'permission_refused'],
    [
      fault(403, 'Unpermitted fields present in REQUEST_BODY: … [/content]', 'ACCESS_DENIED'),
      'rejected',
      'permission_refused',
    ],
    [fault(426, 'Version', 'NONEXISTENT_VERSION'), 'rejected', 'not_published'],
    [fault(404, 'No virtual resource found'), 'rejected', 'not_published'],
    [fault(404, 'Could not find entity'), 'unknown', undefined],
    [fault(422, 'Content is a duplicate of urn:li:share:1'), 'rejected', 'duplicate_refused'],
    [fault(400, 'ShareCommentary text length (3020 characters) exceeded'), 'rejected', 'content_refused'],
    [fault(422, 'unrecognized field found but not allowed'), 'rejected', 'content_refused'],
    [answer(403, { status: 401, message: 'Of another status' }), 'unknown', undefined],
    [answer(201, '', { 'x-restli-id': 'nonsense' }), 'unknown', undefined],
    [answer(200, '', { 'x-restli-id': 'urn:li:share:91' }), 'unknown', undefined],
  ])('%o is %s %s', (response, is, code) => {
    expect(publish.judge(response, workOf())).toMatchObject(code === undefined ? { is } : { is, code })
  })

  test('a daily limit holds until midnight UTC, by the clock of LinkedIn', () => {
    const response = answer(429, '', { date: 'Sat, 21 Nov 2026 22:30:00 GMT' })
    expect(publish.judge(response, workOf())).toEqual({
      is: 'deferred',
      code: 'rate_limited',
      afterMs: 5_400_000,
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
      is: 'found',
      remoteId: 'urn:li:share:91',
      exact: false,
      url: 'https://www.linkedin.com/feed/update/urn:li:share:91/',
    })
  })

  test('a post with the upload is it, exactly', () => {
    const post = listed('91', { commentary: '', content })
    expect(look({ text: '', media }, elements(post))).toMatchObject({ is: 'found', exact: true })
  })

  test.each([
    ['edited since', { lifecycleStateInfo: { isEditedByAuthor: true } }],
    ['with a picture', { commentary: 'Hello', content }],
  ])('a post %s proves nothing', (_, change) => {
    expect(look({}, elements(listed('91', change)))).toMatchObject({ is: 'unavailable' })
  })

  test('absent is said when every post since before the call was read, and is another one', () => {
    const older = { commentary: 'Hello', createdAt: now.getTime() - 2 * 3_600_000 }
    expect(look({}, elements(listed('91'), listed('90', older)))).toMatchObject({ is: 'absent' })
    expect(look({}, elements(listed('90', older), listed('91')))).toMatchObject({ is: 'unavailable' })
    const full = Array.from({ length: 50 }, (_, place) => listed(String(place)))
    expect(look({}, elements(...full))).toMatchObject({ is: 'unavailable' })
  })

  test('posts of a member are not looked for', () => {
    const outcome = play(lookup(workOf({ authorization: { ...authorization, author: member } })), network)
    expect(outcome).toMatchObject({ outcome: { is: 'unavailable' }, requests: [] })
  })
})

describe('authorizations', () => {
  const renew = (response: HttpResponse) =>
    play(refresh({ authorization, client, now }), where('/oauth/v2/accessToken', response)).outcome

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

  test('without a refresh token the authorization ends with the access token, and nobody is asked', () => {
    const short = { ...authorization, refresh: null }
    expect(authorizationTimes(short)).toEqual({
      accessEndsAt: null,
      authorizationEndsAt: new Date(authorization.accessEndsAt),
    })
    expect(play(refresh({ authorization: short, client, now }), network)).toMatchObject({
      outcome: { is: 'ended' },
      requests: [],
    })
  })

  test('with one it ends with that', () => {
    expect(authorizationTimes(authorization)).toEqual({
      accessEndsAt: new Date(authorization.accessEndsAt),
      authorizationEndsAt: new Date(authorization.refresh.endsAt),
    })
  })
})

describe('a choice of accounts', () => {
  const roles = (...organizations: string[]) =>
    answer(200, { elements: organizations.map((organization) => ({ organization })) })
  const pages = (results: object) => answer(200, { results })

  function choices(answers: Parameters<typeof answeringAt>[1]) {
    const work = {
      client,
      redirectUri: 'https://post.example.com/connect/linkedin/callback',
      codeVerifier: 'v',
      kept: { organization: 'all' },
      callback: { code: 'the-code' },
      now,
    }
    const { outcome, requests } = play(oauth.exchange(work), answeringAt(network, answers))
    const names = outcome.is === 'granted' ? outcome.grants.map(({ account }) => account.displayName) : null
    return { outcome, requests, names }
  }

  test('has the member and each page, with an authorization that posts as it', () => {
    const { outcome, requests } = choices({})
    expect(outcome).toMatchObject({
      is: 'granted',
      grants: [
        {
          account: { remoteAccountId: 'urn:li:person:Al1ce' },
          authorization: { author: 'urn:li:person:Al1ce' },
        },
        { account: { remoteAccountId: page, handle: 'example-works' }, authorization: { author: page } },
      ],
    })
    expect(requests.slice(2).map(({ url }) => url.pathname + url.search)).toEqual([
      '/rest/organizationAcls?q=roleAssignee&role=ADMINISTRATOR&state=APPROVED&start=0&count=100',
      '/rest/organizations?ids=List(5)',
    ])
  })

  test('has no page that LinkedIn does not show, shows as another, or has no number', () => {
    const only = (answers: Parameters<typeof answeringAt>[1]) => choices(answers).names
    expect(only({ '/rest/organizations': pages({}) })).toEqual(['Alice Example'])
    expect(only({ '/rest/organizations': pages({ 5: { ...example, id: 6 } }) })).toEqual(['Alice Example'])
    expect(only({ '/rest/organizations': pages({ 5: {} }) })).toEqual(['Alice Example'])
    expect(only({ '/rest/organizationAcls': roles('urn:li:organizationBrand:5') })).toEqual(['Alice Example'])
  })

  test.each(['/v2/userinfo', '/rest/organizationAcls', '/rest/organizations'])(
    'connects nothing where %s is not understood',
    (path) => {
      for (const response of [answer(502, '<html>'), answer(200, 'null'), answer(200, [])])
        expect(choices({ [path]: response }).outcome).toMatchObject({ is: 'unavailable' })
    },
  )
})
