import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import { readBody } from '../shared/answers.ts'
import { pieceOf } from '../shared/piece-of.ts'
import type { FileToSend, HttpResponse } from '../port/calls.ts'
import type { Origins, Refusal, UploadVerdict, UploadWork } from '../port/port.ts'
import { call, wait, type Procedure, type Steps } from '../port/procedure.ts'
import { bearer } from '../shared/requests.ts'
import { AWAY, rejected } from '../port/verdicts.ts'
import { apiRequest, errorOf, refusalOf } from './answers.ts'
import { linkedinAuthorization, type LinkedinAuthorization } from './authorization.ts'

/** https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/images-api */
const ImageBegun = Type.Object({
  value: Type.Object({
    uploadUrl: Type.String(),
    image: Type.String({ pattern: '^urn:li:image:[A-Za-z0-9_-]+$' }),
  }),
})
/** https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/videos-api */
const VideoBegun = Type.Object({
  value: Type.Object({
    video: Type.String({ pattern: '^urn:li:video:[A-Za-z0-9_-]+$' }),
    uploadToken: Type.String(),
    uploadInstructions: Type.Array(
      Type.Object({
        uploadUrl: Type.String(),
        firstByte: Type.Integer({ minimum: 0 }),
        lastByte: Type.Integer({ minimum: 0 }),
      }),
      { minItems: 1 },
    ),
  }),
})
const Shown = Type.Object({ status: Type.String() })
const Checkpoint = Type.Object({
  urn: Type.String({ pattern: '^urn:li:(?:image|video):' }),
  /** In how many looks LinkedIn still waited for the file. */
  missed: Type.Optional(Type.Integer({ minimum: 0 })),
})
type Checkpoint = Static<typeof Checkpoint>

const POLL_MS = 2_000
/** What LinkedIn waits for in so many looks it never got: something else answered in its name. */
const MAX_MISSED = 5

/** Makes a file known to LinkedIn, and waits until it is processed. */
export function uploadAt({ api }: Origins): Procedure<UploadWork, UploadVerdict> {
  return function* upload({ authorization: stored, kind, file, checkpoint }) {
    const authorization = linkedinAuthorization(stored)
    // A later run begins when the wait before it is over.
    if (Check(Checkpoint, checkpoint)) return yield* awaitProcessing(api, authorization, checkpoint)
    const sent = yield* kind === 'video'
      ? sendVideo(api, authorization, file)
      : sendImage(api, authorization, file)
    return 'is' in sent ? sent : yield* awaitProcessing(api, authorization, sent)
  }
}

/** An image that is at LinkedIn, and may still be processed there. */
export function* sendImage(
  api: string,
  authorization: LinkedinAuthorization,
  file: FileToSend,
): Steps<Checkpoint | Refusal> {
  const initializeUploadRequest = { owner: authorization.author }
  const begun = yield* call(
    post(api, authorization, 'images?action=initializeUpload', { initializeUploadRequest }),
  )
  const body = readBody(begun, ImageBegun)
  if (body === null) return refused(begun, authorization)
  const { uploadUrl, image: urn } = body.value
  const sent = yield* put(api, authorization, uploadUrl, file)
  return 'is' in sent ? sent : { urn }
}

function* sendVideo(
  api: string,
  authorization: LinkedinAuthorization,
  file: FileToSend,
): Steps<Checkpoint | Refusal> {
  const initializeUploadRequest = {
    owner: authorization.author,
    fileSizeBytes: file.size,
    uploadCaptions: false,
    uploadThumbnail: false,
  }
  const begun = yield* call(
    post(api, authorization, 'videos?action=initializeUpload', { initializeUploadRequest }),
  )
  const body = readBody(begun, VideoBegun)
  if (body === null) return refused(begun, authorization)
  const { video, uploadToken, uploadInstructions } = body.value
  const uploadedPartIds: string[] = []
  for (const { uploadUrl, firstByte, lastByte } of uploadInstructions) {
    const sent = yield* put(api, authorization, uploadUrl, pieceOf(file, firstByte, lastByte + 1))
    if ('is' in sent) return sent
    const { etag: partId } = sent.headers
    // LinkedIn itself names each part; it would refuse a video with one that has no name.
    if (partId === undefined || partId === '') return AWAY
    uploadedPartIds.push(partId)
  }
  const finalizeUploadRequest = { video, uploadToken, uploadedPartIds }
  const finalised = yield* call(
    post(api, authorization, 'videos?action=finalizeUpload', { finalizeUploadRequest }),
  )
  return finalised.status === 200 ? { urn: video } : refused(finalised, authorization)
}

function post(api: string, authorization: LinkedinAuthorization, path: string, json: object) {
  return apiRequest(api, authorization, `/rest/${path}`, { method: 'POST', json })
}

/** Sends bytes to an address that LinkedIn gave; to no other host, since the token goes with them. */
function* put(
  api: string,
  authorization: LinkedinAuthorization,
  address: string,
  file: FileToSend,
): Steps<HttpResponse | Refusal> {
  const url = URL.parse(address)
  const trusted =
    url?.origin === api || (url?.protocol === 'https:' && url.hostname.endsWith('.linkedin.com'))
  if (url === null || !trusted) return AWAY
  const sent = yield* call({ method: 'PUT', url, authorization: bearer(authorization), file })
  return sent.status === 200 || sent.status === 201 ? sent : refused(sent, authorization)
}

function* awaitProcessing(
  api: string,
  authorization: LinkedinAuthorization,
  { urn, missed = 0 }: Checkpoint,
): Steps<UploadVerdict> {
  const collection = urn.startsWith('urn:li:video:') ? 'videos' : 'images'
  let misses = missed
  for (;;) {
    const shown = yield* call(
      apiRequest(api, authorization, `/rest/${collection}/${encodeURIComponent(urn)}`),
    )
    const body = readBody(shown, Shown)
    if (body === null) return refused(shown, authorization)
    if (body.status === 'AVAILABLE') return { is: 'uploaded', media: { remoteId: urn } }
    if (body.status === 'PROCESSING_FAILED') {
      return rejected('media_refused', 'LinkedIn could not process this file.')
    }
    misses = body.status === 'WAITING_UPLOAD' ? misses + 1 : 0
    if (misses === MAX_MISSED) return AWAY
    yield* wait(POLL_MS, { urn, missed: misses })
  }
}

function refused(response: HttpResponse, authorization: LinkedinAuthorization): Refusal {
  const refusal = refusalOf(response, authorization)
  if (refusal !== null) return refusal
  const invalid = errorOf(response) !== null && [400, 413, 415, 422].includes(response.status)
  return invalid ? rejected('media_refused', 'LinkedIn does not accept this file.') : AWAY
}
