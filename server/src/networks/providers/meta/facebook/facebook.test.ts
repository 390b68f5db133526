import { describe, expect, test } from 'vitest'
import { errorsOf } from '../../../../../test/rigs/a-plan.ts'
import { answeringAt, loadWith, play, testAdapter } from '../../../../../test/rigs/adapter-suite.ts'
import {
  aLookupWork,
  answer,
  anUpload,
  aPrepareWork,
  NO_CODING,
} from '../../../../../test/rigs/publish-work.ts'
import type { HttpRequest, HttpResponse } from '../../port/calls.ts'
import type { LookupWork } from '../../port/port.ts'
import { inTwoLists } from '../../../../../test/rigs/meta-lists.ts'
import { facebook } from './facebook.ts'
import { PERMISSIONS } from './permissions.ts'

const proof = 'ab'.repeat(32)
const authorization = { pageId: '1001', accessToken: 'secret-access-token', proof }
const draft = { as: 'post', id: '1001_7' } as const

function fault(code: number, message = 'A message', status = 400, subcode?: number): HttpResponse {
  return answer(status, { error: { message, type: 'OAuthException', code, error_subcode: subcode } })
}
const page = { id: '1001', name: 'Example Roasters', username: 'exampleroasters' }
const shown = { id: '1001_7', is_published: true, permalink_url: 'https://www.facebook.com/1001/posts/7' }

/** Facebook where all goes well. */
function network({ method, url }: HttpRequest): HttpResponse {
  switch (`${method} ${url.pathname}`) {
    case 'POST /v27.0/oauth/access_token':
      return answer(200, { access_token: 'secret-access-token', token_type: 'bearer', expires_in: 5_184_000 })
    case 'GET /v27.0/me/permissions':
      return answer(200, { data: PERMISSIONS.map((permission) => ({ permission, status: 'granted' })) })
    case 'GET /v27.0/me/accounts':
      return answer(200, {
        data: [{ ...page, access_token: 'secret-page-token', tasks: ['CREATE_CONTENT'] }],
      })
    case 'GET /v27.0/debug_token':
      return answer(200, { data: { is_valid: true, expires_at: 0, scopes: PERMISSIONS } })
    case 'GET /v27.0/1001':
      return answer(200, page)
    case 'POST /v27.0/1001/photos':
      return answer(200, { id: '55' })
    case 'POST /v27.0/1001/feed':
      return answer(200, { id: '1001_7' })
    case 'GET /v27.0/1001_7':
      return answer(200, { ...shown, is_published: false })
    case 'DELETE /v27.0/1001_7':
      return answer(200, { success: true })
    case 'GET /v27.0/1001_7/comments':
      return answer(200, { data: [] })
    default:
      throw new Error(`nobody answers ${method} ${url.href}`)
  }
}

const { publish, poll, prepare, upload, lookup, leftovers, oauth, budget } = await loadWith(facebook, [
  ...(['poll', 'prepare', 'upload', 'lookup', 'leftovers', 'oauth'] as const),
])
const client = { clientId: 'the-app', clientSecret: 'secret-of-the-app', key: null }

await testAdapter(facebook, {
  absence: [{ server: 'Facebook', network, proves: ({ reply }) => !reply }],
  authorization,
  secrets: ['secret-access-token', proof],
  success: ({ kind }) => answer(200, kind === 'post' ? shown : { id: '7_8' }),
  network,
  refusals: [
    { error: { message: 'Invalid token', code: 190, type: 'OAuthException' } },
    { error: { message: 'Too many calls', code: 32, type: 'OAuthException' } },
    { error: { message: 'Requires pages_manage_posts', code: 200, type: 'OAuthException' } },
    { error: { message: 'Duplicate status message', code: 506, type: 'OAuthException' } },
    { error: { message: 'Invalid parameter', code: 100, type: 'OAuthException' } },
  ],
  text: 'With a link: https://example.com/page',
  handle: 'post:1001_7',
  oauth: { fields: {}, client, callback: { code: 'the-code', state: 'the-state' } },
})

