import Type, { type Static } from 'typebox'
import { isWebAddress, readBody } from '../shared/answers.ts'
import { fileNameOf, uploadBoundary } from '../shared/multipart.ts'
import type { UploadVerdict, UploadWork } from '../port/port.ts'
import { call, type Steps } from '../port/procedure.ts'
import { AWAY, rejected } from '../port/verdicts.ts'
import { wordpressAuthorization } from './authorization.ts'
import { basic, errorOf, isInvalid, refusalOf, routeOf } from './rest-api.ts'

/** https://developer.wordpress.org/rest-api/reference/media/ */
const Item = Type.Object({ id: Type.Integer({ minimum: 1 }), source_url: Type.String({ minLength: 1 }) })

/** What a post needs of a file in the site's media library. */
export const Uploaded = Type.Object({ id: Type.Integer(), url: Type.String() })
export type Uploaded = Static<typeof Uploaded>

export function* upload({ authorization: stored, file, altText }: UploadWork): Steps<UploadVerdict> {
  const authorization = wordpressAuthorization(stored)
  const response = yield* call({
    method: 'POST',
    url: routeOf(authorization.root, 'wp/v2/media', { _fields: 'id,source_url' }),
    authorization: basic(authorization),
    multipart: {
      boundary: uploadBoundary({ accessToken: authorization.password }),
      parts: [
        ...(altText === null || altText === '' ? [] : [{ name: 'alt_text', value: altText }]),
        { name: 'file', fileName: fileNameOf(file, 0), file },
      ],
    },
  })
  const item = readBody(response, Item, 201)
  if (item !== null && isWebAddress(item.source_url)) {
    const details: Uploaded = { id: item.id, url: item.source_url }
    return { is: 'uploaded', media: { remoteId: String(item.id), details } }
  }
  if (response.status === 413) return rejected('media_refused', 'The file is larger than the site allows.')
  const refusal = refusalOf(response)
  if (refusal !== null) return refusal
  const code = errorOf(response)?.code ?? ''
  // A file that PHP does not take is answered with 500 (class-wp-rest-attachments-controller.php, upload_from_file).
  if (code.startsWith('rest_upload_') || isInvalid(response)) {
    return rejected('media_refused', 'The site does not accept this file: its type, or its size.')
  }
  return AWAY
}
