import { describe, expect, test } from 'vitest'
import {
  aLookupWork,
  answer,
  anUpload,
  aPrepareWork,
  nine as now,
} from '../../../../test/rigs/publish-work.ts'
import { answeringAt, loadWith, play, testAdapter } from '../../../../test/rigs/adapter-suite.ts'
import type { HttpRequest, HttpResponse } from '../port/calls.ts'
import type { LookupWork, PartToCheck, PublishWork, UploadWork } from '../port/port.ts'
import { youtube } from './youtube.ts'

const authorization = {
  channelId: 'UC7',
  accessEndsAt: '2026-11-21T10:00:00.000Z',
  accessToken: 'secret-access-token',
  refreshToken: 'secret-refresh-token',
}
const scope = 'https://www.googleapis.com/auth/youtube'
const ID = 'dQw4w9WgXcQ'
const video = { kind: 'video', altText: null, remoteId: ID } as const
const SESSION = 'https://www.googleapis.com/upload/youtube/v3/videos?uploadType=resumable&upload_id=u1'

function refusal(status: number, reason: string): HttpResponse {
  const errors = [{ message: 'No.', domain: 'youtube', reason }]
  return answer(status, { error: { code: status, message: 'No.', errors } })
}
const shown = (privacyStatus: string, title = 'Hello') => ({
  kind: 'youtube#video',
  id: ID,
  snippet: { title },
  status: { privacyStatus, uploadStatus: 'processed' },
})
const tokens = {
  access_token: 'secret-access-token',
  refresh_token: 'secret-refresh-token',
  token_type: 'Bearer',
  expires_in: 3_599,
  scope,
}
const channel = { id: 'UC7', snippet: { title: 'Ada roasts', customUrl: '@ada' } }

/** YouTube where all goes well, and no video is public yet. */
function network({ method, url, headers = {} }: HttpRequest): HttpResponse {
  switch (`${method} ${url.pathname}`) {
    case 'POST /token':
      return answer(200, tokens)
    case 'GET /tokeninfo':
      return answer(200, { scope: 'https://www.googleapis.com/auth/youtube', expires_in: '3599' })
    case 'GET /youtube/v3/channels':
      return answer(200, { items: [channel], pageInfo: { totalResults: 1 } })
    case 'POST /upload/youtube/v3/videos':
      return answer(200, '', { location: SESSION })
    case 'PUT /upload/youtube/v3/videos':
      return headers['content-range']?.startsWith('bytes *') === true
        ? answer(308, '')
        : answer(201, { id: ID })
    case 'GET /youtube/v3/videos':
      return answer(200, { items: [shown('private', 'Upload in progress')] })
    case 'DELETE /youtube/v3/videos':
      return answer(204, '')
    case 'POST /upload/youtube/v3/thumbnails/set':
      return answer(200, { items: [{ default: {} }] })
    case 'GET /youtube/v3/playlistItems':
      return answer(200, { items: [] })
    case 'POST /youtube/v3/playlistItems':
      return answer(200, { id: 'item' })
    default:
      throw new Error(`nothing answers ${method} ${url.href}`)
  }
}

const { publish, upload, prepare, lookup, oauth, refresh, profile } = await loadWith(youtube, [
  ...(['upload', 'prepare', 'lookup', 'oauth', 'refresh', 'profile'] as const),
])

const client = { clientId: 'the-app', clientSecret: 'secret-of-the-app', key: null }
await testAdapter(youtube, {
  absence: [{ server: 'YouTube', network, proves: () => true }],
  authorization,
  secrets: ['secret-access-token', 'secret-refresh-token'],
  media: [video],
  success: ({ settings: { privacy = 'public' } }) => answer(200, shown(String(privacy))),
  network,
  refusals: [
    { error: { code: 401, message: 'No.', errors: [{ reason: 'authError' }] } },
    { error: { code: 403, message: 'No.', errors: [{ reason: 'quotaExceeded' }] } },
    { error: { code: 403, message: 'No.', errors: [{ reason: 'forbidden' }] } },
    { error: { code: 400, message: 'No.', errors: [{ reason: 'invalidTitle' }] } },
  ],
  settings: { playlistId: 'PL1', title: 'A title' },
  oauth: { fields: {}, client, callback: { code: 'the-code', state: 'the-state' } },
})

const workOf = (change: Partial<LookupWork> = {}) => aLookupWork(authorization, { media: [video], ...change })
const where = (answers: Parameters<typeof answeringAt>[1]) => answeringAt(network, answers)