const workOf = (change: Partial<LookupWork> = {}) =>
  aLookupWork(authorization, { prepared: draft, ...change })
const where = (path: string, response: HttpResponse) => answeringAt(network, { [`/v27.0/${path}`]: response })

test('the link of a draft is the address without what ends the sentence', () => {
  for (const [text, link] of [
    ['See (https://example.com/a_(b)).', 'https://example.com/a_(b)'],
    ['https://example.com/a…', 'https://example.com/a'],
  ] as const) {
    const { requests } = play(prepare(aPrepareWork(authorization, { text })), network)
    expect(requests.map(({ form }) => form?.['link'])).toContain(link)
  }
})

describe('what an answer to the call proves', () => {
  test.each([
    [fault(190), 'reauthorize', undefined],
    [fault(100, 'Invalid appsecret_proof provided in the API argument'), 'reauthorize', undefined],
    [fault(10), 'rejected', 'permission_refused'],
    [fault(200), 'rejected', 'permission_refused'],
    [fault(299), 'rejected', 'permission_refused'],
    [fault(368), 'rejected', 'permission_refused'],
    [fault(368, 'We limit how often you can post', 400, 1_390_008), 'deferred', 'rate_limited'],
    [fault(368, "You've already posted this."), 'rejected', 'duplicate_refused'],
    [fault(506), 'rejected', 'duplicate_refused'],
    [fault(1_609_005), 'rejected', 'content_refused'],
    [fault(100), 'rejected', 'content_refused'],
    [fault(2_500, 'Unknown path components: /x'), 'rejected', 'not_published'],
    [fault(2_635, 'You are calling a deprecated version'), 'rejected', 'not_published'],
    [fault(100, 'Unsupported post request', 400, 33), 'rejected', 'not_published'],
    ...[4, 17, 32, 341, 613, 80_001].map((code) => [fault(code), 'deferred', 'rate_limited'] as const),
    // It may have been made: "possibly a temporary issue due to downtime".
    [fault(1), 'unknown', undefined],
    [fault(2), 'unknown', undefined],
    [fault(1, 'A message', 500), 'unknown', undefined],
    [fault(300), 'unknown', undefined],
    [answer(200, { ...shown, id: '1001_8' }), 'unknown', undefined],
    [answer(200, { ...shown, is_published: false }), 'unknown', undefined],
    [answer(200, { success: false }), 'unknown', undefined],
    [answer(200, { success: true }), 'accepted', undefined],
  ] as const)('%o is %s %s', (response, is, code) => {
    expect(publish.judge(response, workOf())).toMatchObject(code === undefined ? { is } : { is, code })
  })

  test('an address is shown where it is on Facebook, and else the one by the id', () => {
    for (const [told, url] of [
      ['https://www.facebook.com/1001/posts/7', 'https://www.facebook.com/1001/posts/7'],
      ['/1001/posts/7/', 'https://www.facebook.com/1001/posts/7/'],
      ['https://evil.example/7', 'https://www.facebook.com/1001_7'],
      ['javascript:alert(1)', 'https://www.facebook.com/1001_7'],
      ['https://notfacebook.com/7', 'https://www.facebook.com/1001_7'],
    ]) {
      const verdict = publish.judge(answer(200, { ...shown, permalink_url: told }), workOf())
      expect(verdict).toMatchObject({ is: 'published', url })
    }
  })

  test('a limit that is used up holds for as long as the header says', () => {
    const use = { call_count: 12, total_cputime: 100, total_time: 3 }
    const business = { '1001': [{ ...use, type: 'pages', estimated_time_to_regain_access: 19 }] }
    const headers = { 'x-business-use-case-usage': JSON.stringify(business) }
    const spent = { remaining: 0, resetsInMs: 19 * 60_000 }
    const now = new Date()
    expect(budget(answer(200, {}, headers), 'publish', now)).toEqual(spent)
    const full = answer(400, { error: { message: 'm', code: 32 } }, headers)
    expect(publish.judge(full, workOf())).toMatchObject({ is: 'deferred', afterMs: 19 * 60_000 })
    const app = { 'x-app-usage': JSON.stringify({ call_count: 99, total_cputime: 20, total_time: 20 }) }
    expect(budget(answer(200, {}, app), 'publish', now)).toBeNull()
    expect(budget(answer(200, {}, { 'x-app-usage': '{"call_count":"x"}' }), 'publish', now)).toBeNull()
    const spentApp = { 'x-app-usage': JSON.stringify({ call_count: 100, total_cputime: 20, total_time: 20 }) }
    expect(budget(answer(200, {}, spentApp), 'publish', now)).toEqual({ remaining: 0, resetsInMs: 3_600_000 })
  })
})

