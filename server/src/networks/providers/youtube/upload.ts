import Type from 'typebox'
import { Check } from 'typebox/value'
import { readBody } from '../shared/answers.ts'
import type { HttpRequest, HttpResponse } from '../port/calls.ts'
import { pieceOf } from '../shared/piece-of.ts'
import type { Origins, Refusal, UploadVerdict, UploadWork } from '../port/port.ts'
import { call, wait, type Procedure, type Steps } from '../port/procedure.ts'
import { bearer, get, withQuery } from '../shared/requests.ts'
import { AWAY, MEDIA_GONE, rejected } from '../port/verdicts.ts'
import { isNoCall, reasonOf, refusalOf } from './answers.ts'
import { youtubeAuthorization, type YoutubeAuthorization } from './authorization.ts'

/*
 * A video is uploaded as a private one, which nobody else sees; the publish call is what shows it. So a call that gets no
 * answer can be looked up by the id of the video, and the worst that is left is a private video.
 */

export const VIDEO_ID = '^[A-Za-z0-9_-]{11}$'
const Video = Type.Object({ id: Type.String({ pattern: VIDEO_ID }) })
/** https://developers.google.com/youtube/v3/docs/videos#status.uploadStatus */
const Videos = Type.Object({
  items: Type.Array(
    Type.Object({
      id: Type.String({ pattern: VIDEO_ID }),
      status: Type.Object({
        uploadStatus: Type.String(),
        rejectionReason: Type.Optional(Type.String()),
      }),
    }),
  ),
})
const Thumbnail = Type.Object({ items: Type.Array(Type.Object({}), { minItems: 1 }) })

/** The upload's own address, which takes bytes with the account's access token alone; then the video. */
const Session = Type.Object({ session: Type.String({ minLength: 1 }) })
export const Processing = Type.Object({
  videoId: Type.String({ pattern: VIDEO_ID }),
  looks: Type.Integer({ minimum: 0 }),
})

/** Pieces are multiples of 256 KiB (https://developers.google.com/youtube/v3/guides/using_resumable_upload_protocol). */
const PIECE_BYTES = 16 * 256 * 1024
const POLL_MS = 15_000
/** A long video is processed for hours: it is published before, and shown in full when YouTube is done. */
const MAX_LOOKS = 20
/** Until the publish call gives the video its own. */
export const WORKING_TITLE = 'Upload in progress'

export function uploadAt({ api }: Origins): Procedure<UploadWork, UploadVerdict> {
  return function* upload(work) {
    const authorization = youtubeAuthorization(work.authorization)
    if (work.kind === 'image') return yield* setThumbnail(api, authorization, work)
    let { checkpoint } = work
    if (!Check(Session, checkpoint) && !Check(Processing, checkpoint)) {
      const begun = yield* begin(api, authorization, work)
      if ('is' in begun) return begun
      checkpoint = begun
      // From here on it resumes in this session, also after a crash.
      yield* wait(0, checkpoint)
    }
    if (Check(Session, checkpoint)) {
      const sent = yield* send(api, authorization, work, checkpoint.session)
      if ('is' in sent) return sent
      checkpoint = { videoId: sent.id, looks: 0 }
      // The video is noted before it is asked about: where the access ends now, it can still be removed.
      yield* wait(0, checkpoint)
    }
    return Check(Processing, checkpoint) ? yield* awaitProcessing(api, authorization, checkpoint) : AWAY
  }
}

/** Begins a session. What is lost of it before it is noted has no bytes, and leaves nothing. */
function* begin(
  api: string,
  authorization: YoutubeAuthorization,
  { file }: UploadWork,
): Steps<{ session: string } | Refusal> {
  const query = { uploadType: 'resumable', part: 'snippet,status' }
  const response = yield* call({
    method: 'POST',
    url: withQuery(new URL('/upload/youtube/v3/videos', api), query),
    authorization: bearer(authorization),
    headers: {
      'x-upload-content-length': String(file.size),
      'x-upload-content-type': file.contentType,
    },
    json: {
      snippet: { title: WORKING_TITLE, categoryId: '22' },
      status: { privacyStatus: 'private' },
    },
  })
  const { location } = response.headers
  if (response.status === 200 && location !== undefined && isOurs(location, api)) return { session: location }
  return refused(response)
}

/** Bytes and the token go to no other host. */
function isOurs(location: string, api: string): boolean {
  const url = URL.parse(location)
  return url?.origin === api || (url?.protocol === 'https:' && url.hostname.endsWith('.googleapis.com'))
}