describe('uploading', () => {
  const bytes = Buffer.alloc(9 * 1024 * 1024, 'A video of 9 MB.\n')
  const file = {
    contentType: 'video/mp4',
    size: bytes.length,
    async *open({ from, to } = { from: 0, to: bytes.length }) {
      yield bytes.subarray(from, to)
    },
  }
  const work = anUpload(authorization, 'video', { file })
  const rangesOf = (requests: readonly HttpRequest[]) =>
    requests.flatMap(({ headers = {} }) => headers['content-range'] ?? [])

  /** Takes what is sent, from what it has already on. */
  function serverWith(had: number) {
    let received = had
    const taken: Buffer[] = []
    return {
      taken,
      answers: ({ headers = {}, file: sent }: HttpRequest): HttpResponse => {
        const [, from, to] = /^bytes (\d+)-(\d+)\//.exec(headers['content-range'] ?? '') ?? []
        if (from !== undefined && to !== undefined && Number(from) === received) {
          taken.push(bytes.subarray(Number(from), Number(to) + 1))
          expect(sent?.size).toBe(Number(to) - Number(from) + 1)
          received = Number(to) + 1
        }
        if (received === bytes.length) return answer(201, { id: ID })
        return answer(308, '', received === 0 ? {} : { range: `bytes=0-${received - 1}` })
      },
    }
  }
  const run = (change: Partial<UploadWork>, server: ReturnType<typeof serverWith>) =>
    play(upload({ ...work, ...change }), (request) =>
      request.method === 'PUT' ? server.answers(request) : network(request),
    )

  test('a video goes up as a private one, in pieces that make it up', () => {
    const server = serverWith(0)
    const { outcome, requests } = run({}, server)
    expect(outcome).toEqual({ is: 'uploaded', media: { remoteId: ID } })
    expect(requests[0]?.json).toMatchObject({ status: { privacyStatus: 'private' } })
    expect(Buffer.concat(server.taken).equals(bytes)).toBe(true)
    expect(rangesOf(requests)).toEqual([
      'bytes */9437184',
      'bytes 0-4194303/9437184',
      'bytes 4194304-8388607/9437184',
      'bytes 8388608-9437183/9437184',
    ])
  })

  test('an upload that broke off goes on from the byte that YouTube has, in the same session', () => {
    const { outcome, requests } = run({ checkpoint: { session: SESSION } }, serverWith(5_000_000))
    expect(outcome).toMatchObject({ is: 'uploaded' })
    expect(requests.some(({ method }) => method === 'POST')).toBe(false)
    expect(rangesOf(requests)[1]).toBe('bytes 5000000-9194303/9437184')
  })

  test('an upload whose last answer was lost is not sent again', () => {
    const { outcome, requests } = run({ checkpoint: { session: SESSION } }, serverWith(bytes.length))
    expect(outcome).toMatchObject({ is: 'uploaded', media: { remoteId: ID } })
    expect(rangesOf(requests)).toEqual(['bytes */9437184'])
  })

  test('the video is noted before anything else is asked, so that it is never left behind', () => {
    const { answers } = serverWith(bytes.length)
    const steps = upload({ ...work, checkpoint: { session: SESSION } })
    const asked = steps.next().value as { request: HttpRequest }
    const next = steps.next(answers(asked.request)).value
    expect(next).toEqual({ is: 'wait', ms: 0, checkpoint: { videoId: ID, looks: 0 } })
  })

  test('a session that is over begins anew, and one that makes no progress ends', () => {
    const over = play(upload({ ...work, checkpoint: { session: SESSION } }), () => answer(404, 'Not found'))
    expect(over.outcome).toMatchObject({ is: 'deferred', code: 'media_unavailable' })
    const stuck = play(upload(work), (request) =>
      request.method === 'PUT' ? answer(308, '') : network(request),
    )
    expect(stuck.outcome).toMatchObject({ is: 'deferred', code: 'provider_unavailable' })
  })

  test.each([
    'https://evil.example/u',
    'http://www.googleapis.com/u',
    'https://googleapis.com.evil.example/u',
  ])('neither bytes nor the token go to %s', (location) => {
    const { outcome, requests } = play(
      upload(work),
      where({ '/upload/youtube/v3/videos': answer(200, '', { location }) }),
    )
    expect(outcome.is).toBe('deferred')
    expect(requests).toHaveLength(1)
  })

  test.each([
    ['rejected', 'duplicate', 'duplicate_refused'],
    ['rejected', 'copyright', 'media_refused'],
    ['failed', undefined, 'media_refused'],
  ])('a video that is %s (%s) is refused', (uploadStatus, rejectionReason, code) => {
    const items = [{ id: ID, status: { uploadStatus, ...(rejectionReason && { rejectionReason }) } }]
    const checkpoint = { videoId: ID, looks: 0 }
    const { outcome } = play(
      upload({ ...work, checkpoint }),
      where({ '/youtube/v3/videos': answer(200, { items }) }),
    )
    expect(outcome).toMatchObject({ is: 'rejected', code })
  })

  test('a video that is processed for long is not waited for', () => {
    const items = [{ id: ID, status: { uploadStatus: 'uploaded' } }]
    const { outcome, requests } = play(upload(work), (request) =>
      request.method === 'GET' ? answer(200, { items }) : network(request),
    )
    expect(outcome).toMatchObject({ is: 'uploaded' })
    expect(requests.filter(({ method }) => method === 'GET')).toHaveLength(21)
  })

  test('an image becomes the thumbnail of the video before it', () => {
    const image = anUpload(authorization, 'image', { before: [video] })
    const { outcome, requests } = play(upload(image), network)
    expect(outcome).toMatchObject({ is: 'uploaded' })
    expect(requests[0]?.url.searchParams.get('videoId')).toBe(ID)
    const forbidden = where({ '/upload/youtube/v3/thumbnails/set': refusal(403, 'forbidden') })
    expect(play(upload(image), forbidden).outcome).toMatchObject({ is: 'rejected', code: 'media_refused' })
  })
})

