import { describe, expect, test } from 'vitest'
import { answeringAt, loadWith, play, testAdapter } from '../../../../../test/rigs/adapter-suite.ts'
import { aLookupWork, answer, aPrepareWork, nine as now } from '../../../../../test/rigs/publish-work.ts'
import type { HttpRequest, HttpResponse } from '../../port/calls.ts'
import type { LookupWork, MediaAddress, PartToCheck, PrepareWork } from '../../port/port.ts'
import { threads } from './threads.ts'

const authorization = {
  userId: '7',
  accessToken: 'secret-access-token',
  accessEndsAt: '2027-01-20T09:00:00.000Z',
}
const fault = (code: number, message = 'A message', more: object = {}) =>
  answer(400, { error: { message, type: 'OAuthException', code, fbtrace_id: 'x', ...more } })
const status = (name: string, more: object = {}) => answer(200, { status: name, id: '500', ...more })
const quota = {
  quota_usage: 4,
  config: { quota_total: 250, quota_duration: 86_400 },
  reply_quota_usage: 0,
  reply_config: { quota_total: 1_000, quota_duration: 86_400 },
}
const me = {
  id: '7',
  username: 'coffee',
  name: 'Coffee',
  threads_profile_picture_url: 'https://s.example/a.jpg',
}
const LIMIT = '/v1.0/7/threads_publishing_limit'
const CONTAINER = '/v1.0/500'

/** Threads where all goes well: each container has the id 500 and is ready. */
function network({ method, url }: HttpRequest): HttpResponse {
  switch (`${method} ${url.pathname}`) {
    case 'POST /oauth/access_token':
      return answer(200, { access_token: 'short-token', user_id: 7 })
    case 'GET /access_token':
    case 'GET /refresh_access_token':
      return answer(200, { access_token: 'secret-access-token', token_type: 'bearer', expires_in: 5_183_944 })
    case 'GET /v1.0/me':
      return answer(200, me)
    case `GET ${LIMIT}`:
      return answer(200, { data: [quota] })
    case 'POST /v1.0/7/threads':
      return answer(200, { id: '500' })
    case `GET ${CONTAINER}`:
      return status('FINISHED')
    case 'GET /v1.0/7/threads':
    case 'GET /v1.0/7/replies':
      return answer(200, { data: [] })
    case 'GET /v1.0/91':
      return answer(200, { id: '91', permalink: 'https://www.threads.com/@coffee/post/C91' })
    default:
      throw new Error(`nobody answers ${method} ${url.href}`)
  }
}

const { prepare, publish, lookup, findAddress, oauth, refresh, profile, ...adapter } = await loadWith(
  threads,
  ['prepare', 'lookup', 'findAddress', 'oauth', 'refresh', 'profile'],
)

const client = { clientId: 'the-app', clientSecret: 'secret-of-the-app', key: null }
await testAdapter(threads, {
  absence: [{ server: 'Threads', network, proves: () => true }],
  authorization,
  secrets: ['secret-access-token', 'secret-of-the-app'],
  success: () => answer(200, { id: '91' }),
  network,
  refusals: [
    { error: { message: 'Invalid OAuth access token.', type: 'OAuthException', code: 190 } },
    { error: { message: 'Limit', type: 'OAuthException', code: 4 } },
    { error: { message: 'No permission', type: 'OAuthException', code: 10 } },
  ],
  settings: { replies: 'following', topic: 'Coffee', link: 'https://example.com/' },
  oauth: { fields: {}, client, callback: { code: 'the-code', state: 'the-state' } },
})

const where = (answers: Parameters<typeof answeringAt>[1]) => answeringAt(network, answers)
const image: MediaAddress = {
  kind: 'image',
  altText: 'A cup',
  url: 'https://post.example.com/public-media/a.jpg',
  contentType: 'image/jpeg',
  size: 3,
  width: 1,
  height: 1,
}
const video: MediaAddress = { ...image, kind: 'video', altText: null, url: `${image.url}.mp4` }
const reply = { parent: { remoteId: '91' }, root: { remoteId: '90' } }