/** Asks how much of the file is there, and sends what is missing. */
function* send(
  api: string,
  authorization: YoutubeAuthorization,
  { file }: UploadWork,
  session: string,
): Steps<{ id: string } | Refusal> {
  if (!isOurs(session, api)) return AWAY
  const put = (range: string, body: Pick<HttpRequest, 'file'> = {}): HttpRequest => ({
    method: 'PUT',
    url: new URL(session),
    authorization: bearer(authorization),
    headers: { 'content-range': range },
    ...body,
  })
  let answered = yield* call(put(`bytes */${file.size}`))
  for (let from = -1; ;) {
    const video = readBody(answered, Video, 200, 201)
    if (video !== null) return video
    // The session is over, and with it what it had of the file (guide, "Step 4.2").
    if (!isNoCall(answered) && (answered.status === 404 || answered.status === 410)) return MEDIA_GONE
    if (answered.status !== 308) return refused(answered)
    const next = receivedBy(answered)
    // Without progress it is not sent for ever.
    if (next === null || next <= from || next >= file.size) return AWAY
    from = next
    const to = Math.min(from + PIECE_BYTES, file.size)
    answered = yield* call(put(`bytes ${from}-${to - 1}/${file.size}`, { file: pieceOf(file, from, to) }))
  }
}

/** How many bytes the answer says are there: `Range: bytes=0-999999`; none where it has no range. */
function receivedBy({ headers: { range } }: HttpResponse): number | null {
  if (range === undefined) return 0
  const last = /^bytes=0-(\d{1,15})$/.exec(range)?.[1]
  return last === undefined ? null : Number(last) + 1
}

function* awaitProcessing(
  api: string,
  authorization: YoutubeAuthorization,
  { videoId, looks }: { videoId: string; looks: number },
): Steps<UploadVerdict> {
  for (let look = looks; ; look++) {
    const query = { part: 'status', id: videoId }
    const shown = yield* call(
      get(withQuery(new URL('/youtube/v3/videos', api), query), bearer(authorization)),
    )
    const body = readBody(shown, Videos)
    if (body === null) return refused(shown)
    const video = body.items.find(({ id }) => id === videoId)
    if (video === undefined) return MEDIA_GONE
    const { uploadStatus, rejectionReason } = video.status
    if (uploadStatus === 'rejected') {
      return rejectionReason === 'duplicate'
        ? rejected('duplicate_refused', 'YouTube already has this video on the channel.')
        : rejected('media_refused', 'YouTube has rejected this video. YouTube Studio says why.')
    }
    if (uploadStatus === 'failed') return rejected('media_refused', 'YouTube could not process this video.')
    if (uploadStatus === 'deleted') return MEDIA_GONE
    const ready = uploadStatus === 'processed' || (uploadStatus === 'uploaded' && look >= MAX_LOOKS)
    if (ready) return { is: 'uploaded', media: { remoteId: videoId } }
    if (uploadStatus !== 'uploaded') return AWAY
    yield* wait(POLL_MS, { videoId, looks: look + 1 })
  }
}

/** https://developers.google.com/youtube/v3/docs/thumbnails/set: of the video before it; again, it is the same one. */
function* setThumbnail(
  api: string,
  authorization: YoutubeAuthorization,
  { file, before }: UploadWork,
): Steps<UploadVerdict> {
  const video = before.find(({ kind }) => kind === 'video')
  if (video === undefined)
    return rejected('media_refused', 'An image can be a thumbnail only if a video comes before it.')
  const query = { videoId: video.remoteId, uploadType: 'media' }
  const url = withQuery(new URL('/upload/youtube/v3/thumbnails/set', api), query)
  const set = yield* call({ method: 'POST', url, authorization: bearer(authorization), file })
  if (readBody(set, Thumbnail) !== null) {
    return { is: 'uploaded', media: { remoteId: `thumbnail of ${video.remoteId}` } }
  }
  if (set.status === 403 && reasonOf(set) === 'forbidden') {
    return rejected(
      'media_refused',
      "YouTube doesn't let this channel set thumbnails. Verify the channel's phone number on YouTube, or leave the image out.",
    )
  }
  return reasonOf(set) === 'videoNotFound' ? MEDIA_GONE : refused(set)
}

function refused(response: HttpResponse): Refusal {
  const refusal = refusalOf(response)
  if (refusal !== null) return refusal
  const invalid = reasonOf(response) !== null && [400, 403, 413, 415].includes(response.status)
  return invalid ? rejected('media_refused', 'YouTube does not accept this file.') : AWAY
}