describe('what shows a post', () => {
  const sent = (prepared: LookupWork['prepared']) => {
    const { url, form } = publish.request(workOf({ prepared }))
    return [url.pathname, form]
  }

  test('a draft and a video are shown by their ids, and a reel is finished', () => {
    const fields = 'id,is_published,permalink_url'
    expect(sent(draft)).toEqual(['/v27.0/1001_7', { is_published: 'true', fields }])
    expect(sent({ as: 'video', id: '9' })).toEqual([
      '/v27.0/9',
      { description: 'Hello', published: 'true', fields: 'id,published,permalink_url' },
    ])
    expect(sent({ as: 'reel', id: '9' })).toEqual([
      '/v27.0/1001/video_reels',
      { upload_phase: 'finish', video_id: '9', video_state: 'PUBLISHED', description: 'Hello' },
    ])
  })

  test.each([
    ['photo:55', '55', { id: '55' }],
    ['video:9', '9', { id: '9', published: false }],
  ] as const)('what nobody sees is looked at and removed: %s', (name, id, shownAs) => {
    const removed = ({ method }: HttpRequest) => answer(200, method === 'GET' ? shownAs : { success: true })
    const { outcome, requests } = play(leftovers.discard({ authorization, name }), removed)
    expect(outcome).toEqual({ is: 'removed' })
    expect(requests.map(({ method, url }) => [method, url.pathname])).toEqual([
      ['GET', `/v27.0/${id}`],
      ['DELETE', `/v27.0/${id}`],
    ])
  })
})

describe('drafts', () => {
  const prepared = (change: object, answered = network) =>
    play(prepare(aPrepareWork(authorization, change)), answered)

  test('the one of an earlier call is taken again, and where it is gone another is made', () => {
    const again = prepared({ former: draft })
    expect(again.outcome).toEqual({ is: 'prepared', prepared: draft })
    expect(again.requests.map(({ method }) => method)).toEqual(['GET'])
    const gone = where('1001_7', fault(100, 'Unsupported get request', 400, 33))
    expect(prepared({ former: draft }, gone).requests.map(({ method }) => method)).toEqual(['GET', 'POST'])
    const down = where('1001_7', answer(503, ''))
    expect(prepared({ former: draft }, down)).toMatchObject({ outcome: { is: 'deferred' } })
    expect(prepared({ former: draft }, down).requests).toHaveLength(1)
  })

  test('a photo that Facebook has removed is uploaded again', () => {
    const media = [{ kind: 'image', altText: null, remoteId: '55' }] as const
    const { outcome, requests } = prepared({ media }, where('1001/feed', fault(100, 'Invalid media_fbid')))
    expect(outcome).toMatchObject({ is: 'deferred', code: 'media_unavailable' })
    expect(requests[0]?.form).toMatchObject({
      'attached_media[0]': '{"media_fbid":"55"}',
      published: 'false',
    })
  })

  test('a video that was uploaded as another kind goes up again', () => {
    const media = [{ kind: 'video', altText: null, remoteId: '9', details: { as: 'video' } }] as const
    expect(prepared({ media })).toMatchObject({
      outcome: { prepared: { as: 'video', id: '9' } },
      requests: [],
    })
    expect(prepared({ media, settings: { reel: true } }).outcome).toMatchObject({ code: 'media_unavailable' })
  })
})