describe('what a part becomes before it is published', () => {
  const made = (change: Partial<PrepareWork>) =>
    play(prepare(aPrepareWork(authorization, change)), network)
      .requests.filter(({ method }) => method === 'POST')
      .map(({ form }) => form)

  test('a text is one container, with what its author set', () => {
    expect(made({})).toEqual([{ media_type: 'TEXT', text: 'Hello' }])
    const settings = { replies: 'mentioned', topic: 'Coffee', link: 'https://example.com/' }
    expect(made({ settings })).toEqual([
      {
        media_type: 'TEXT',
        text: 'Hello',
        reply_control: 'mentioned_only',
        topic_tag: 'Coffee',
        link_attachment: 'https://example.com/',
      },
    ])
  })

  test('a reply names the part before, and nothing that is of the first part', () => {
    expect(made({ ...reply, settings: { replies: 'mentioned', topic: 'Coffee' } })).toEqual([
      { media_type: 'TEXT', text: 'Hello', reply_to_id: '91' },
    ])
  })

  test('one file is fetched with the text, several are items first', () => {
    expect(made({ mediaAddresses: [image], settings: { link: 'https://example.com/' } })).toEqual([
      { media_type: 'IMAGE', image_url: image.url, alt_text: 'A cup', text: 'Hello' },
    ])
    expect(made({ mediaAddresses: [image, video], text: '' })).toEqual([
      { is_carousel_item: 'true', media_type: 'IMAGE', image_url: image.url, alt_text: 'A cup' },
      { is_carousel_item: 'true', media_type: 'VIDEO', video_url: video.url },
      { media_type: 'CAROUSEL', children: '500,500' },
    ])
  })

  test('nothing is made for a profile that may publish no more today; what cannot be read of that is no reason to wait', () => {
    const ends = (answers: Parameters<typeof answeringAt>[1], change: Partial<PrepareWork> = {}) =>
      play(prepare(aPrepareWork(authorization, change)), where(answers))
    const full = answer(200, { data: [{ ...quota, quota_usage: 250 }] })
    const { outcome, requests } = ends({ [LIMIT]: full })
    expect(outcome).toMatchObject({ is: 'deferred', code: 'rate_limited', afterMs: 3_600_000 })
    expect(requests).toHaveLength(1)
    // Replies have a limit of their own.
    expect(ends({ [LIMIT]: full }, reply).outcome).toMatchObject({ is: 'prepared' })
    expect(ends({ [LIMIT]: answer(502, '') }).outcome).toMatchObject({ is: 'prepared' })
    expect(ends({ [LIMIT]: fault(190) }).outcome).toEqual({ is: 'reauthorize' })
  })

  test.each([
    ['EXPIRED', '', { is: 'deferred', code: 'provider_unavailable' }],
    ['ERROR', 'FAILED_DOWNLOADING_VIDEO', { is: 'deferred', code: 'media_unavailable' }],
    ['ERROR', 'INVALID_DURATION', { is: 'rejected', code: 'media_refused' }],
    ['ERROR', 'FAILED_PROCESSING_AUDIO', { is: 'rejected', code: 'media_refused' }],
    ['ERROR', 'UNKNOWN', { is: 'rejected', code: 'processing_failed' }],
  ])('a container that is %s (%s) ends as %o', (name, message, outcome) => {
    const answers = where({ [CONTAINER]: status(name, { error_message: message }) })
    const work = aPrepareWork(authorization, { mediaAddresses: [video] })
    expect(play(prepare(work), answers).outcome).toMatchObject(outcome)
  })

  test('a long wait goes on with the containers that there are', () => {
    const steps = prepare(aPrepareWork(authorization, { mediaAddresses: [video, image] }))
    const busy = where({ [CONTAINER]: status('IN_PROGRESS') })
    let [taken, reply]: [ReturnType<typeof steps.next>, unknown] = [steps.next(), undefined]
    while (taken.done !== true && taken.value.is === 'call') {
      reply = busy(taken.value.request)
      taken = steps.next(reply)
    }
    expect(taken.value).toMatchObject({ is: 'wait', checkpoint: { items: ['500', '500'], container: null } })
    const checkpoint = { items: ['500', '500'], container: null }
    const later = play(
      prepare(aPrepareWork(authorization, { mediaAddresses: [video, image], checkpoint })),
      network,
    )
    expect(later.outcome).toEqual({ is: 'prepared', prepared: { container: '500' } })
    expect(later.requests.filter(({ method }) => method === 'POST').map(({ form }) => form)).toEqual([
      { media_type: 'CAROUSEL', children: '500,500', text: 'Hello' },
    ])
  })

  test('a container is made anew once its publication was refused twice, and not before', () => {
    const made = (refusals: number) => {
      const work = aPrepareWork(authorization, { former: { container: '500' }, refusals, mediaAddresses: [] })
      return play(prepare(work), network).requests.filter(({ method }) => method === 'POST').length
    }
    expect([made(0), made(1), made(2)]).toEqual([0, 0, 1])
  })

  test('a container that nothing can come of any more is made anew', () => {
    for (const gone of [status('EXPIRED'), status('ERROR'), fault(100, 'gone', { error_subcode: 33 })]) {
      let looks = 0
      const answers = where({ [CONTAINER]: () => (looks++ === 0 ? gone : status('FINISHED')) })
      const work = aPrepareWork(authorization, { former: { container: '500' } })
      const { requests } = play(prepare(work), answers)
      expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
    }
    const away = where({ [CONTAINER]: answer(502, '') })
    const work = aPrepareWork(authorization, { former: { container: '500' } })
    expect(play(prepare(work), away).outcome).toMatchObject({ is: 'deferred' })
  })

  test.each([
    [fault(100, 'Param text'), { is: 'rejected', code: 'content_refused' }],
    [fault(100, 'gone', { error_subcode: 33 }), { is: 'rejected', code: 'parent_missing' }],
    [fault(10), { is: 'rejected', code: 'permission_refused' }],
    [fault(190), { is: 'reauthorize' }],
    [fault(613), { is: 'deferred', code: 'rate_limited' }],
    [answer(500, { error: { message: 'x', code: 1 } }), { is: 'deferred', code: 'provider_unavailable' }],
  ])('%o to a container means %o', (response, outcome) => {
    const answers = where({ '/v1.0/7/threads': response })
    expect(play(prepare(aPrepareWork(authorization, reply)), answers).outcome).toMatchObject(outcome)
  })
})

