import { describe, expect, test } from 'vitest'
import { answeringAt, loadWith, play, testAdapter } from '../../../../../test/rigs/adapter-suite.ts'
import { aLookupWork, answer, aPrepareWork, NO_CODING } from '../../../../../test/rigs/publish-work.ts'
import type { HttpRequest, HttpResponse } from '../../port/calls.ts'
import { mediaIssues } from '../../port/check-media.ts'
import type { LookupWork, MediaAddress, PartToCheck, PrepareWork } from '../../port/port.ts'
import { inTwoLists } from '../../../../../test/rigs/meta-lists.ts'
import { instagram } from './instagram.ts'
import { PERMISSIONS } from './permissions.ts'

const proof = 'ab'.repeat(32)
const authorization = { userId: '7', accessToken: 'secret-access-token', proof }
const fault = (code: number, subcode?: number, message = 'A message', status = 400) =>
  answer(status, { error: { message, type: 'OAuthException', code, error_subcode: subcode } })
const gone = fault(100, 33)
const status = (name: string, more: object = {}) => answer(200, { status_code: name, id: '500', ...more })
const quota = { quota_usage: 4, config: { quota_total: 100, quota_duration: 86_400 } }
const user = { id: '7', username: 'coffee', name: 'Coffee', profile_picture_url: 'https://s.example/a.jpg' }
const V = '/v27.0'
const LIMIT = `${V}/7/content_publishing_limit`
const CONTAINER = `${V}/500`

/** Instagram where all goes well: each container has the id 500 and is ready. */
function network({ method, url }: HttpRequest): HttpResponse {
  switch (`${method} ${url.pathname.slice(V.length)}`) {
    case 'POST /oauth/access_token':
      return answer(200, { access_token: 'secret-access-token', token_type: 'bearer', expires_in: 5_184_000 })
    case 'GET /me/permissions':
      return answer(200, { data: PERMISSIONS.map((permission) => ({ permission, status: 'granted' })) })
    case 'GET /1001':
      return answer(200, { id: '1001' })
    case 'GET /me/businesses':
      return answer(200, { data: [] })
    case 'GET /me/accounts': {
      const page = { id: '1001', access_token: 'secret-page-token', tasks: ['CREATE_CONTENT'] }
      return answer(200, { data: [{ ...page, instagram_business_account: user }] })
    }
    case 'GET /debug_token':
      return answer(200, { data: { is_valid: true, expires_at: 0, scopes: PERMISSIONS } })
    case 'GET /7':
      return answer(200, user)
    case 'GET /7/content_publishing_limit':
      return answer(200, { data: [quota] })
    case 'POST /7/media':
      return answer(200, { id: '500' })
    case 'GET /500':
      return status('FINISHED')
    case 'GET /7/media':
    case 'GET /7/stories':
    case 'GET /91/comments':
      return answer(200, { data: [] })
    case 'GET /91':
      return answer(200, { id: '91', permalink: 'https://www.instagram.com/p/C91/' })
    default:
      throw new Error(`nobody answers ${method} ${url.href}`)
  }
}

const { prepare, publish, lookup, findAddress, oauth, profile } = await loadWith(instagram, [
  ...(['prepare', 'lookup', 'findAddress', 'oauth', 'profile'] as const),
])
const client = { clientId: 'the-app', clientSecret: 'secret-of-the-app', key: null }

const image: MediaAddress = {
  kind: 'image',
  altText: 'A cup',
  url: 'https://post.example.com/public-media/a.jpg',
  contentType: 'image/jpeg',
  size: 3,
  width: 1,
  height: 1,
}

await testAdapter(instagram, {
  absence: [{ server: 'Instagram', network, proves: () => true }],
  authorization,
  secrets: ['secret-access-token', proof],
  success: () => answer(200, { id: '91' }),
  network,
  refusals: [
    { error: { message: 'Invalid token', code: 190, type: 'OAuthException' } },
    { error: { message: 'Limit', code: 4, type: 'OAuthException' } },
    { error: { message: 'Spam', code: 4, error_subcode: 2_207_051, type: 'OAuthException' } },
    { error: { message: 'No permission', code: 10, type: 'OAuthException' } },
  ],
  mediaAddresses: [image],
  oauth: { fields: {}, client, callback: { code: 'the-code', state: 'the-state' } },
})