describe('uploads', () => {
  const video = { contentType: 'video/mp4', size: 10, async *open() {} }

  test('a photo is unpublished and temporary, and has its alt text', () => {
    const { requests } = play(upload(anUpload(authorization, 'image', { altText: 'A bird' })), network)
    expect(requests[0]?.multipart?.parts.slice(0, 3)).toEqual([
      { name: 'published', value: 'false' },
      { name: 'temporary', value: 'true' },
      { name: 'alt_text_custom', value: 'A bird' },
    ])
  })

  test.each([
    ['without progress', { start_offset: '0', end_offset: '10' }],
    ['past its end', { start_offset: '4', end_offset: '11' }],
  ])('a video that is asked for %s is not sent for ever', (_, next) => {
    const begun = { video_id: '9', upload_session_id: '8', start_offset: '0', end_offset: '4' }
    const { outcome, requests } = play(upload(anUpload(authorization, 'video', { file: video })), (request) =>
      answer(200, request.multipart === undefined ? begun : next),
    )
    expect(outcome).toMatchObject({ is: 'deferred', code: 'provider_unavailable' })
    expect(requests.map(({ method }) => method)).toEqual(['POST', 'POST'])
  })

  const reel = { file: video, settings: { reel: true }, width: 1_080, height: 1_920 }
  const status = (told: object) => answer(200, { id: '9', status: { video_status: 'processing', ...told } })
  const READY = status({ video_status: 'ready', uploading_phase: { status: 'complete' } })
  /** What a later run sends, where an earlier one kept this. */
  const resume = (change: object, network: (request: HttpRequest) => HttpResponse) =>
    play(upload(anUpload(authorization, 'video', { file: video, ...change })), network)
  const sentBy = ({ form, multipart, headers, method }: HttpRequest) => {
    const offset = multipart?.parts.find(({ name }) => name === 'start_offset')
    if (offset !== undefined && 'value' in offset) return `from ${offset.value}`
    return (
      form?.['upload_phase'] ?? (headers?.['offset'] === undefined ? method : `from ${headers['offset']}`)
    )
  }

  const session = { videoId: '9', session: '8', from: 0, to: 4 }
  const uploaded = { is: 'uploaded', media: { remoteId: '9', details: { as: 'video' } } }

  test('a video goes on where Facebook asks for it, in the session that was begun', () => {
    const elsewhere = answer(400, {
      error: {
        message: 'm',
        code: 6_001,
        error_subcode: 1_363_037,
        error_data: { start_offset: 4, end_offset: 10 },
      },
    })
    const { outcome, requests } = resume({ checkpoint: session }, (request) => {
      if (request.method === 'GET') return READY
      if (request.form !== undefined) return answer(200, { success: true })
      return sentBy(request) === 'from 0' ? elsewhere : answer(200, { start_offset: '10', end_offset: '10' })
    })
    expect(outcome).toEqual(uploaded)
    expect(requests.map(sentBy)).toEqual(['from 0', 'from 4', 'finish', 'GET'])
  })

  test('a session that takes nothing, of a video that was finished before, is over: nothing is sent again', () => {
    const { outcome, requests } = resume({ checkpoint: session }, ({ method }) =>
      method === 'GET' ? READY : fault(6_000),
    )
    expect(outcome).toEqual(uploaded)
    // What is whole is looked at until it is processed.
    expect(requests.map(sentBy)).toEqual(['from 0', 'GET', 'GET'])
  })

  const begunAgain = { video_id: '19', upload_session_id: '18', start_offset: '0', end_offset: '10' }

  test.each([
    ['is not whole', status({ uploading_phase: { status: 'in_progress' } })],
    ['is over', status({ video_status: 'expired', uploading_phase: { status: 'complete' } })],
    ['nobody sees', answer(503, '')],
  ])('a session that takes nothing, of a video that %s, is begun anew, once', (_, shown) => {
    for (const failed of [
      fault(6_000),
      fault(6_001, 'A message', 400, 1_363_019),
      fault(100, 'Invalid upload session id'),
    ]) {
      const answered = ({ method, form }: HttpRequest) => {
        if (method === 'GET') return shown
        return form?.['upload_phase'] === 'start' ? answer(200, begunAgain) : failed
      }
      const refused = { is: 'rejected', code: 'media_refused' }
      const { outcome, requests } = resume({ checkpoint: session }, answered)
      expect(outcome).toMatchObject(refused)
      expect(requests.map(sentBy)).toEqual(['from 0', 'GET', 'start', 'from 0', 'GET'])
      const later = resume({ checkpoint: { ...session, again: true } }, answered)
      expect(later.outcome).toMatchObject(refused)
      expect(later.requests.map(sentBy)).toEqual(['from 0', 'GET'])
    }
  })

  test('what is wrong with the file is so in every session', () => {
    for (const failed of [fault(6_000, 'A message', 400, 1_363_031), fault(352)]) {
      const { outcome, requests } = resume({ checkpoint: session }, ({ method }) =>
        method === 'GET' ? status({}) : failed,
      )
      expect(outcome).toMatchObject({ is: 'rejected', code: 'media_refused' })
      expect(requests.map(sentBy)).toEqual(['from 0', 'GET'])
    }
  })

  test('an upload that fails before a byte of it is sent says nothing of the file, unless of its size', () => {
    const outcomeOf = (response: HttpResponse) => resume({}, () => response).outcome
    expect(outcomeOf(fault(6_000))).toMatchObject({ is: 'deferred', code: 'provider_unavailable' })
    expect(outcomeOf(fault(6_000, 'A message', 400, 1_363_023))).toMatchObject({ code: 'media_refused' })
  })

  test('a session that has timed out is begun anew by the next try', () => {
    const timedOut = fault(6_000, 'A message', 400, 1_363_030)
    const { outcome } = resume({ checkpoint: session }, ({ method }) =>
      method === 'GET' ? status({}) : timedOut,
    )
    expect(outcome).toMatchObject({ is: 'deferred', code: 'media_unavailable' })
  })

  test('a limit is no reason to look at the video', () => {
    const { outcome, requests } = resume({ checkpoint: session }, () => fault(32))
    expect(outcome).toMatchObject({ is: 'deferred', code: 'rate_limited' })
    expect(requests.map(sentBy)).toEqual(['from 0'])
  })

  const begunReel = { reelId: '9', url: 'https://rupload.facebook.com/video-upload/v27.0/9' }
  test.each([
    ['not_started', {}, ['GET', 'from 0'], 'uploaded'],
    ['in_progress', { bytes_transferred: 4 }, ['GET', 'from 4'], 'uploaded'],
    ['in_progress', { bytes_transfered: 4 }, ['GET', 'from 4'], 'uploaded'],
    ['in_progress', {}, ['GET', 'from 0'], 'uploaded'],
    ['complete', {}, ['GET'], 'uploaded'],
    // More than there is: not of this file.
    ['in_progress', { bytes_transferred: 10 }, ['GET'], 'deferred'],
  ])('a reel whose upload is %s %o goes on as the same one', (phase, bytes, calls, is) => {
    const { outcome, requests } = resume({ ...reel, checkpoint: begunReel }, ({ method }) =>
      method === 'GET'
        ? status({ uploading_phase: { status: phase, ...bytes } })
        : answer(200, { success: true }),
    )
    expect(outcome).toMatchObject(is === 'uploaded' ? { is, media: { remoteId: '9' } } : { is })
    expect(requests.map(sentBy)).toEqual(calls)
  })

  test.each([
    ['gone', fault(100, 'Unsupported get request', 400, 33), 'media_unavailable'],
    ['expired', status({ video_status: 'expired' }), 'media_unavailable'],
    ['another one', answer(200, { id: '7', status: { video_status: 'ready' } }), 'provider_unavailable'],
    ['not to be seen', answer(503, ''), 'provider_unavailable'],
  ])('a reel that is %s takes no bytes', (_, shown, code) => {
    const { outcome, requests } = resume({ ...reel, checkpoint: begunReel }, () => shown)
    expect(outcome).toMatchObject({ is: 'deferred', code })
    expect(requests.map(sentBy)).toEqual(['GET'])
  })

  test('an address that was kept gets nothing where it is not one of Facebook', () => {
    const checkpoint = { ...begunReel, url: 'https://rupload.facebook.com.example/9' }
    const { requests } = resume({ ...reel, checkpoint }, () =>
      status({ uploading_phase: { status: 'not_started' } }),
    )
    expect(requests.map(sentBy)).toEqual(['GET'])
  })

  test('bytes and token of a reel go to Facebook alone, whatever address is given', () => {
    const elsewhere = { video_id: '9', upload_url: 'https://rupload.facebook.com.example/9' }
    const { outcome, requests } = play(upload(anUpload(authorization, 'video', reel)), () =>
      answer(200, elsewhere),
    )
    expect(outcome).toMatchObject({ is: 'deferred' })
    expect(requests).toHaveLength(1)
  })

  test.each([
    [1_920, 1_080],
    [360, 640],
    [1_080, 1_350],
  ])('a reel of %i × %i is refused before anything is sent', (width, height) => {
    const { outcome, requests } = play(
      upload(anUpload(authorization, 'video', { ...reel, width, height })),
      network,
    )
    expect(outcome).toMatchObject({ is: 'rejected', code: 'media_refused' })
    expect(requests).toEqual([])
  })
})

