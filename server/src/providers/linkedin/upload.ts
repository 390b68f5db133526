import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import { jsonOf } from '../answers.ts'
import { pieceOf } from '../piece-of.ts'
import type { FileToSend, HttpResponse, Refusal, UploadVerdict, UploadWork } from '../port.ts'
import { call, wait, type Procedure, type Steps } from '../procedure.ts'
import { apiRequest, AWAY, errorOf, refusalOf, rejected } from './answers.ts'
import { bearer, linkedinGrant, type LinkedinGrant } from './grant.ts'
import type { LinkedinOrigins } from './linkedin.ts'

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
const Checkpoint = Type.Object({ urn: Type.String({ pattern: '^urn:li:(?:image|video):' }) })
type Checkpoint = Static<typeof Checkpoint>

const POLL_MS = 2_000

/** Makes a file known to LinkedIn, and waits until it is processed. */
export function uploadAt({ api }: LinkedinOrigins): Procedure<UploadWork, UploadVerdict> {
  return function* upload({ grant: stored, kind, file, checkpoint }) {
    const grant = linkedinGrant(stored)
    // A later run begins when the wait before it is over.
    if (Check(Checkpoint, checkpoint)) return yield* awaitProcessing(api, grant, checkpoint)
    const sent = yield* kind === 'video' ? sendVideo(api, grant, file) : sendImage(api, grant, file)
    return 'is' in sent ? sent : yield* awaitProcessing(api, grant, sent)
  }
}

/** An image that is at LinkedIn, and may still be processed there. */
export function* sendImage(api: string, grant: LinkedinGrant, file: FileToSend): Steps<Checkpoint | Refusal> {
  const begun = yield* call(
    apiRequest(api, grant, '/rest/images?action=initializeUpload', {
      method: 'POST',
      json: { initializeUploadRequest: { owner: grant.author } },
    }),
  )
  const body = jsonOf(begun)
  if (begun.status !== 200 || !Check(ImageBegun, body)) return refused(begun)
  const { uploadUrl, image: urn } = body.value
  const sent = yield* put(api, grant, uploadUrl, file)
  return 'is' in sent ? sent : { urn }
}

function* sendVideo(api: string, grant: LinkedinGrant, file: FileToSend): Steps<Checkpoint | Refusal> {
  const initializeUploadRequest = {
    ...{ owner: grant.author, fileSizeBytes: file.size, uploadCaptions: false, uploadThumbnail: false },
  }
  const begun = yield* call(
    apiRequest(api, grant, '/rest/videos?action=initializeUpload', {
      method: 'POST',
      json: { initializeUploadRequest },
    }),
  )
  const body = jsonOf(begun)
  if (begun.status !== 200 || !Check(VideoBegun, body)) return refused(begun)
  const { video, uploadToken, uploadInstructions } = body.value
  const uploadedPartIds: string[] = []
  for (const { uploadUrl, firstByte, lastByte } of uploadInstructions) {
    const sent = yield* put(api, grant, uploadUrl, pieceOf(file, firstByte, lastByte + 1))
    if ('is' in sent) return sent
    uploadedPartIds.push(sent.headers['etag'] ?? '')
  }
  const finalised = yield* call(
    apiRequest(api, grant, '/rest/videos?action=finalizeUpload', {
      method: 'POST',
      json: { finalizeUploadRequest: { video, uploadToken, uploadedPartIds } },
    }),
  )
  return finalised.status === 200 ? { urn: video } : refused(finalised)
}

/** Sends bytes to an address that LinkedIn gave; to no other host, since the token goes with them. */
function* put(
  api: string,
  grant: LinkedinGrant,
  address: string,
  file: FileToSend,
): Steps<HttpResponse | Refusal> {
  const url = URL.parse(address)
  const trusted =
    url?.origin === api || (url?.protocol === 'https:' && url.hostname.endsWith('.linkedin.com'))
  if (url === null || !trusted) return AWAY
  const sent = yield* call({ method: 'PUT', url, headers: {}, authorization: bearer(grant), file })
  return sent.status === 200 || sent.status === 201 ? sent : refused(sent)
}

function* awaitProcessing(api: string, grant: LinkedinGrant, { urn }: Checkpoint): Steps<UploadVerdict> {
  const collection = urn.startsWith('urn:li:video:') ? 'videos' : 'images'
  for (;;) {
    const shown = yield* call(apiRequest(api, grant, `/rest/${collection}/${encodeURIComponent(urn)}`))
    const body = jsonOf(shown)
    if (shown.status !== 200 || !Check(Shown, body)) return refused(shown)
    if (body.status === 'AVAILABLE') return { is: 'uploaded', media: { remoteId: urn } }
    if (body.status === 'PROCESSING_FAILED') {
      return rejected('media_refused', 'LinkedIn could not process this file.')
    }
    yield* wait(POLL_MS, { urn })
  }
}

function refused(response: HttpResponse): Refusal {
  const refusal = refusalOf(response)
  if (refusal !== null) return refusal
  const invalid = errorOf(response) !== null && [400, 413, 415, 422].includes(response.status)
  return invalid ? rejected('media_refused', 'LinkedIn does not take this file.') : AWAY
}