const where = (answers: Parameters<typeof answeringAt>[1]) => answeringAt(network, answers)
const video: MediaAddress = { ...image, kind: 'video', url: `${image.url}.mp4` }
const on = { kind: 'first_comment', parent: { remoteId: '91' }, root: { remoteId: '91' } } as const

describe('what a post becomes before it is published', () => {
  const made = (change: Partial<PrepareWork>) =>
    play(prepare(aPrepareWork(authorization, change)), network)
      .requests.filter(({ method }) => method === 'POST')
      .map(({ form }) => form)

  test.each([
    [
      'an image',
      { mediaAddresses: [image] },
      [{ image_url: image.url, alt_text: 'A cup', caption: 'Hello' }],
    ],
    [
      'a reel',
      { mediaAddresses: [video] },
      [{ media_type: 'REELS', video_url: video.url, caption: 'Hello' }],
    ],
    [
      'a story',
      { mediaAddresses: [image], settings: { story: true }, text: '' },
      [{ media_type: 'STORIES', image_url: image.url }],
    ],
    [
      'a story of a video',
      { mediaAddresses: [video], settings: { story: true }, text: '' },
      [{ media_type: 'STORIES', video_url: video.url }],
    ],
    [
      'a carousel',
      { mediaAddresses: [image, video] },
      [
        { is_carousel_item: 'true', image_url: image.url, alt_text: 'A cup' },
        { is_carousel_item: 'true', media_type: 'VIDEO', video_url: video.url },
        { media_type: 'CAROUSEL', children: '500,500', caption: 'Hello' },
      ],
    ],
    ['a comment', on, []],
  ])('%s', (_, change, forms) => {
    expect(made(change)).toEqual(forms)
  })

  test('nothing is made for an account that may publish no more today; what cannot be read of that is no reason to wait', () => {
    const ends = (response: HttpResponse) =>
      play(prepare(aPrepareWork(authorization, { mediaAddresses: [image] })), where({ [LIMIT]: response }))
    const { outcome, requests } = ends(answer(200, { data: [{ ...quota, quota_usage: 100 }] }))
    expect(outcome).toMatchObject({ is: 'deferred', code: 'rate_limited', afterMs: 3_600_000 })
    expect(requests).toHaveLength(1)
    expect(ends(answer(502, '')).outcome).toMatchObject({ is: 'prepared' })
    expect(ends(fault(190)).outcome).toEqual({ is: 'reauthorize' })
  })

  test.each([
    ['EXPIRED', '', { is: 'deferred', code: 'provider_unavailable' }],
    ['ERROR', 'Error: 2207052', { is: 'deferred', code: 'media_unavailable' }],
    ['ERROR', 'Error: code 2207009', { is: 'rejected', code: 'media_refused' }],
    ['ERROR', '2207053', { is: 'deferred', code: 'provider_unavailable' }],
    ['ERROR', 'Error: something else', { is: 'rejected', code: 'processing_failed' }],
  ])('a container that is %s (%s) ends as %o', (name, told, outcome) => {
    const answers = where({ [CONTAINER]: status(name, { status: told }) })
    const work = aPrepareWork(authorization, { mediaAddresses: [video] })
    expect(play(prepare(work), answers).outcome).toMatchObject(outcome)
  })

  test('a container is made anew once its publication was refused twice, and not before', () => {
    const made = (refusals: number) => {
      const work = aPrepareWork(authorization, {
        former: { container: '500' },
        refusals,
        mediaAddresses: [image],
      })
      return play(prepare(work), network).requests.filter(({ method }) => method === 'POST').length
    }
    expect([made(0), made(1), made(2)]).toEqual([0, 0, 1])
  })

  test('a container that nothing can come of any more is made anew, and one that cannot be read is not', () => {
    for (const dead of [status('EXPIRED'), status('ERROR'), gone]) {
      let looks = 0
      const answers = where({ [CONTAINER]: () => (looks++ === 0 ? dead : status('FINISHED')) })
      const work = aPrepareWork(authorization, { former: { container: '500' }, mediaAddresses: [image] })
      const { requests } = play(prepare(work), answers)
      expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
    }
    const work = aPrepareWork(authorization, { former: { container: '500' } })
    expect(play(prepare(work), where({ [CONTAINER]: answer(502, '') })).outcome).toMatchObject({
      is: 'deferred',
    })
  })

  test.each([
    [fault(100), { is: 'rejected', code: 'content_refused' }],
    [fault(36_004, 2_207_010), { is: 'rejected', code: 'content_refused' }],
    [fault(36_003, 2_207_009), { is: 'rejected', code: 'media_refused' }],
    [fault(9_004, 2_207_052), { is: 'deferred', code: 'media_unavailable' }],
    [gone, { is: 'deferred' }],
    [fault(10), { is: 'rejected', code: 'permission_refused' }],
    [fault(190), { is: 'reauthorize' }],
    [fault(-1, 2_207_001), { is: 'deferred', code: 'provider_unavailable' }],
    [fault(1, undefined, 'x', 500), { is: 'deferred', code: 'provider_unavailable' }],
  ])('%o to a container means %o', (response, outcome) => {
    const work = aPrepareWork(authorization, { mediaAddresses: [image] })
    expect(play(prepare(work), where({ [`${V}/7/media`]: response })).outcome).toMatchObject(outcome)
  })
})

