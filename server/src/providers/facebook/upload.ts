import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import { readBody } from '../answers.ts'
import type { HttpRequest, HttpResponse } from '../calls.ts'
import { fileNameOf, uploadBoundary } from '../multipart.ts'
import { pieceOf } from '../piece-of.ts'
import type { Refusal, UploadVerdict, UploadWork } from '../port.ts'
import { call, wait, type Procedure, type Steps } from '../procedure.ts'
import { AWAY, rejected } from '../verdicts.ts'
import { facebookAuthorization, type FacebookAuthorization } from './authorization.ts'
import type { FacebookOrigins } from './origins.ts'
import { accessOf, faultOf, graphUrl, read, write } from '../meta-graph.ts'
import { isReelPicture } from './reel.ts'
import { refusalOf } from './refusals.ts'

/*
 * Nothing of an upload is public. A photo is unpublished and temporary: Facebook removes it where no post takes it. A video is
 * an unpublished one, which the publish call shows; a reel is an upload that the publish call finishes.
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
const Done = Type.Object({ success: Type.Literal(true) })
/** https://developers.facebook.com/docs/video-api/guides/reels-publishing */
const ReelBegun = Type.Object({ video_id: Id, upload_url: Type.String() })
/** https://developers.facebook.com/docs/graph-api/reference/video-status */
const Shown = Type.Object({ id: Id, status: Type.Object({ video_status: Type.String() }) })

export const Processing = Type.Object({ videoId: Id, looks: Type.Integer({ minimum: 0 }) })

const POLL_MS = 5_000
/** Longer than this a video is not waited for: Facebook goes on processing it while it is shown. */
const MAX_LOOKS = 60

/** What the publish call makes of an uploaded video. */
export const VideoDetails = Type.Object({ as: Type.Enum(['video', 'reel']) })

export function uploadAt(origins: FacebookOrigins): Procedure<UploadWork, UploadVerdict> {
  return function* upload(work) {
    const authorization = facebookAuthorization(work.authorization)
    const { checkpoint, kind, settings } = work
    if (Check(Processing, checkpoint)) return yield* awaitProcessing(origins, authorization, checkpoint)
    if (kind !== 'video') return yield* sendPhoto(origins, authorization, work)
    if (settings['reel'] === true) return yield* sendReel(origins, authorization, work)
    const sent = yield* sendVideo(origins, authorization, work)
    return 'is' in sent ? sent : yield* awaitProcessing(origins, authorization, sent)
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

function* sendVideo(
  { video: videos }: FacebookOrigins,
  authorization: FacebookAuthorization,
  { file }: UploadWork,
): Steps<Static<typeof Processing> | Refusal> {
  const path = `${authorization.pageId}/videos`
  const start = { upload_phase: 'start', file_size: String(file.size) }
  const begun = yield* call(write(videos, authorization, path, start))
  const session = readBody(begun, Begun)
  if (session === null) return refused(begun)
  const { video_id: videoId, upload_session_id: id } = session
  let [from, to] = [Number(session.start_offset), Number(session.end_offset)]
  while (from < to) {
    if (to > file.size) return AWAY
    const fields = { upload_phase: 'transfer', upload_session_id: id, start_offset: String(from) }
    const piece = pieceOf(file, from, to)
    const sent = yield* call(
      withFile(graphUrl(videos, path), authorization, fields, 'video_file_chunk', piece),
    )
    const next = readBody(sent, Next)
    if (next === null) return refused(sent)
    // Without progress it is not sent for ever.
    if (Number(next.start_offset) <= from) return AWAY
    from = Number(next.start_offset)
    to = Number(next.end_offset)
  }
  const finish = { upload_phase: 'finish', upload_session_id: id, published: 'false' }
  const finished = yield* call(write(videos, authorization, path, finish))
  return readBody(finished, Done) === null ? refused(finished) : { videoId, looks: 0 }
}

function* sendReel(
  { api }: FacebookOrigins,
  authorization: FacebookAuthorization,
  { file, width, height }: UploadWork,
): Steps<UploadVerdict> {
  if (!isReelPicture({ width, height })) {
    return rejected(
      'media_refused',
      'A reel on Facebook is an upright video (9:16) of at least 540 × 960 pixels.',
    )
  }
  const begun = yield* call(
    write(api, authorization, `${authorization.pageId}/video_reels`, { upload_phase: 'start' }),
  )
  const session = readBody(begun, ReelBegun)
  if (session === null) return refused(begun)
  const url = URL.parse(session.upload_url)
  // Bytes and the token go to no other host.
  if (url === null || !(url.origin === api || url.origin === 'https://rupload.facebook.com')) return AWAY
  const sent = yield* call({
    method: 'POST',
    url,
    file,
    authorization: { scheme: 'OAuth', credentials: authorization.accessToken },
    headers: { offset: '0', file_size: String(file.size) },
  })
  if (readBody(sent, Done) === null) return refused(sent)
  return { is: 'uploaded', media: { remoteId: session.video_id, details: { as: 'reel' } } }
}

function* awaitProcessing(
  { api }: FacebookOrigins,
  authorization: FacebookAuthorization,
  { videoId, looks }: Static<typeof Processing>,
): Steps<UploadVerdict> {
  for (let look = looks; ; look++) {
    const response = yield* call(read(api, authorization, videoId, { fields: 'id,status' }))
    const shown = readBody(response, Shown)
    if (shown === null || shown.id !== videoId) return refused(response)
    const { video_status: status } = shown.status
    if (status === 'error' || status === 'expired')
      return rejected('media_refused', 'Facebook could not process this video.')
    if (status === 'ready' || look >= MAX_LOOKS)
      return { is: 'uploaded', media: { remoteId: videoId, details: { as: 'video' } } }
    yield* wait(POLL_MS, { videoId, looks: look + 1 })
  }
}

function refused(response: HttpResponse): Refusal {
  const refusal = refusalOf(response)
  if (refusal !== null) return refusal
  const fault = faultOf(response)
  if (fault === null || fault.code === 1 || fault.code === 2) return AWAY
  return rejected('media_refused', 'Facebook does not accept this file.')
}