describe('preparing', () => {
  const run = (playlist: HttpResponse) =>
    play(
      prepare(aPrepareWork(authorization, { media: [video], settings: { playlistId: 'PL1' } })),
      ({ method, ...request }) => (method === 'GET' ? playlist : network({ method, ...request })),
    )

  test('a video that is in its playlist already is not added again', () => {
    expect(run(answer(200, { items: [{ id: 'item' }] })).requests).toHaveLength(1)
    expect(run(answer(200, { items: [] })).requests[1]?.json).toEqual({
      snippet: { playlistId: 'PL1', resourceId: { kind: 'youtube#video', videoId: ID } },
    })
  })

  test('a playlist that is not there is named before anything is public', () => {
    for (const response of [refusal(404, 'playlistNotFound'), refusal(400, 'invalidPlaylistItemPosition')])
      expect(run(response).outcome).toMatchObject({ is: 'rejected', code: 'content_refused' })
  })
})

describe('publishing', () => {
  const sent = (change: Partial<PublishWork>) => publish.request(workOf(change)).json

  test('the call names the video and sets all that is shown', () => {
    const settings = {
      title: 'How we roast',
      privacy: 'unlisted',
      madeForKids: true,
      tags: ['coffee'],
      category: '27',
    }
    expect(sent({ text: 'A text', settings })).toEqual({
      id: ID,
      snippet: { title: 'How we roast', description: 'A text', categoryId: '27', tags: ['coffee'] },
      status: { privacyStatus: 'unlisted', selfDeclaredMadeForKids: true, containsSyntheticMedia: false },
    })
    expect(sent({ text: '\n First line \nSecond' })).toMatchObject({ snippet: { title: 'First line' } })
  })

  test.each([
    [refusal(401, 'authError'), 'expired', undefined],
    [refusal(401, 'expired'), 'expired', undefined],
    [refusal(401, 'authorizationRequired'), 'expired', undefined],
    [answer(401, { error: { code: 401, message: 'No.', status: 'UNAUTHENTICATED' } }), 'expired', undefined],
    [answer(401, { error: { code: 403, message: 'No.' } }), 'unknown', undefined],
    [answer(401, '<html>Unauthorized</html>'), 'unknown', undefined],
    [refusal(403, 'quotaExceeded'), 'deferred', 'rate_limited'],
    [refusal(403, 'forbidden'), 'rejected', 'permission_refused'],
    [refusal(403, 'insufficientPermissions'), 'reauthorize', undefined],
    [refusal(404, 'videoNotFound'), 'deferred', 'media_unavailable'],
    [refusal(400, 'invalidTags'), 'rejected', 'content_refused'],
    [
      answer(404, { error: { code: 404, message: 'Method not found.', status: 'NOT_FOUND' } }),
      'rejected',
      'not_published',
    ],
    [refusal(404, 'notFound'), 'unknown', undefined],
    [refusal(400, 'uploadLimitExceeded'), 'deferred', 'rate_limited'],
    [
      answer(400, {
        error: { code: 400, message: 'Request contains an invalid argument.', status: 'INVALID_ARGUMENT' },
      }),
      'rejected',
      'content_refused',
    ],
    [answer(200, shown('private')), 'rejected', 'permission_refused'],
    [answer(200, { ...shown('public'), id: 'another_one' }), 'unknown', undefined],
    [answer(200, shown('unlisted')), 'unknown', undefined],
    [answer(503, { error: { code: 503, errors: [{ reason: 'backendError' }] } }), 'unknown', undefined],
  ])('%o is %s %s', (response, is, code) => {
    expect(publish.judge(response, workOf())).toMatchObject(code === undefined ? { is } : { is, code })
  })

  test('a quota that is used up holds until midnight Pacific time', () => {
    // 09:00 UTC on 21 November is 01:00 there.
    expect(publish.judge(refusal(403, 'quotaExceeded'), workOf())).toEqual({
      is: 'deferred',
      code: 'rate_limited',
      afterMs: 23 * 3_600_000,
    })
  })
})

