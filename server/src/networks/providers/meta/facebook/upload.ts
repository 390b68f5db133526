import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import { readBody } from '../../shared/answers.ts'
import type { HttpRequest, HttpResponse } from '../../port/calls.ts'
import { fileNameOf, uploadBoundary } from '../../shared/multipart.ts'
import { pieceOf } from '../../shared/piece-of.ts'
import type { DraftName, Refusal, UploadVerdict, UploadWork } from '../../port/port.ts'
import { call, wait, type Procedure, type Steps } from '../../port/procedure.ts'
import { AWAY, MEDIA_GONE, notOffered, rejected } from '../../port/verdicts.ts'
import { facebookAuthorization, type FacebookAuthorization } from './authorization.ts'
import type { FacebookOrigins } from './origins.ts'
import { accessOf, faultOf, graphUrl, isMissing, isNoCall, read, write } from '../meta-graph.ts'
import { isReelPicture } from './reel.ts'
import { refusalOf } from './refusals.ts'

/*
 * Nothing of an upload is public. A photo is unpublished and temporary: Facebook removes it where no post takes it. A video is
 * an unpublished one, which the publish call shows; a reel is an upload that the publish call finishes. The id of both is kept before a
 * byte is sent, so that a run that was cut short is continued with the same video.
 */

const Id = Type.String({ pattern: '^[0-9]+$' })
const Made = Type.Object({ id: Id })
const Offset = Type.String({ pattern: '^[0-9]{1,15}$' })
/** https://developers.facebook.com/docs/graph-api/reference/page/videos: the file goes up in the pieces that are asked for. */
const Begun = Type.Object({
  video_id: Id,
  upload_session_id: Id,
  start_offset: Offset,
  end_offset: Offset,
})
const Next = Type.Object({ start_offset: Offset, end_offset: Offset })
/** What is to be sent instead, where a piece begins elsewhere (same page, codes 6001 and 1363037). */
const Elsewhere = Type.Object({
  error: Type.Object({
    error_subcode: Type.Literal(1_363_037),
    error_data: Type.Object({
      start_offset: Type.Integer({ minimum: 0 }),
      end_offset: Type.Integer({ minimum: 0 }),
    }),
  }),
})
const Done = Type.Object({ success: Type.Literal(true) })
/** https://developers.facebook.com/docs/video-api/guides/reels-publishing */
const ReelBegun = Type.Object({ video_id: Id, upload_url: Type.String() })
const Bytes = Type.Optional(Type.Integer({ minimum: 0 }))
/**
 * https://developers.facebook.com/docs/graph-api/reference/video-status. The guide of reels writes `bytes_transfered`, answers have been
 * seen with `bytes_transferred`.
 */
const Shown = Type.Object({
  id: Id,
  status: Type.Object({
    video_status: Type.String(),
    uploading_phase: Type.Optional(
      Type.Object({ status: Type.String(), bytes_transferred: Bytes, bytes_transfered: Bytes }),
    ),
  }),
})
type Shown = Static<typeof Shown>

/* What is kept of an upload: a video whose bytes go up in pieces, one whose bytes are there, and a reel. */
const VideoSession = Type.Object({
  videoId: Id,
  session: Id,
  from: Type.Integer({ minimum: 0 }),
  to: Type.Integer({ minimum: 0 }),
  /** Another session for the same file failed before. */
  again: Type.Optional(Type.Literal(true)),
})
const Processing = Type.Object({ videoId: Id, looks: Type.Integer({ minimum: 0 }) })
const ReelSession = Type.Object({ reelId: Id, url: Type.String() })

/** "Your video upload timed out before it could be completed": the session is over. */
const TIMED_OUT = 1_363_030
/** "There was a problem uploading your video file": of the session as well as of the file (https://developers.facebook.com/docs/video-api/reference/error-codes). */
const UPLOAD_FAILED: readonly number[] = [6_000, 6_001]
/** Too small, too large, and no video (same page): no other session changes that. */
const OF_FILE: readonly number[] = [1_363_022, 1_363_023, 1_363_031]
const POLL_MS = 5_000
/** Longer than this a video is not waited for: Facebook goes on processing it while it is shown. */
const MAX_LOOKS = 60

/** What the publish call makes of an uploaded video. */
export const VideoDetails = Type.Object({ as: Type.Enum(['video', 'reel']) })

/** The video or reel that an upload has begun. */
export function begunBy(checkpoint: UploadWork['checkpoint']): DraftName | null {
  if (Check(ReelSession, checkpoint)) return `reel:${checkpoint.reelId}`
  return Check(VideoSession, checkpoint) || Check(Processing, checkpoint)
    ? `video:${checkpoint.videoId}`
    : null
}

export function uploadAt(origins: FacebookOrigins): Procedure<UploadWork, UploadVerdict> {
  return function* upload(work) {
    const authorization = facebookAuthorization(work.authorization)
    const { kind, settings } = work
    if (kind !== 'video') return yield* sendPhoto(origins, authorization, work)
    return settings['reel'] === true
      ? yield* uploadReel(origins, authorization, work)
      : yield* uploadVideo(origins, authorization, work)
  }
}