describe('what a look finds', () => {
  const look = (change: Partial<LookupWork>, path: string, response: HttpResponse) =>
    play(lookup(workOf(change)), where(path, response)).outcome

  test('a post that is shown, exactly; one that is gone proves nothing', () => {
    expect(look({}, '1001_7', answer(200, shown))).toMatchObject({
      is: 'found',
      remoteId: '1001_7',
      exact: true,
    })
    expect(look({}, '1001_7', fault(100, 'm', 400, 33))).toMatchObject({ is: 'gone' })
    expect(look({}, '1001_7', answer(200, { ...shown, id: '1001_8' }))).toMatchObject({ is: 'unavailable' })
    expect(look({}, '1001_7', fault(190))).toEqual({ is: 'reauthorize' })
  })

  test.each([
    ['not_started', { is: 'absent', keepsKeys: false }],
    ['in_progress', { is: 'unavailable' }],
    ['error', { is: 'gone' }],
    ['complete', { is: 'found', url: 'https://www.facebook.com/reel/9/' }],
  ])('a reel whose publishing is %s', (status, expected) => {
    const reel = answer(200, { id: '9', status: { video_status: 'ready', publishing_phase: { status } } })
    expect(look({ prepared: { as: 'reel', id: '9' } }, '9', reel)).toMatchObject(expected)
  })

  test('a comment of the Page with the text is it, and none proves nothing', () => {
    const first = { remoteId: '1001_7' }
    const on = { kind: 'first_comment', parent: first, root: first, prepared: { as: 'comment' } } as const
    const list = (...data: object[]) => answer(200, { data })
    const ours = { id: '7_8', message: 'Hello', from: { id: '1001' } }
    const find = (...data: object[]) => look(on, '1001_7/comments', list(...data))
    expect(find(ours)).toMatchObject({ is: 'found', remoteId: '7_8', exact: false })
    expect(find({ ...ours, from: { id: '5' } })).toMatchObject({ is: 'absent', seen: { replies: false } })
  })

  test('what was accepted is asked for by its id until it is out', () => {
    const at = { authorization, handle: 'post:1001_7' }
    expect(poll.request(at).url.pathname).toBe('/v27.0/1001_7')
    expect(poll.judge(answer(200, shown), at)).toMatchObject({ is: 'published' })
    expect(poll.judge(answer(200, { ...shown, is_published: false }), at)).toMatchObject({ is: 'accepted' })
    expect(poll.judge(fault(100, 'm', 400, 33), at)).toEqual({ is: 'forgotten' })
  })
})

