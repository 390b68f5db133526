import Type from 'typebox'
import {
  aFile,
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

/* The calls that we make at X (https://docs.x.com/x-api). Its API refuses fields that it does not know. */

/** X's own description of its API, version 2.167: it has each of these calls, with each of their fields. */
const API = { source: 'https://api.x.com/2/openapi.json', read: '2026-11-29' }
const READ = '2026-11'
const POSTS = 'https://docs.x.com/x-api/users/get-posts'
const TOKENS = 'https://docs.x.com/fundamentals/authentication/oauth-2-0/user-access-token'

/** Of a post, of an upload, of a community. */
const id = Type.String({ pattern: '^[0-9]{1,19}$' })

const list = {
  start_time: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$' }),
  max_results: digits,
  exclude: oneOf('replies', 'retweets'),
  pagination_token: Type.Optional(filled),
}

const shown = ['conversation_id', 'attachments', 'entities']

export const xCalls: CallTable = {
  version: { segment: '2' },
  refusal,
  rows: [
    {
      call: 'POST api.x.com/2/tweets',
      json: exact({
        text,
        media: Type.Optional(exact({ media_ids: Type.Array(id, { minItems: 1, maxItems: 4 }) })),
        reply: Type.Optional(exact({ in_reply_to_tweet_id: id })),
        reply_settings: Type.Optional(oneOf('following', 'mentionedUsers', 'subscribers', 'verified')),
        made_with_ai: Type.Optional(Type.Boolean()),
        paid_partnership: Type.Optional(Type.Boolean()),
        community_id: Type.Optional(id),
      }),
      ...API,
    },
    {
      call: 'POST api.x.com/2/media/upload/initialize',
      json: exact({
        media_type: oneOf('image/jpeg', 'image/png', 'image/webp', 'image/gif', 'video/mp4'),
        total_bytes: Type.Integer({ minimum: 1 }),
        media_category: oneOf('tweet_image', 'tweet_gif', 'tweet_video'),
      }),
      ...API,
    },
    {
      call: 'POST api.x.com/2/media/upload/{media}/append',
      multipart: exact({ segment_index: digits, media: aFile }),
      ...API,
    },
    {
      call: 'POST api.x.com/2/media/upload/{media}/finalize',
      ...API,
    },
    {
      call: 'GET api.x.com/2/media/upload',
      query: exact({ command: oneOf('STATUS'), media_id: id }),
      ...API,
    },
    {
      call: 'POST api.x.com/2/media/metadata',
      json: exact({ id, metadata: exact({ alt_text: exact({ text: filled }) }) }),
      ...API,
    },
    {
      call: 'GET api.x.com/2/users/me',
      query: exact({ 'user.fields': listOf('profile_image_url', 'subscription_type') }),
      ...API,
    },
    {
      call: 'GET api.x.com/2/users/{user}/tweets',
      query: exact({ ...list, 'post.fields': listOf(...shown, 'note_post') }),
      ...API,
    },
    {
      // What versions before called the same.
      call: 'GET api.x.com/2/users/{user}/tweets',
      query: exact({ ...list, 'tweet.fields': listOf(...shown, 'note_tweet') }),
      source: POSTS,
      read: READ,
    },
    {
      call: 'POST api.x.com/2/oauth2/token',
      form: exact({
        grant_type: Type.Literal('authorization_code'),
        code: filled,
        redirect_uri: webAddress,
        code_verifier: filled,
      }),
      source: TOKENS,
      read: READ,
    },
    {
      call: 'POST api.x.com/2/oauth2/token',
      form: exact({ grant_type: Type.Literal('refresh_token'), refresh_token: filled }),
      source: TOKENS,
      read: READ,
    },
  ],
}

/**
 * https://docs.x.com/x-api/fundamentals/response-codes-and-errors; the messages as people have met them:
 * https://github.com/atymic/twitter/issues/419 (2024-04-08), https://github.com/abraham/twitteroauth/issues/1082 (2022-05-26).
 */
function refusal(fault: CallFault, path: string): Answered {
  const isToken = path === '/2/oauth2/token'
  switch (fault.is) {
    case 'path':
    case 'host':
    case 'version':
      return problem(404, 'Not Found')
    case 'method':
      return problem(405, 'Method Not Allowed')
    case 'body':
      return isToken
        ? oauthError('Missing required parameter [grant_type].')
        : invalid({}, 'Requests with bodies must have content-type of application/json.')
    case 'missing':
    case 'unknown':
    case 'type': {
      const { place, field } = fault
      const [name = ''] = field
      if (isToken) return oauthError(`Missing required parameter [${name}].`)
      if (place === 'query') return invalid({ [name]: [] }, `The query parameter [${name}] is not valid`)
      const at = ['$', ...field].join('.')
      return invalid({}, fault.is === 'unknown' ? `${at}: ${NOT_DEFINED}` : `${at}: is not as it is defined`)
    }
    default:
      return fault satisfies never
  }
}

const NOT_DEFINED = 'is not defined in the schema and the schema does not allow additional properties'

function problem(status: number, title: string): Answered {
  return { status, body: { title, detail: title, type: 'about:blank', status } }
}

function invalid(parameters: object, message: string): Answered {
  const type = 'https://api.twitter.com/2/problems/invalid-request'
  const detail = 'One or more parameters to your request was invalid.'
  return { status: 400, body: { errors: [{ parameters, message }], title: 'Invalid Request', detail, type } }
}

function oauthError(words: string): Answered {
  return { status: 400, body: { error: 'invalid_request', error_description: words } }
}