function* sendPhoto(
  { api }: FacebookOrigins,
  authorization: FacebookAuthorization,
  { file, altText }: UploadWork,
): Steps<UploadVerdict> {
  const fields = {
    published: 'false',
    temporary: 'true',
    ...(altText === null || altText === '' ? {} : { alt_text_custom: altText }),
  }
  const response = yield* call(
    withFile(graphUrl(api, `${authorization.pageId}/photos`), authorization, fields, 'source', file),
  )
  const photo = readBody(response, Made)
  return photo === null ? refused(response) : { is: 'uploaded', media: { remoteId: photo.id } }
}

function withFile(
  url: URL,
  authorization: FacebookAuthorization,
  fields: Readonly<Record<string, string>>,
  name: string,
  file: UploadWork['file'],
): HttpRequest {
  const parts = Object.entries(fields).map(([field, value]) => ({ name: field, value }))
  return {
    method: 'POST',
    url,
    authorization: accessOf(authorization),
    multipart: {
      boundary: uploadBoundary(authorization),
      parts: [...parts, { name, fileName: fileNameOf(file, 0), file }],
    },
  }
}

function* uploadVideo(
  origins: FacebookOrigins,
  authorization: FacebookAuthorization,
  work: UploadWork,
): Steps<UploadVerdict> {
  const { checkpoint } = work
  if (Check(Processing, checkpoint)) return yield* awaitProcessing(origins, authorization, checkpoint)
  let session = Check(VideoSession, checkpoint) ? checkpoint : null
  if (session === null) {
    const begun = yield* beginVideo(origins, authorization, work)
    if ('is' in begun) return begun
    session = begun
    yield* wait(0, session)
  }
  for (;;) {
    const { videoId } = session
    const end = yield* sendVideo(origins, authorization, work, session)
    const isRefused = end === 'session failed' || end?.is === 'rejected'
    // A session that was finished before takes nothing: the video itself says whether it is there.
    if (end === null || (isRefused && (yield* isUploaded(origins, authorization, videoId)))) {
      return yield* awaitProcessing(origins, authorization, { videoId, looks: 0 })
    }
    if (end !== 'session failed') return end
    // What fails in two sessions is the file.
    if (session.again === true) return FILE_REFUSED
    const begun = yield* beginVideo(origins, authorization, work)
    if ('is' in begun) return begun
    session = { ...begun, again: true }
    yield* wait(0, session)
  }
}

function* beginVideo(
  { video: videos }: FacebookOrigins,
  authorization: FacebookAuthorization,
  { file }: UploadWork,
): Steps<Static<typeof VideoSession> | Refusal> {
  const start = { upload_phase: 'start', file_size: String(file.size) }
  const begun = yield* call(write(videos, authorization, `${authorization.pageId}/videos`, start))
  const body = readBody(begun, Begun)
  // Nothing is known of the file yet but its size, for which there are codes of their own.
  if (body === null) return isUploadFault(begun) ? AWAY : refused(begun)
  const { video_id: videoId, upload_session_id: session, start_offset: from, end_offset: to } = body
  return { videoId, session, from: Number(from), to: Number(to) }
}

/** Sends what Facebook asks for, and ends the session. Null: the whole file is there. Where the session failed, another one may do. */
function* sendVideo(
  { video: videos }: FacebookOrigins,
  authorization: FacebookAuthorization,
  { file }: UploadWork,
  { session, ...first }: Static<typeof VideoSession>,
): Steps<Refusal | 'session failed' | null> {
  const path = `${authorization.pageId}/videos`
  let { from, to } = first
  while (from < to) {
    if (to > file.size) return AWAY
    const fields = { upload_phase: 'transfer', upload_session_id: session, start_offset: String(from) }
    const sent = yield* call(
      withFile(graphUrl(videos, path), authorization, fields, 'video_file_chunk', pieceOf(file, from, to)),
    )
    const next = readBody(sent, Next) ?? readBody(sent, Elsewhere, 400)?.error.error_data
    if (next === undefined) return sessionEnd(sent)
    // Without progress it is not sent for ever.
    if (Number(next.start_offset) <= from) return AWAY
    from = Number(next.start_offset)
    to = Number(next.end_offset)
  }
  const finish = { upload_phase: 'finish', upload_session_id: session, published: 'false' }
  const finished = yield* call(write(videos, authorization, path, finish))
  return readBody(finished, Done) === null ? sessionEnd(finished) : null
}

function sessionEnd(response: HttpResponse): Refusal | 'session failed' {
  return isUploadFault(response) ? 'session failed' : refused(response)
}

/** Whether an upload failed that may succeed in another session: it is not the file that is refused, as far as is known. */
function isUploadFault(response: HttpResponse): boolean {
  const fault = faultOf(response)
  if (fault === null || refusalOf(response) !== null) return false
  const { code, error_subcode: subcode = 0, message } = fault
  // Meta's pages do not tell what a session that is not known any more is answered with.
  if (code === 100) return /upload.?session/i.test(message)
  return UPLOAD_FAILED.includes(code) && subcode !== TIMED_OUT && !OF_FILE.includes(subcode)
}