describe('signing in', () => {
  const signIn = (answered: (request: HttpRequest) => HttpResponse) => {
    const work = { client, redirectUri: 'https://p.example', codeVerifier: 'v', kept: null, now: new Date() }
    return play(oauth.exchange({ ...work, callback: { code: 'c' } }), answered)
  }
  const exchanged = (answers: Parameters<typeof answeringAt>[1]) => {
    const named = Object.fromEntries(Object.entries(answers).map(([path, one]) => [`/v27.0/${path}`, one]))
    return signIn(answeringAt(network, named))
  }

  const none = answer(200, { data: [] })
  const withBusiness = {
    'me/permissions': answer(200, {
      data: [...PERMISSIONS, 'business_management'].map((permission) => ({ permission, status: 'granted' })),
    }),
    'me/businesses': answer(200, { data: [{ id: '9' }] }),
    '9/owned_pages': none,
    '9/client_pages': none,
  }

  test('one portfolio that cannot be read does not take the Pages that were found', () => {
    const { outcome } = exchanged({
      ...withBusiness,
      '9/owned_pages': answer(500, ''),
      '9/client_pages': fault(200),
    })
    expect(outcome).toMatchObject({ is: 'granted', grants: [{ authorization: { pageId: '1001' } }] })
  })

  test('lists are read to their end', () => {
    const shared = { ...page, id: '1002', access_token: 'secret-page-token' }
    const answers = { ...withBusiness, '9/owned_pages': answer(200, { data: [shared] }) }
    const named = Object.fromEntries(Object.entries(answers).map(([path, one]) => [`/v27.0/${path}`, one]))
    const { requests } = signIn(inTwoLists(answeringAt(network, named)))
    const seconds = requests.filter(({ url }) => url.searchParams.get('after') === 'the-next')
    expect(seconds.map(({ url }) => url.pathname.replace('/v27.0/', ''))).toEqual([
      'me/accounts',
      'me/businesses',
      // The portfolio is on both lists.
      ...Array.from({ length: 2 }, () => ['9/owned_pages', '9/client_pages']).flat(),
    ])
  })

  test('an endless list of portfolios ends', () => {
    const endless = answer(200, {
      data: [{ id: '9' }],
      paging: { cursors: { after: 'again' }, next: 'https://graph.facebook.com/next' },
    })
    const { outcome, requests } = exchanged({
      ...withBusiness,
      'me/accounts': none,
      'me/businesses': endless,
    })
    expect(outcome).toMatchObject({ is: 'unavailable', detail: expect.stringContaining('not list all') })
    expect(requests.length).toBeLessThan(80)
  })

  test('each token goes with the proof of the app, which is kept with that of the Page', () => {
    const { outcome, requests } = exchanged({})
    // HMAC-SHA256 of `secret-page-token` under `secret-of-the-app`.
    expect(outcome).toMatchObject({
      is: 'granted',
      grants: [{ authorization: { pageId: '1001', accessToken: 'secret-page-token' } }],
    })
    expect(requests.every(({ url }) => !/secret/.test(url.href))).toBe(true)
    expect(requests.slice(2).map(({ authorization: own }) => own)).toEqual(
      [0, 1].map(() => ({
        scheme: 'Bearer',
        credentials: 'secret-access-token',
        query: { appsecret_proof: expect.stringMatching(/^[0-9a-f]{64}$/) },
      })),
    )
  })

  test.each([
    [
      { 'oauth/access_token': fault(101, 'Error validating application.') },
      'unavailable',
      /FACEBOOK_CLIENT_ID/,
    ],
    [{ 'oauth/access_token': fault(1, 'Error validating client secret.') }, 'unavailable', /FACEBOOK_CLIENT/],
    [{ 'oauth/access_token': fault(100, 'This authorization code has been used.') }, 'refused', /new link/],
    [{ 'me/permissions': answer(200, { data: [] }) }, 'refused', /pages_show_list, .* is missing/],
    [{ 'me/accounts': answer(200, { data: [] }) }, 'refused', /permission for portfolios/],
    [
      { 'me/accounts': answer(200, { data: [{ ...page, access_token: 't', tasks: [] }] }) },
      'refused',
      /role on the Page Example Roasters/,
    ],
    [{ ...withBusiness, 'me/accounts': none, 'me/businesses': none }, 'refused', /portfolio they belong to/],
    [
      {
        ...withBusiness,
        'me/accounts': none,
        '9/owned_pages': answer(200, { data: [page] }),
        '1001': answer(200, { id: '1001' }),
      },
      'refused',
      /has the Page Example Roasters/,
    ],
    [
      { ...withBusiness, 'me/accounts': none, '9/owned_pages': answer(500, '') },
      'unavailable',
      /not list all/,
    ],
    [
      { ...withBusiness, 'me/accounts': none, '9/client_pages': fault(4, 'Too many calls') },
      'unavailable',
      /not list all/,
    ],
    [
      { ...withBusiness, 'me/accounts': none, 'me/businesses': fault(200, 'No permission') },
      'refused',
      /no Page/,
    ],
    [{ 'me/accounts': answer(500, '') }, 'unavailable', /status 500/],
  ])('%j connects nothing', (answers, is, detail) => {
    expect(exchanged(answers).outcome).toMatchObject({ is, detail: expect.stringMatching(detail) })
  })
})