describe('what a look finds', () => {
  const look = (change: Partial<LookupWork>, ...items: object[]) =>
    play(lookup(workOf(change)), where({ '/youtube/v3/videos': answer(200, { items }) })).outcome

  test('a video that is shown is the post, and one that is still private is not', () => {
    expect(look({}, shown('public'))).toEqual({
      is: 'found',
      remoteId: ID,
      url: `https://www.youtube.com/watch?v=${ID}`,
      exact: true,
    })
    expect(look({}, shown('private'))).toEqual({ is: 'absent', seen: 'by key', keepsKeys: true })
    expect(look({}, shown('unlisted', 'Renamed in Studio'))).toMatchObject({ is: 'found' })
  })

  test('a video that is to stay private is known by its title', () => {
    const settings = { privacy: 'private' }
    expect(look({ settings }, shown('private', 'Upload in progress'))).toMatchObject({ is: 'absent' })
    expect(look({ settings }, shown('private'))).toMatchObject({ is: 'found' })
  })

  test('a video that is gone proves nothing', () => {
    expect(look({})).toMatchObject({ is: 'gone' })
    expect(look({}, { ...shown('public'), id: 'another_one' })).toMatchObject({ is: 'gone' })
  })
})

describe('connecting', () => {
  const callback = { code: 'the-code' }
  const back = { client, redirectUri: 'https://p.example', codeVerifier: 'v', kept: null, callback, now }
  const exchange = (answers: Parameters<typeof answeringAt>[1]) =>
    play(oauth.exchange(back), where(answers)).outcome

  test.each([
    ['a permission that was left out', { ...tokens, scope: 'openid' }],
    ['no refresh token', { ...tokens, refresh_token: undefined }],
  ])('%s connects nothing', (_, body) => {
    expect(exchange({ '/token': answer(200, body) })).toMatchObject({ is: 'refused', code: 'missing_scope' })
  })

  test('an account without a channel connects nothing, and says so', () => {
    const none = answer(200, { pageInfo: { totalResults: 0 } })
    expect(exchange({ '/youtube/v3/channels': none })).toMatchObject({
      is: 'refused',
      code: 'account_unusable',
    })
  })

  test('a refresh keeps the refresh token, and ends the authorization where Google says so', () => {
    const renew = (response: HttpResponse) =>
      play(refresh({ authorization, client, now }), where({ '/token': response })).outcome
    expect(renew(answer(200, { ...tokens, access_token: 'new', refresh_token: undefined }))).toMatchObject({
      authorization: { accessToken: 'new', refreshToken: 'secret-refresh-token' },
    })
    expect(renew(answer(400, { error: 'invalid_grant' })).is).toBe('ended')
    expect(renew(answer(401, { error: 'invalid_client' })).is).toBe('unavailable')
  })

  test('the profile tells the channel', () => {
    expect(play(profile({ authorization, now }), network).outcome).toMatchObject({
      account: { remoteAccountId: 'UC7', displayName: 'Ada roasts', handle: 'ada' },
    })
  })
})

describe('the check before', () => {
  const faults = (change: Partial<PartToCheck>) => {
    const media = { mediaCount: 1, mediaKinds: ['video'], mediaSizes: [] } as const
    const first = { kind: 'post', text: 'A title', index: 0 } as const
    const part = { ...first, settings: {}, limits: youtube.limits, ...media, ...change }
    return (youtube.check?.(part) ?? []).map(({ severity, message }) => `${severity}: ${message}`)
  }

  test('says what a post needs, and that apps are audited', () => {
    expect(faults({ settings: { privacy: 'private' } })).toEqual([])
    expect(faults({})).toEqual([expect.stringMatching(/^warning: .*audited/)])
  })

  test.each<[string, Partial<PartToCheck>]>([
    ['one video', { mediaCount: 0, mediaKinds: [], mediaSizes: [] }],
    ['one video', { mediaCount: 2, mediaKinds: ['image', 'video'] }],
    ['one video', { mediaCount: 2, mediaKinds: ['video', 'video'] }],
    ['no title', { text: ' ' }],
    ['101 characters', { text: 'x'.repeat(101) }],
    ['no < or >', { text: 'a < b' }],
    ['509 characters in all', { settings: { tags: Array.from({ length: 5 }, () => 'x y'.repeat(33)) } }],
  ])('%s: %o', (words, change) => {
    expect(faults(change).filter((fault) => fault.startsWith('error'))).toEqual([
      expect.stringContaining(words),
    ])
  })

  test('a title of its own leaves the first line as long as it likes', () => {
    expect(faults({ text: 'x'.repeat(101), settings: { title: 'Short' } })).toHaveLength(1)
  })
})