describe('what the publication is, and what its answer proves', () => {
  const work = aLookupWork(authorization, { prepared: { container: '500' } })

  test('it flips the container, and carries nothing else', () => {
    const { url, form, method } = publish.request(work)
    expect([method, url.href]).toEqual(['POST', 'https://graph.threads.net/v1.0/7/threads_publish'])
    expect(form).toEqual({ creation_id: '500' })
  })

  test.each([
    [fault(190), 'reauthorize'],
    [fault(9, 'You reached maximum number of posts', { error_subcode: 2_207_042 }), 'deferred'],
    [fault(4), 'deferred'],
    [fault(10), 'rejected'],
    [fault(24, 'The requested resource does not exist', { error_subcode: 4_279_009 }), 'deferred'],
    [fault(24), 'unknown'],
    [fault(100, 'The parameter creation_id is required'), 'rejected'],
    [fault(100, 'Unsupported post request', { error_subcode: 33 }), 'unknown'],
    [fault(9), 'unknown'],
    [answer(500, { error: { message: 'x', code: 190 } }), 'unknown'],
  ])('%o is %s', (response, is) => {
    expect(publish.judge(response, work).is).toBe(is)
  })

  test('the address of the post is asked for by its id', () => {
    const found = (response?: HttpResponse) =>
      play(
        findAddress({ authorization, remoteId: '91' }),
        response === undefined ? network : where({ '/v1.0/91': response }),
      ).outcome
    expect(found()).toBe('https://www.threads.com/@coffee/post/C91')
    for (const other of [answer(200, { id: '91' }), answer(200, { ...me }), fault(190), answer(502, '')])
      expect(found(other)).toBeNull()
    expect(found(answer(200, { id: '91', permalink: 'javascript:alert(1)' }))).toBeNull()
  })
})

