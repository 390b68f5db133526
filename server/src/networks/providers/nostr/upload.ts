import Type, { type Static } from 'typebox'
import { isWebAddress, readBody, retryAfterMs } from '../shared/answers.ts'
import type { UploadVerdict, UploadWork } from '../port/port.ts'
import { call, digest, type Steps } from '../port/procedure.ts'
import { AWAY, rateLimited, rejected } from '../port/verdicts.ts'
import { keyOf, nostrAuthorization } from './authorization.ts'
import { refusedBySigner } from './signer.ts'

/** https://github.com/hzrd149/blossom/blob/master/buds/02.md#blob-descriptor */
const Descriptor = Type.Object({
  url: Type.String({ minLength: 1, maxLength: 2_000, pattern: '^\\S+$' }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
})

/** What a note needs of a file that was uploaded. */
export const Uploaded = Type.Object({ url: Type.String(), sha256: Type.String(), type: Type.String() })
export type Uploaded = Static<typeof Uploaded>

/** Gives the account's media server a file, which it keeps under its digest: once more is no other file. */
export function* upload({ authorization, file }: UploadWork): Steps<UploadVerdict> {
  const account = nostrAuthorization(authorization)
  const sha256 = yield* digest(file)
  const response = yield* call({
    method: 'PUT',
    url: new URL('/upload', account.mediaServer),
    headers: { 'x-sha-256': sha256 },
    authorization: keyOf(account),
    file,
  })
  const { status, headers } = response
  // No file was sent: the signer did not sign that it may be.
  if (status === 101) return yield* refusedBySigner(response, account)
  const stored = readBody(response, Descriptor, 200, 201)
  if (stored !== null && isWebAddress(stored.url)) {
    if (stored.sha256 !== sha256)
      return rejected(
        'media_refused',
        'The media server changes files. Enter another one, and reconnect the channel.',
      )
    const details: Uploaded = { url: stored.url, sha256, type: file.contentType }
    return { is: 'uploaded', media: { remoteId: sha256, details } }
  }
  if (status === 429) return rateLimited(retryAfterMs(headers))
  if (status === 402) return rejected('media_refused', 'The media server requires payment for this file.')
  if (status === 413) return rejected('media_refused', 'The file is larger than the media server allows.')
  if (status === 415) return rejected('media_refused', 'The media server does not accept files of this type.')
  // By its own word: a page of a proxy has none.
  if ((status === 401 || status === 403) && headers['x-reason'] !== undefined) {
    return rejected(
      'media_refused',
      'The media server does not accept files of this account. Enter another server, and reconnect the channel.',
    )
  }
  return AWAY
}