function* uploadReel(
  origins: FacebookOrigins,
  authorization: FacebookAuthorization,
  work: UploadWork,
): Steps<UploadVerdict> {
  const { checkpoint, width, height } = work
  if (!isReelPicture({ width, height })) {
    return rejected(
      'media_refused',
      'A reel on Facebook is an upright video (9:16) of at least 540 × 960 pixels.',
    )
  }
  let session = Check(ReelSession, checkpoint) ? checkpoint : null
  if (session === null) {
    const begun = yield* beginReel(origins, authorization)
    if ('is' in begun) return begun
    session = begun
    yield* wait(0, session)
  }
  return yield* sendReel(origins, authorization, work, session)
}

function* beginReel(
  { api }: FacebookOrigins,
  authorization: FacebookAuthorization,
): Steps<Static<typeof ReelSession> | Refusal> {
  const begun = yield* call(
    write(api, authorization, `${authorization.pageId}/video_reels`, { upload_phase: 'start' }),
  )
  const body = readBody(begun, ReelBegun)
  if (body === null) return refused(begun)
  return isOurs(body.upload_url, api) ? { reelId: body.video_id, url: body.upload_url } : AWAY
}

/** Bytes and the token go to no other host. */
function isOurs(address: string, api: string): boolean {
  const url = URL.parse(address)
  return url !== null && (url.origin === api || url.origin === 'https://rupload.facebook.com')
}

/** Asks how much of the file is there, and sends the rest (guide of reels, "Interrupted Upload"). */
function* sendReel(
  { api }: FacebookOrigins,
  authorization: FacebookAuthorization,
  { file }: UploadWork,
  { reelId, url }: Static<typeof ReelSession>,
): Steps<UploadVerdict> {
  const uploaded = { is: 'uploaded', media: { remoteId: reelId, details: { as: 'reel' } } } as const
  const response = yield* call(look(api, authorization, reelId))
  const shown = shownOf(response, reelId)
  if (shown === null) return isMissing(faultOf(response)) ? MEDIA_GONE : refused(response)
  if (isOver(shown)) return MEDIA_GONE
  const { status, bytes_transferred: bytes, bytes_transfered: spelled } = shown.uploading_phase ?? {}
  if (status === 'complete') return uploaded
  const from = status === 'in_progress' ? (bytes ?? spelled ?? 0) : 0
  if (from >= file.size || !isOurs(url, api)) return AWAY
  const sent = yield* call({
    method: 'POST',
    url: new URL(url),
    file: from === 0 ? file : pieceOf(file, from, file.size),
    authorization: { scheme: 'OAuth', credentials: authorization.accessToken },
    headers: { offset: String(from), file_size: String(file.size) },
  })
  return readBody(sent, Done) === null ? refused(sent) : uploaded
}

function look(api: string, authorization: FacebookAuthorization, videoId: string): HttpRequest {
  return read(api, authorization, videoId, { fields: 'id,status' })
}

function shownOf(response: HttpResponse, videoId: string): Shown['status'] | null {
  const shown = readBody(response, Shown)
  return shown === null || shown.id !== videoId ? null : shown.status
}

/** Whether nothing can come of it any more. */
function isOver({ video_status: status }: Shown['status']): boolean {
  return status === 'error' || status === 'expired'
}

function* isUploaded(
  { api }: FacebookOrigins,
  authorization: FacebookAuthorization,
  videoId: string,
): Steps<boolean> {
  const shown = shownOf(yield* call(look(api, authorization, videoId)), videoId)
  return shown?.uploading_phase?.status === 'complete' && !isOver(shown)
}

function* awaitProcessing(
  { api }: FacebookOrigins,
  authorization: FacebookAuthorization,
  { videoId, looks }: Static<typeof Processing>,
): Steps<UploadVerdict> {
  for (let taken = looks; ; taken++) {
    const response = yield* call(look(api, authorization, videoId))
    const shown = shownOf(response, videoId)
    if (shown === null) return refused(response)
    if (isOver(shown)) return rejected('media_refused', 'Facebook could not process this video.')
    if (shown.video_status === 'ready' || taken >= MAX_LOOKS)
      return { is: 'uploaded', media: { remoteId: videoId, details: { as: 'video' } } }
    yield* wait(POLL_MS, { videoId, looks: taken + 1 })
  }
}

function refused(response: HttpResponse): Refusal {
  const refusal = refusalOf(response)
  if (refusal !== null) return refusal
  const fault = faultOf(response)
  if (fault === null || fault.code === 1 || fault.code === 2) return AWAY
  if (fault.error_subcode === TIMED_OUT) return MEDIA_GONE
  return isNoCall(fault) ? notOffered('Facebook') : FILE_REFUSED
}

const FILE_REFUSED = rejected('media_refused', 'Facebook does not accept this file.')