describe('what a look finds', () => {
  const listed = (id: string, change: object = {}) => ({
    id,
    text: 'Hello',
    timestamp: '2026-11-21T09:00:05+0000',
    permalink: `https://t.example/${id}`,
    ...change,
  })
  const look = (posts: object[], change: Partial<LookupWork> = {}, is = 'PUBLISHED') => {
    const work = aLookupWork(authorization, { prepared: { container: '500' }, ...change })
    const headers = { date: 'Sat, 21 Nov 2026 09:02:00 GMT' }
    const list = answer(200, { data: posts }, headers)
    const answers = { [CONTAINER]: status(is), '/v1.0/7/threads': list, '/v1.0/7/replies': list }
    return play(lookup(work), where(answers)).outcome
  }

  test.each(['FINISHED', 'IN_PROGRESS', 'EXPIRED', 'ERROR'])(
    'a container that is %s was not published: that is exact',
    (is) => {
      expect(look([listed('91')], {}, is)).toEqual({ is: 'absent', seen: 'by key', keepsKeys: false })
    },
  )

  test('one that was published is out, and the post is the one with its words', () => {
    const other = listed('92', { text: 'Something else' })
    expect(look([other, listed('91')])).toEqual({
      is: 'found',
      remoteId: '91',
      url: 'https://t.example/91',
      exact: true,
    })
    expect(look([other])).toMatchObject({ is: 'out' })
  })

  test('where several say the same, none is known for sure', () => {
    expect(look([listed('92'), listed('91')])).toMatchObject({ remoteId: '91', exact: false })
    expect(look([listed('92'), listed('91')], { knownRemoteIds: ['91'] })).toMatchObject({
      remoteId: '92',
      exact: true,
    })
  })

  test('a post of before the call is not it, nor a reply to another one', () => {
    expect(look([listed('91', { timestamp: '2026-11-21T08:00:00+0000' })])).toMatchObject({
      is: 'out',
    })
    const to = (id: string) => listed('93', { replied_to: { id } })
    expect(look([to('90')], reply)).toMatchObject({ is: 'out' })
    expect(look([to('91')], reply)).toMatchObject({ is: 'found', remoteId: '93', exact: true })
  })

  test('what does not tell proves nothing', () => {
    const work = aLookupWork(authorization, { prepared: { container: '500' } })
    for (const response of [answer(502, ''), answer(200, {})])
      expect(play(lookup(work), where({ [CONTAINER]: response })).outcome).toMatchObject({
        is: 'unavailable',
      })
    // New containers are not shown at times; old ones have ended.
    const gone = where({ [CONTAINER]: fault(100, 'gone', { error_subcode: 33 }) })
    expect(play(lookup(work), gone).outcome).toMatchObject({ is: 'unavailable' })
    const old = { ...work, now: new Date(work.armedAt.getTime() + 25 * 3_600_000) }
    expect(play(lookup(old), gone).outcome).toMatchObject({ is: 'gone' })
    expect(play(lookup(work), where({ [CONTAINER]: fault(190) })).outcome).toEqual({ is: 'reauthorize' })
  })
})

