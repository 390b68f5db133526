import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { bytesOf, formOf, openHttpDouble, Refusal, type Answered, type HttpDouble } from './http-double.ts'
import { youtubeCalls } from './youtube-calls.ts'
import { youtubeValues } from './youtube-values.ts'

/*
 * YouTube as its documentation describes it (https://developers.google.com/youtube/v3/docs,
 * https://developers.google.com/youtube/v3/guides/using_resumable_upload_protocol,
 * https://developers.google.com/identity/protocols/oauth2/web-server): OAuth of a web application, the channel, resumable
 * uploads, videos, thumbnails and playlists. It refuses whatever is not in the table of its calls.
 */

export type YoutubeDouble = HttpDouble & {
  readonly channel: { id: string; title: string; handle: string }
  /** All that was uploaded whole, shown or not. */
  readonly videos: YoutubeVideo[]
  /** What becomes of the next calls that change a video, in this order. */
  readonly orders: YoutubeOrder[]
  /** What becomes of the next pieces of files, in this order. */
  readonly pieceOrders: PieceOrder[]
  /** How many such calls there were, how many sessions were begun, and how many bytes came. */
  readonly counts: { updates: number; sessions: number; bytes: number }
  /** How often a video is looked at until it is processed. */
  looksUntilReady: number
  /** Where sessions are, as the double names them: its own address unless something stands before it. */
  uploadsAt: string
  readonly playlists: Map<string, string[]>
  readonly allow: (address: URL, scope?: string) => URLSearchParams
  readonly expireAccess: () => void
  readonly revoke: () => void
  /** Sessions that were begun so far are over. */
  readonly endSessions: () => void
}

/** `500 after storing`: it is as it was asked to be, and the answer does not say so. */
export type YoutubeOrder = 'none' | 'quota' | 'rate limit' | '500 after storing' | '503' | 'kept private'
/** `half`: half of the piece arrives. `500 after storing`: the whole piece does, and the answer does not say so. */
export type PieceOrder = 'none' | 'half' | '500 after storing' | '503'

export type YoutubeVideo = {
  readonly id: string
  readonly bytes: Buffer
  title: string
  description: string
  privacy: string
  looks: number
  thumbnail: Buffer | null
  /** The parts as they were set last. */
  set: Readonly<Record<string, unknown>>
}
type Session = {
  readonly type: string
  readonly size: number
  received: Buffer
  video: string | null
  body: Body
}
type Grant = { readonly scope: string; readonly refresh: string; access: string; accessOver: boolean }
type Body = Readonly<Record<string, unknown>>

export const YOUTUBE_APP = { clientId: 'app-of-the-tests', clientSecret: 'secret-of-the-app' }
const SCOPE = 'https://www.googleapis.com/auth/youtube'

function refusal(status: number, reason: string): Refusal {
  const errors = [{ message: reason, domain: 'youtube.api', reason }]
  return new Refusal(
    status,
    { error: { code: status, message: reason, errors } },
    { date: new Date().toUTCString() },
  )
}
const oauthError = (status: number, error: string) =>
  new Refusal(status, { error, error_description: 'Bad Request' })
const ok = (body: unknown, status = 200, headers = {}): Answered => ({ status, body, headers })