test('what cannot be a post is told before anything is sent', () => {
  const faults = (change: object) =>
    facebook.check?.({
      kind: 'post',
      text: 'Words',
      index: 0,
      mediaCount: 0,
      mediaKinds: [],
      mediaSizes: [],
      settings: {},
      limits: facebook.limits,
      ...change,
    })
  expect(faults({})).toEqual([])
  expect(faults({ kind: 'first_comment', settings: { reel: true } })).toEqual([])
  expect(faults({ settings: { reel: true } })).toMatchObject([{ severity: 'error' }])
  expect(faults({ settings: { reel: true }, mediaCount: 1, mediaKinds: ['image'] })).toHaveLength(1)
  expect(faults({ settings: { reel: true }, mediaCount: 1, mediaKinds: ['video'] })).toEqual([])
  const reel = (width: number | null, height: number | null, seconds: number | null, codecs: object = {}) =>
    errorsOf(facebook, {
      text: 'Words',
      settings: { reel: true },
      media: [
        {
          ...NO_CODING,
          kind: 'video',
          contentType: 'video/mp4',
          sizeBytes: 100_000,
          width,
          height,
          durationMs: seconds === null ? null : seconds * 1_000,
          animated: false,
          altText: null,
          ...codecs,
        },
      ],
    }).map(({ message }) => message)
  expect(reel(null, null, null)).toEqual([])
  expect(reel(540, 960, 9, { videoCodec: 'av1', audioCodec: 'aac' })).toEqual([])
  expect(reel(540, 960, 9, { videoCodec: 'prores', audioCodec: 'ac3' })).toEqual([
    'The video codec is ProRes; a reel on Facebook allows H.264, HEVC, VP9, AV1.',
    'The audio codec is AC-3; a reel on Facebook allows AAC.',
  ])
  // The rate of films is 23.976, and is called 24.
  expect([24, 23.976, 60, 59.94].flatMap((frameRate) => reel(540, 960, 9, { frameRate }))).toEqual([])
  expect([12.5, 120].flatMap((frameRate) => reel(540, 960, 9, { frameRate }))).toEqual([
    'The video has 12.5 frames per second; a reel on Facebook allows 24 to 60.',
    'The video has 120 frames per second; a reel on Facebook allows 24 to 60.',
  ])
  const wide = { width: 1_920, height: 1_080, durationMs: 600_000, videoCodec: 'prores', frameRate: 12 }
  const video = { ...NO_CODING, kind: 'video', contentType: 'video/mp4', sizeBytes: 100_000 } as const
  const media = [{ ...video, ...wide, animated: false, altText: null }]
  expect(errorsOf(facebook, { text: 'Words', media })).toEqual([])
  expect(
    faults({ settings: { link: 'https://example.com' }, mediaCount: 1, mediaKinds: ['image'] }),
  ).toHaveLength(1)
})