describe('authorizations', () => {
  const exchange = (answers: Parameters<typeof answeringAt>[1] = {}) => {
    const back = { redirectUri: 'https://p.example', codeVerifier: 'v', kept: null, callback: { code: 'c' } }
    return play(oauth.exchange({ ...back, client, now }), where(answers))
  }

  test('the way there asks for everything, without what Threads does not know', () => {
    const { outcome } = play(
      oauth.authorize({
        fields: {},
        client,
        redirectUri: 'https://p.example',
        state: 's',
        codeChallenge: 'c',
        now,
      }),
      network,
    )
    expect(outcome.is === 'authorize' && Object.fromEntries(outcome.url.searchParams)).toEqual({
      client_id: 'the-app',
      redirect_uri: 'https://p.example',
      response_type: 'code',
      state: 's',
      scope: 'threads_basic,threads_content_publish,threads_manage_replies,threads_read_replies',
    })
  })

  test('a code becomes a token of 60 days, and no secret is in an address', () => {
    const { outcome, requests } = exchange()
    expect(outcome).toMatchObject({
      is: 'connected',
      authorization: { ...authorization, accessEndsAt: '2027-01-20T08:59:04.000Z' },
      account: { remoteAccountId: '7', handle: 'coffee', displayName: 'Coffee' },
    })
    expect(requests[1]).toMatchObject({
      authorization: { query: { access_token: 'short-token', client_secret: 'secret-of-the-app' } },
    })
    expect(requests.some(({ url }) => /secret|short-token/.test(url.href))).toBe(false)
  })

  test('permissions that are missing are named', () => {
    const denied = fault(10, 'Application does not have permission for this action')
    const byKind = ({ url }: HttpRequest) =>
      url.searchParams.get('fields')?.startsWith('reply_') === true ? denied : answer(200, { data: [quota] })
    expect(exchange({ [LIMIT]: denied, '/v1.0/7/replies': denied }).outcome).toMatchObject({
      is: 'refused',
      code: 'missing_scope',
      detail: expect.stringContaining('threads_content_publish, threads_read_replies is'),
    })
    expect(exchange({ [LIMIT]: byKind }).outcome).toMatchObject({
      detail: expect.stringContaining(': threads_manage_replies is missing'),
    })
    expect(exchange({ '/v1.0/me': denied }).outcome).toMatchObject({
      detail: expect.stringContaining('threads_basic'),
    })
  })

  test.each([
    [fault(101, 'Error validating client secret.'), 'unavailable', 'THREADS_CLIENT_SECRET'],
    [fault(100, 'Invalid authorization code'), 'refused', 'Create a new link'],
    [answer(502, ''), 'unavailable', 'later'],
  ])('%o to the code is %s', (response, is, detail) => {
    expect(exchange({ '/oauth/access_token': response }).outcome).toMatchObject({
      is,
      detail: expect.stringContaining(detail),
    })
  })

  test('a token is exchanged a week before it ends, and its end is told as that', () => {
    expect(adapter.authorizationTimes(authorization)).toEqual({
      accessEndsAt: new Date('2027-01-13T09:00:00Z'),
      authorizationEndsAt: null,
    })
    const renew = (response: HttpResponse) =>
      play(refresh({ authorization, client, now }), where({ '/refresh_access_token': response })).outcome
    const token = { access_token: 'new', token_type: 'bearer', expires_in: 86_400 }
    expect(renew(answer(200, token))).toEqual({
      is: 'refreshed',
      authorization: { userId: '7', accessToken: 'new', accessEndsAt: '2026-11-22T09:00:00.000Z' },
    })
    expect(renew(fault(190)).is).toBe('ended')
    for (const other of [fault(100, 'The token is less than 24 hours old.'), answer(502, ''), fault(2)])
      expect(renew(other).is).toBe('unavailable')
    expect(play(profile({ authorization, now }), where({ '/v1.0/me': fault(190) })).outcome).toEqual({
      is: 'reauthorize',
    })
  })
})

test('too many links, and a preview beside media are said before anything is scheduled', () => {
  const faults = (change: Partial<PartToCheck>) =>
    (
      threads.check?.({
        text: '',
        index: 0,
        kind: 'post',
        mediaCount: 0,
        mediaKinds: [],
        mediaSizes: [],
        settings: {},
        limits: threads.limits,
        ...change,
      }) ?? []
    ).map(({ message }) => message)
  const links = Array.from({ length: 5 }, (_, n) => `https://example.com/${n}`).join(' ')
  expect(faults({ text: links })).toEqual([])
  expect(faults({ text: `${links} ${links}` })).toEqual([])
  const settings = { link: 'https://example.com/other' }
  expect(faults({ text: links, settings })).toEqual(['The post has 6 links; Threads allows 5.'])
  expect(faults({ text: links, settings, index: 1 })).toEqual([])
  expect(faults({ settings, mediaCount: 1 })).toHaveLength(1)
})