describe('what the publication is, and what its answer proves', () => {
  const work = aLookupWork(authorization, { prepared: { container: '500' } })
  const comment = aLookupWork(authorization, { ...on, prepared: { as: 'comment' } })

  test('it flips the container, or comments on the first part', () => {
    const { url, form } = publish.request(work)
    expect([url.pathname, form]).toEqual([`${V}/7/media_publish`, { creation_id: '500' }])
    const said = publish.request(comment)
    expect([said.url.pathname, said.form]).toEqual([`${V}/91/comments`, { message: 'Hello' }])
  })

  test.each([
    [fault(190), 'reauthorize'],
    [fault(100, undefined, 'Invalid appsecret_proof provided'), 'reauthorize'],
    [fault(9, 2_207_042), 'deferred'],
    [fault(9_007, 2_207_027), 'deferred'],
    [fault(4), 'deferred'],
    [fault(4, 2_207_051), 'rejected'],
    [fault(25, 2_207_050), 'rejected'],
    [fault(10), 'rejected'],
    [fault(24, 2_207_006), 'deferred'],
    [fault(24, 2_207_008), 'deferred'],
    [fault(24), 'unknown'],
    [fault(-1, 2_207_001), 'unknown'],
    [gone, 'unknown'],
    [fault(190, undefined, 'x', 500), 'unknown'],
  ])('%o is %s', (response, is) => {
    expect(publish.judge(response, work).is).toBe(is)
  })

  test('a comment on a post that is gone was not made', () => {
    expect(publish.judge(gone, comment)).toMatchObject({ is: 'rejected', code: 'parent_missing' })
    expect(publish.judge(fault(100), comment).is).toBe('unknown')
    const ofParameter = fault(100, undefined, '(#100) The parameter message is required')
    expect(publish.judge(ofParameter, comment).is).toBe('rejected')
  })

  test('the address of the post is asked for by its id', () => {
    const found = (response?: HttpResponse) =>
      play(
        findAddress({ authorization, remoteId: '91' }),
        response === undefined ? network : where({ [`${V}/91`]: response }),
      ).outcome
    expect(found()).toBe('https://www.instagram.com/p/C91/')
    for (const other of [answer(200, { id: '91' }), answer(200, { ...user }), fault(190), answer(502, '')])
      expect(found(other)).toBeNull()
    expect(found(answer(200, { id: '91', permalink: 'javascript:alert(1)' }))).toBeNull()
  })
})

