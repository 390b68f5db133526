import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import { jsonOf, readBody } from '../shared/answers.ts'
import { uploadBoundary } from '../shared/multipart.ts'
import { pieceOf } from '../shared/piece-of.ts'
import type { FileToSend, HttpRequest, HttpResponse } from '../port/calls.ts'
import type { Origins, Refusal, UploadVerdict, UploadWork } from '../port/port.ts'
import { call, wait, type Procedure, type Steps } from '../port/procedure.ts'
import { bearer, get, withQuery } from '../shared/requests.ts'
import { AWAY, rejected } from '../port/verdicts.ts'
import { problemOf, refusalOf } from './answers.ts'
import { xAuthorization } from './authorization.ts'

const MediaId = Type.String({ pattern: '^[0-9]{1,19}$' })
const Uploaded = Type.Object({ id: MediaId, mediaKey: Type.String({ minLength: 1 }) })
type Uploaded = Static<typeof Uploaded>

const Begun = Type.Object({
  data: Type.Object({ id: MediaId, media_key: Type.String({ minLength: 1 }) }),
})
const Processed = Type.Object({
  data: Type.Object({
    processing_info: Type.Optional(
      Type.Object({ state: Type.String(), check_after_secs: Type.Optional(Type.Number({ minimum: 0 })) }),
    ),
  }),
})

/** A piece may have 5 MB, and there may be a thousand of them. */
const PIECE_BYTES = 4 * 1024 * 1024
const MAX_POLL_MS = 30_000
const DEFAULT_POLL_MS = 2_000

/** https://docs.x.com/x-api/media/quickstart/media-upload-chunked: initialise, append, finalise, wait; then the alt text. */
export function uploadAt({ api }: Origins): Procedure<UploadWork, UploadVerdict> {
  return function* upload(work) {
    const authorization = xAuthorization(work.authorization)
    const post = (path: string, body: Pick<HttpRequest, 'json' | 'multipart'> = {}): HttpRequest => ({
      method: 'POST',
      url: new URL(path, api),
      authorization: bearer(authorization),
      ...body,
    })

    let media: Uploaded
    let answered: HttpResponse
    // A later run begins when the wait before it is over.
    if (Check(Uploaded, work.checkpoint)) {
      media = work.checkpoint
      answered = yield* call(statusRequest(media.id))
    } else {
      const begun = yield* call(post('/2/media/upload/initialize', { json: initialisation(work) }))
      const body = readBody(begun, Begun)
      if (body === null) return refusedUpload(begun)
      media = { id: body.data.id, mediaKey: body.data.media_key }
      const refusal = yield* append(media.id)
      if (refusal !== null) return refusal
      answered = yield* call(post(`/2/media/upload/${media.id}/finalize`))
    }
    for (;;) {
      const body = readBody(answered, Processed)
      if (body === null) return refusedUpload(answered)
      const { state = 'succeeded', check_after_secs: seconds } = body.data.processing_info ?? {}
      if (state === 'failed') return rejected('media_refused', 'X could not process this file.')
      if (state === 'succeeded') break
      yield* wait(seconds === undefined ? DEFAULT_POLL_MS : Math.min(seconds * 1_000, MAX_POLL_MS), media)
      answered = yield* call(statusRequest(media.id))
    }
    return (yield* describe(media)) ?? uploaded(media)

    function statusRequest(id: string): HttpRequest {
      const query = { command: 'STATUS', media_id: id }
      return get(withQuery(new URL('/2/media/upload', api), query), bearer(authorization))
    }

    function* append(id: string): Steps<Refusal | null> {
      for (const [segment, file] of piecesOf(work.file).entries()) {
        const multipart = {
          boundary: uploadBoundary(authorization),
          parts: [
            { name: 'segment_index', value: String(segment) },
            { name: 'media', fileName: 'media', file },
          ],
        }
        const appended = yield* call(post(`/2/media/upload/${id}/append`, { multipart }))
        const done = appended.status === 204 || (appended.status === 200 && jsonOf(appended) !== undefined)
        if (!done) return refusedUpload(appended)
      }
      return null
    }

    /** X keeps alt texts of images alone. */
    function* describe({ id }: Uploaded): Steps<Refusal | null> {
      if (work.kind !== 'image' || work.altText === null || work.altText === '') return null
      const json = { id, metadata: { alt_text: { text: work.altText } } }
      const described = yield* call(post('/2/media/metadata', { json }))
      return described.status === 200 && jsonOf(described) !== undefined ? null : refusedUpload(described)
    }
  }
}

function initialisation({ kind, file }: UploadWork) {
  return {
    media_type: file.contentType,
    total_bytes: file.size,
    // Only an animation is sent as a GIF.
    media_category:
      kind === 'video' ? 'tweet_video' : file.contentType === 'image/gif' ? 'tweet_gif' : 'tweet_image',
  }
}

function refusedUpload(response: HttpResponse): Refusal {
  const refusal = refusalOf(response)
  if (refusal !== null) return refusal
  const isProblem = problemOf(response) !== null
  // Without the scope for media: https://github.com/makerprism/ocaml-social-sdk/pull/25 (2025-12-05).
  if (isProblem && response.status === 403) {
    return rejected(
      'permission_refused',
      'X does not let this app upload files for the account. Reconnect the channel and allow everything.',
    )
  }
  return isProblem && [400, 413, 422].includes(response.status)
    ? rejected('media_refused', 'X does not accept this file or its alt text.')
    : AWAY
}

function uploaded({ id, mediaKey }: Uploaded): UploadVerdict {
  return { is: 'uploaded', media: { remoteId: id, details: { mediaKey } } }
}

function piecesOf(file: FileToSend): FileToSend[] {
  return Array.from({ length: Math.ceil(file.size / PIECE_BYTES) }, (_, place) => {
    const start = place * PIECE_BYTES
    return pieceOf(file, start, Math.min(start + PIECE_BYTES, file.size))
  })
}
