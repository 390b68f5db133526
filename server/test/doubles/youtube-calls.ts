import Type from 'typebox'
import {
  type CallFault,
  type CallTable,
  digits,
  exact,
  filled,
  listOf,
  oneOf,
  text,
  webAddress,
} from './call-table.ts'
import type { Answered } from './http-double.ts'

/* The calls that we make at YouTube (https://developers.google.com/youtube/v3/docs), whose API refuses fields that it does not know. */

const READ = '2026-11'
const DOCS = 'https://developers.google.com/youtube/v3'
const SIGN_IN = `${DOCS}/guides/auth/server-side-web-apps`
const UPLOADS = `${DOCS}/guides/using_resumable_upload_protocol`

const id = Type.String({ pattern: '^[A-Za-z0-9_-]{11}$' })
const privacyStatus = oneOf('public', 'unlisted', 'private')
const part = (...parts: readonly string[]) => listOf(...parts)

/** Where the bytes of an upload go: the answer to its beginning names all of it. */
const session = {
  call: 'PUT www.googleapis.com/upload/youtube/v3/videos',
  query: exact({ uploadType: oneOf('resumable'), upload_id: filled }),
  source: UPLOADS,
  read: READ,
} as const

export const youtubeCalls: CallTable = {
  version: { segment: 'v3' },
  refusal,
  rows: [
    {
      call: 'POST www.googleapis.com/upload/youtube/v3/videos',
      query: exact({ uploadType: oneOf('resumable'), part: part('snippet', 'status') }),
      headers: Type.Object({
        'x-upload-content-length': digits,
        'x-upload-content-type': Type.String({ pattern: '^video/[\\w.-]+$' }),
      }),
      json: exact({
        snippet: exact({ title: filled, categoryId: digits }),
        status: exact({ privacyStatus }),
      }),
      source: `${DOCS}/docs/videos/insert`,
      read: READ,
    },
    { ...session, headers: Type.Object({ 'content-range': Type.String({ pattern: '^bytes \\*/[0-9]+$' }) }) },
    {
      ...session,
      headers: Type.Object({ 'content-range': Type.String({ pattern: '^bytes [0-9]+-[0-9]+/[0-9]+$' }) }),
      file: true,
    },
    {
      call: 'POST www.googleapis.com/upload/youtube/v3/thumbnails/set',
      query: exact({ videoId: id, uploadType: oneOf('media') }),
      file: true,
      source: `${DOCS}/docs/thumbnails/set`,
      read: READ,
    },
    {
      call: 'GET www.googleapis.com/youtube/v3/videos',
      query: exact({ part: part('snippet', 'status'), id }),
      source: `${DOCS}/docs/videos/list`,
      read: READ,
    },
    {
      call: 'PUT www.googleapis.com/youtube/v3/videos',
      query: exact({ part: part('snippet', 'status') }),
      json: exact({
        id,
        snippet: exact({
          title: text,
          description: text,
          categoryId: digits,
          tags: Type.Optional(Type.Array(text, { minItems: 1 })),
        }),
        status: exact({
          privacyStatus,
          selfDeclaredMadeForKids: Type.Boolean(),
          containsSyntheticMedia: Type.Boolean(),
        }),
      }),
      source: `${DOCS}/docs/videos/update`,
      read: READ,
    },
    {
      call: 'DELETE www.googleapis.com/youtube/v3/videos',
      query: exact({ id }),
      source: `${DOCS}/docs/videos/delete`,
      read: READ,
    },
    {
      call: 'GET www.googleapis.com/youtube/v3/playlistItems',
      query: exact({ part: part('id'), playlistId: filled, videoId: id }),
      source: `${DOCS}/docs/playlistItems/list`,
      read: READ,
    },
    {
      call: 'POST www.googleapis.com/youtube/v3/playlistItems',
      query: exact({ part: part('snippet') }),
      json: exact({
        snippet: exact({
          playlistId: filled,
          resourceId: exact({ kind: oneOf('youtube#video'), videoId: id }),
        }),
      }),
      source: `${DOCS}/docs/playlistItems/insert`,
      read: READ,
    },
    {
      call: 'GET www.googleapis.com/youtube/v3/channels',
      query: exact({ part: part('snippet'), mine: oneOf('true') }),
      source: `${DOCS}/docs/channels/list`,
      read: READ,
    },
    {
      call: 'POST oauth2.googleapis.com/token',
      form: exact({
        grant_type: Type.Literal('authorization_code'),
        code: filled,
        redirect_uri: webAddress,
        code_verifier: filled,
      }),
      source: SIGN_IN,
      read: READ,
    },
    {
      call: 'POST oauth2.googleapis.com/token',
      form: exact({ grant_type: Type.Literal('refresh_token'), refresh_token: filled }),
      source: SIGN_IN,
      read: READ,
    },
    {
      // In no reference of Google's, but in its own library.
      call: 'GET oauth2.googleapis.com/tokeninfo',
      query: exact({ access_token: filled }),
      source: 'https://github.com/googleapis/google-auth-library-nodejs',
      read: '2026-11-29',
    },
  ],
}

/** https://developers.google.com/youtube/v3/docs/core_errors, https://google.aip.dev/193 */
function refusal(fault: CallFault, path: string): Answered {
  const isOauth = path === '/token' || path === '/tokeninfo'
  switch (fault.is) {
    case 'path':
    case 'host':
    case 'version':
    case 'method':
      return error(404, 'notFound', 'Method not found.', 'NOT_FOUND')
    case 'body':
      return isOauth
        ? oauthError('grant_type')
        : error(400, 'parseError', 'Request contains an invalid argument.')
    case 'missing':
    case 'unknown':
    case 'type': {
      const { place, field } = fault
      if (isOauth) return oauthError(field[0] ?? '')
      const name = field.join('.')
      if (fault.is === 'unknown')
        return error(
          400,
          'badRequest',
          place === 'query'
            ? `Invalid JSON payload received. Unknown name "${name}": Cannot bind query parameter.`
            : `Invalid JSON payload received. Unknown name "${name}": Cannot find field.`,
        )
      return fault.is === 'missing'
        ? error(400, 'required', `Required parameter: ${name}`)
        : error(400, 'invalidParameter', `Invalid value for: ${name}`)
    }
    default:
      return fault satisfies never
  }
}

function error(code: number, reason: string, message: string, status = 'INVALID_ARGUMENT'): Answered {
  const errors = [{ message, domain: 'global', reason }]
  return { status: code, body: { error: { code, message, errors, status } } }
}

function oauthError(name: string): Answered {
  const words = `Missing required parameter: ${name}`
  return { status: 400, body: { error: 'invalid_request', error_description: words } }
}