/** Starts one of a test's own: `await using network = await openYoutubeDouble()`. */
export async function openYoutubeDouble(): Promise<YoutubeDouble> {
  const videos: YoutubeVideo[] = []
  const orders: YoutubeOrder[] = []
  const pieceOrders: PieceOrder[] = []
  const sessions = new Map<string, Session>()
  const codes = new Map<string, { challenge: string; redirectUri: string; scope: string }>()
  const grants: Grant[] = []
  const playlists = new Map<string, string[]>([['PL-roasting', []]])
  const channel = { id: 'UC1234567890abcdefghij', title: 'Ada roasts', handle: 'ada' }
  const counts = { updates: 0, sessions: 0, bytes: 0 }
  let ids = 0
  const newId = () => `vid${String(++ids).padStart(8, '0')}`
  const server = await openHttpDouble(handle, youtubeCalls, youtubeValues)

  async function handle(request: IncomingMessage, address: URL): Promise<Answered> {
    const route = `${request.method} ${address.pathname}`
    const query = address.searchParams
    if (route === 'POST /token') return ok(exchange(request, await formOf(request)))
    if (route === 'GET /tokeninfo') return ok(inform(query.get('access_token')))
    const grant = grants.find(({ access }) => request.headers.authorization === `Bearer ${access}`)
    if (grant === undefined || grant.accessOver) throw refusal(401, 'authError')
    if (!grant.scope.split(' ').includes(SCOPE)) throw refusal(403, 'insufficientPermissions')
    switch (route) {
      case 'GET /youtube/v3/channels':
        return ok({
          kind: 'youtube#channelListResponse',
          pageInfo: { totalResults: 1 },
          items: [channelView()],
        })
      case 'POST /upload/youtube/v3/videos':
        return begin(request, await jsonOf(request))
      case 'PUT /upload/youtube/v3/videos':
        return receive(request, query, await bytesOf(request))
      case 'POST /upload/youtube/v3/thumbnails/set':
        return setThumbnail(request, query, await bytesOf(request))
      case 'GET /youtube/v3/videos':
        return list(query)
      case 'PUT /youtube/v3/videos':
        return update(query, await jsonOf(request))
      case 'DELETE /youtube/v3/videos':
        videos.splice(videos.indexOf(videoNamed(query.get('id'))), 1)
        return { status: 204 }
      case 'GET /youtube/v3/playlistItems':
        return listPlaylist(query)
      case 'POST /youtube/v3/playlistItems':
        return addToPlaylist(await jsonOf(request))
      default:
        throw refusal(404, 'notFound')
    }
  }

  const channelView = () => ({
    kind: 'youtube#channel',
    id: channel.id,
    snippet: {
      title: channel.title,
      customUrl: `@${channel.handle}`,
      thumbnails: { default: { url: 'https://yt3.example/a.jpg' } },
    },
  })

  /* ---- OAuth ---- */

  function allow(address: URL, scope = address.searchParams.get('scope') ?? ''): URLSearchParams {
    const query = Object.fromEntries(address.searchParams)
    const {
      client_id: clientId,
      response_type: type,
      access_type: access,
      code_challenge_method: method,
    } = query
    if (clientId !== YOUTUBE_APP.clientId || type !== 'code' || method !== 'S256' || access !== 'offline') {
      throw new Error('Google shows an error')
    }
    const { state = '', code_challenge: challenge = '', redirect_uri: redirectUri = '' } = query
    const code = `4/${newId()}`
    codes.set(code, { challenge, redirectUri, scope })
    return new URLSearchParams({ state, code, scope })
  }

  function inform(token: string | null) {
    const grant = grants.find(({ access, accessOver }) => access === token && !accessOver)
    if (grant === undefined) throw oauthError(400, 'invalid_token')
    return { aud: YOUTUBE_APP.clientId, scope: grant.scope, expires_in: '3599', access_type: 'offline' }
  }

  function exchange({ headers }: IncomingMessage, form: FormData) {
    const expected = Buffer.from(`${YOUTUBE_APP.clientId}:${YOUTUBE_APP.clientSecret}`).toString('base64')
    if (headers.authorization !== `Basic ${expected}`) throw oauthError(401, 'invalid_client')
    const field = (name: string) => {
      const value = form.get(name)
      return typeof value === 'string' ? value : ''
    }
    if (field('grant_type') === 'refresh_token') {
      const grant = grants.find(({ refresh }) => refresh === field('refresh_token'))
      if (grant === undefined) throw oauthError(400, 'invalid_grant')
      Object.assign(grant, { access: `ya29.${newId()}`, accessOver: false })
      // A refresh gives no other refresh token.
      return { access_token: grant.access, expires_in: 3_599, scope: grant.scope, token_type: 'Bearer' }
    }
    const known = codes.get(field('code'))
    codes.delete(field('code'))
    const challenge = createHash('sha256').update(field('code_verifier')).digest('base64url')
    if (known === undefined || known.challenge !== challenge || known.redirectUri !== field('redirect_uri')) {
      throw oauthError(400, 'invalid_grant')
    }
    const grant: Grant = {
      scope: known.scope,
      refresh: `1//${newId()}`,
      access: `ya29.${newId()}`,
      accessOver: false,
    }
    grants.push(grant)
    return {
      access_token: grant.access,
      refresh_token: grant.refresh,
      expires_in: 3_599,
      scope: grant.scope,
      token_type: 'Bearer',
    }
  }

  /* ---- uploads ---- */

  function begin({ headers }: IncomingMessage, body: Body): Answered {
    const size = Number(headers['x-upload-content-length'])
    const type = String(headers['x-upload-content-type'])
    const { privacyStatus } = body['status'] as { privacyStatus: string }
    if (!(size > 0)) throw refusal(400, 'invalidVideoMetadata')
    if (privacyStatus !== 'private') throw new Error('a video was uploaded that others can see')
    counts.sessions += 1
    const id = `session${newId()}`
    sessions.set(id, { type, size, received: Buffer.alloc(0), video: null, body })
    const location = `${double.uploadsAt}/upload/youtube/v3/videos?uploadType=resumable&upload_id=${id}`
    return { status: 200, headers: { location } }
  }

  function receive({ headers }: IncomingMessage, query: URLSearchParams, bytes: Buffer): Answered {
    const session = sessions.get(query.get('upload_id') ?? '')
    if (session === undefined)
      return { status: 404, body: 'Not Found', headers: { 'content-type': 'text/html' } }
    const range = String(headers['content-range'])
    const [, from, to, size] = /^bytes (?:\*|(\d+)-(\d+))\/(\d+)$/.exec(range) ?? []
    if (size !== String(session.size)) throw refusal(400, 'invalidContentRange')
    if (from === undefined) {
      if (bytes.length > 0) throw refusal(400, 'badContent')
      return progressOf(session)
    }
    const order = pieceOrders.shift()
    if (order === '503') return { status: 503, body: 'Service Unavailable' }
    const isLast = Number(to) + 1 === session.size
    if (!isLast && bytes.length % (256 * 1024) !== 0) throw refusal(400, 'badContent')
    if (Number(from) !== session.received.length || bytes.length !== Number(to) - Number(from) + 1) {
      throw refusal(400, 'invalidContentRange')
    }
    const taken = order === 'half' ? bytes.subarray(0, Math.floor(bytes.length / 2)) : bytes
    counts.bytes += taken.length
    session.received = Buffer.concat([session.received, taken])
    if (session.received.length === session.size) finish(session)
    if (order === '500 after storing') return { status: 500, body: 'Internal Error' }
    return progressOf(session)
  }

  function progressOf({ video, received }: Session): Answered {
    if (video !== null) return ok({ kind: 'youtube#video', id: video }, 201)
    const headers = received.length === 0 ? {} : { range: `bytes=0-${received.length - 1}` }
    return { status: 308, headers }
  }

  function finish(session: Session): void {
    session.video = newId()
    const { title } = session.body['snippet'] as { title: string }
    videos.push({
      id: session.video,
      bytes: session.received,
      title,
      description: '',
      privacy: 'private',
      looks: 0,
      thumbnail: null,
      set: session.body,
    })
  }

  function setThumbnail({ headers }: IncomingMessage, query: URLSearchParams, bytes: Buffer): Answered {
    if (!['image/jpeg', 'image/png'].includes(String(headers['content-type']))) {
      throw refusal(400, 'invalidImage')
    }
    videoNamed(query.get('videoId')).thumbnail = bytes
    return ok({ kind: 'youtube#thumbnailSetResponse', items: [{ default: {} }] })
  }

  /* ---- videos ---- */

  function videoNamed(id: unknown): YoutubeVideo {
    const video = videos.find((one) => one.id === id)
    if (video === undefined) throw refusal(404, 'videoNotFound')
    return video
  }

  function view(video: YoutubeVideo) {
    const ready = video.looks >= double.looksUntilReady
    return {
      kind: 'youtube#video',
      id: video.id,
      snippet: { title: video.title, description: video.description, channelId: channel.id },
      status: { privacyStatus: video.privacy, uploadStatus: ready ? 'processed' : 'uploaded' },
    }
  }

  function list(query: URLSearchParams): Answered {
    const found = videos.filter(({ id }) => id === query.get('id'))
    for (const video of found) video.looks += 1
    return ok({ kind: 'youtube#videoListResponse', items: found.map(view) })
  }

  function update(query: URLSearchParams, body: Body): Answered {
    counts.updates += 1
    const order = orders.shift()
    if (order === '503') return { status: 503, body: 'Service Unavailable' }
    if (order === 'quota') throw refusal(403, 'quotaExceeded')
    if (order === 'rate limit') throw refusal(403, 'rateLimitExceeded')
    const { id, snippet, status } = body as {
      id: string
      snippet: { title: string; description: string }
      status: { privacyStatus: string }
    }
    // What is not named is not changed.
    if (query.get('part') !== 'snippet,status') throw refusal(400, 'invalidVideoMetadata')
    const video = videoNamed(id)
    const { title, description } = snippet
    if (title === '' || /[<>]/.test(title)) throw refusal(400, 'invalidTitle')
    if (/[<>]/.test(description)) throw refusal(400, 'invalidDescription')
    const { privacyStatus } = status
    Object.assign(video, { title, description, set: body })
    video.privacy = order === 'kept private' ? 'private' : privacyStatus
    if (order === '500 after storing') throw refusal(500, 'backendError')
    return ok(view(video))
  }

  /* ---- playlists ---- */

  function playlistNamed(id: unknown): string[] {
    const playlist = playlists.get(String(id))
    if (playlist === undefined) throw refusal(404, 'playlistNotFound')
    return playlist
  }

  function listPlaylist(query: URLSearchParams): Answered {
    const found = playlistNamed(query.get('playlistId')).filter((id) => id === query.get('videoId'))
    return ok({ kind: 'youtube#playlistItemListResponse', items: found.map((id) => ({ id: `item-${id}` })) })
  }

  function addToPlaylist({ snippet }: Body): Answered {
    const { playlistId, resourceId } = snippet as { playlistId: string; resourceId: { videoId: string } }
    playlistNamed(playlistId).push(videoNamed(resourceId.videoId).id)
    return ok({ kind: 'youtube#playlistItem', id: `item-${resourceId.videoId}` })
  }

  const double: YoutubeDouble = {
    ...server,
    channel,
    videos,
    orders,
    pieceOrders,
    counts,
    looksUntilReady: 1,
    uploadsAt: server.url,
    playlists,
    allow,
    expireAccess: () => grants.forEach((grant) => void (grant.accessOver = true)),
    revoke: () => void grants.splice(0),
    endSessions: () => sessions.clear(),
  }
  return double
}

async function jsonOf(request: IncomingMessage): Promise<Body> {
  return JSON.parse((await bytesOf(request)).toString()) as Body
}