describe('what a look finds', () => {
  const listed = (id: string, change: object = {}) => ({
    id,
    caption: 'Hello',
    timestamp: '2026-11-21T09:00:05+0000',
    permalink: `https://i.example/${id}`,
    ...change,
  })
  const look = (posts: object[], change: Partial<LookupWork> = {}, is = 'PUBLISHED', list = 'media') => {
    const work = aLookupWork(authorization, { prepared: { container: '500' }, ...change })
    const shown = answer(200, { data: posts }, { date: 'Sat, 21 Nov 2026 09:02:00 GMT' })
    return play(lookup(work), where({ [CONTAINER]: status(is), [`${V}/7/${list}`]: shown })).outcome
  }

  test.each(['FINISHED', 'IN_PROGRESS', 'EXPIRED', 'ERROR'])(
    'a container that is %s was not published: that is exact',
    (is) => {
      expect(look([listed('91')], {}, is)).toEqual({ is: 'absent', seen: 'by key', keepsKeys: false })
    },
  )

  test('one that was published is out, and the post is the one with its words', () => {
    const other = listed('92', { caption: 'Something else' })
    expect(look([other, listed('91')])).toEqual({
      is: 'found',
      remoteId: '91',
      url: 'https://i.example/91',
      exact: true,
    })
    expect(look([other])).toMatchObject({ is: 'out' })
    expect(look([listed('92'), listed('91')])).toMatchObject({ remoteId: '91', exact: false })
    expect(look([listed('91', { timestamp: '2026-11-21T08:00:00+0000' })])).toMatchObject({
      is: 'out',
    })
  })

  test('a story is looked for among the stories', () => {
    const story = { settings: { story: true }, text: '' }
    const told = listed('93', { caption: undefined })
    expect(look([told], story, 'PUBLISHED', 'stories')).toMatchObject({ remoteId: '93', exact: true })
    expect(look([told], { text: '' }, 'PUBLISHED', 'stories')).toMatchObject({ is: 'out' })
  })

  test('a comment of the account with the text is it, and none proves nothing', () => {
    const find = (...data: object[]) =>
      play(
        lookup(aLookupWork(authorization, { ...on, prepared: { as: 'comment' } })),
        where({ [`${V}/91/comments`]: answer(200, { data }) }),
      ).outcome
    const ours = { id: '95', text: 'Hello', from: { id: '7' } }
    expect(find(ours)).toMatchObject({ is: 'found', remoteId: '95', url: null, exact: false })
    expect(find({ ...ours, from: { id: '5' } })).toMatchObject({ is: 'absent', seen: { replies: false } })
  })

  test('what does not tell proves nothing', () => {
    const work = aLookupWork(authorization, { prepared: { container: '500' } })
    for (const response of [answer(502, ''), answer(200, {})])
      expect(play(lookup(work), where({ [CONTAINER]: response })).outcome).toMatchObject({
        is: 'unavailable',
      })
    // New containers are not shown at times; old ones have ended.
    const unseen = where({ [CONTAINER]: gone })
    expect(play(lookup(work), unseen).outcome).toMatchObject({ is: 'unavailable' })
    const old = { ...work, now: new Date(work.armedAt.getTime() + 25 * 3_600_000) }
    expect(play(lookup(old), unseen).outcome).toMatchObject({ is: 'gone' })
    expect(play(lookup(work), where({ [CONTAINER]: fault(190) })).outcome).toEqual({ is: 'reauthorize' })
  })
})

describe('signing in', () => {
  const exchanged = (answers: Readonly<Record<string, HttpResponse>> = {}) => {
    const named = Object.fromEntries(Object.entries(answers).map(([path, one]) => [`${V}/${path}`, one]))
    const work = { client, redirectUri: 'https://p.example', codeVerifier: 'v', kept: null, now: new Date() }
    return play(oauth.exchange({ ...work, callback: { code: 'c' } }), where(named))
  }
  const pages = (...data: object[]) => ({ 'me/accounts': answer(200, { data }) })
  const page = { id: '1001', access_token: 'secret-page-token', tasks: ['CREATE_CONTENT'] }

  test('an account is kept with the token of its Page and the proof of the app', () => {
    const { outcome, requests } = exchanged()
    expect(outcome).toMatchObject({
      is: 'granted',
      grants: [
        {
          authorization: { userId: '7', accessToken: 'secret-page-token', proof: expect.any(String) },
          account: { remoteAccountId: '7', handle: 'coffee', displayName: 'Coffee' },
        },
      ],
    })
    expect(requests.every(({ url }) => !/secret/.test(url.href))).toBe(true)
  })

  test.each([
    ['no Page', pages()],
    ['a Page without an account', pages(page)],
    ['a Page where nothing may be made', pages({ ...page, tasks: [], instagram_business_account: user })],
    ['a Page without a token', pages({ ...page, access_token: undefined, instagram_business_account: user })],
  ])('%s is no account', (_, answers) => {
    expect(exchanged(answers).outcome).toMatchObject({ is: 'refused', code: 'account_unusable' })
  })

  test('lists are read to their end, and a Page shows its token where its portfolio does not', () => {
    const { access_token: token, ...withoutToken } = page
    const shared = answer(200, { data: [{ ...withoutToken, id: '1002', instagram_business_account: user }] })
    const answers = {
      [`${V}/me/businesses`]: answer(200, { data: [{ id: '9' }] }),
      [`${V}/9/owned_pages`]: shared,
      [`${V}/9/client_pages`]: answer(200, { data: [] }),
      [`${V}/1002`]: answer(200, { id: '1002', access_token: token }),
    }
    const work = { client, redirectUri: 'https://p.example', codeVerifier: 'v', kept: null, now: new Date() }
    const { outcome, requests } = play(
      oauth.exchange({ ...work, callback: { code: 'c' } }),
      inTwoLists(where(answers)),
    )
    expect(outcome.is).toBe('granted')
    const seconds = requests.filter(({ url }) => url.searchParams.has('after'))
    expect(new Set(seconds.map(({ url }) => url.pathname.slice(V.length + 1)))).toEqual(
      new Set(['me/accounts', 'me/businesses', '9/owned_pages', '9/client_pages']),
    )
  })

  test('an access that was taken back is told as that', () => {
    const asked = (response: HttpResponse) =>
      play(profile({ authorization, now: new Date() }), where({ [`${V}/7`]: response })).outcome
    expect(asked(fault(190))).toEqual({ is: 'reauthorize' })
    expect(asked(answer(200, { ...user, id: '8' }))).toMatchObject({ is: 'unavailable' })
  })
})

describe('what cannot be a post is told before anything is sent', () => {
  const sized = (width: number, height: number, kind: 'image' | 'video' = 'image', seconds = 10) => ({
    kind,
    width,
    height,
    sizeBytes: 1_000_000,
    durationMs: kind === 'video' ? seconds * 1_000 : null,
    ...NO_CODING,
  })
  const faults = (change: Partial<PartToCheck> = {}, sizes = [sized(1_080, 1_080)]) =>
    (
      instagram.check?.({
        text: 'Words',
        index: 0,
        kind: 'post',
        settings: {},
        limits: instagram.limits,
        mediaCount: sizes.length,
        mediaKinds: sizes.map(({ kind }) => kind),
        mediaSizes: sizes,
        ...change,
      }) ?? []
    ).map(({ message }) => message)

  test('a text alone is refused, and one image is not', () => {
    expect(faults()).toEqual([])
    expect(faults({}, [])).toEqual(['A post on Instagram needs an image or a video.'])
  })

  test('hashtags and mentions are counted', () => {
    const tags = (count: number, sign: string) =>
      Array.from({ length: count }, (_, place) => `${sign}word${place}`).join(' ')
    expect(faults({ text: `${tags(30, '#')} ${tags(20, '@')} a@example.com` })).toEqual([])
    expect(faults({ text: tags(31, '#') })).toEqual(['The caption has 31 hashtags; Instagram allows 30.'])
    expect(faults({ text: tags(21, '@') })).toEqual(['The caption has 21 mentions; Instagram allows 20.'])
    expect(faults({ text: tags(31, '#'), kind: 'first_comment' }, [])).toHaveLength(1)
  })

  test('a story is one item without a text or a comment', () => {
    const story = { settings: { story: true } }
    expect(faults(story)).toEqual(['A story on Instagram shows no text.'])
    expect(faults({ ...story, text: '' }, [sized(9, 16), sized(9, 16)])).toHaveLength(1)
    expect(faults({ ...story, kind: 'first_comment' }, [])).toHaveLength(1)
  })

  test('a video of more than 1,920 pixels in width is refused, however high', () => {
    const issues = (width: number, height: number) =>
      mediaIssues(
        [{ ...sized(width, height, 'video'), contentType: 'video/mp4', animated: false, altText: null }],
        { ...instagram, settings: {} },
      ).map(({ message }) => message)
    expect(issues(1_920, 3_840)).toEqual([])
    expect(issues(3_840, 2_160)).toEqual([
      'The video has 3840 × 2160 pixels; Instagram allows up to 1920 pixels in width.',
    ])
  })
})
