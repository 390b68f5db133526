import Type from 'typebox'
import { type CallTable, digits, exact, filled, listOf, oneOf, text, webAddress } from './call-table.ts'
import { graphRefusal } from './graph-refusal.ts'

/* The calls that we make at Threads (https://developers.facebook.com/documentation/threads). */

/** Meta's own collection of calls: it has each of these but one, with each of their fields. */
const COLLECTION = {
  source: 'https://github.com/fbsamples/threads_api/blob/44df04d/postman/threads-api.postman_collection.json',
  read: '2026-11-29',
}

/** The double says what a token is good for. */
const token = { access_token: Type.Optional(text) }
const access = exact(token)
const asking = (...fields: readonly string[]) => exact({ fields: listOf(...fields), ...token })

/** Of the post itself; an item of a carousel has none of them. */
const post = {
  text: Type.Optional(filled),
  reply_to_id: Type.Optional(digits),
  reply_control: Type.Optional(
    oneOf('everyone', 'accounts_you_follow', 'mentioned_only', 'parent_post_author_only', 'followers_only'),
  ),
  topic_tag: Type.Optional(filled),
}
const file = { alt_text: Type.Optional(filled) }
const item = { is_carousel_item: Type.Literal('true'), ...file }
const containers = { query: access, ...COLLECTION }
const CONTAINERS = 'POST graph.threads.net/v1.0/{profile:[0-9]+}/threads' as const

export const threadsCalls: CallTable = {
  version: { segment: 'v1.0' },
  refusal: graphRefusal,
  rows: [
    {
      call: CONTAINERS,
      form: exact({ media_type: Type.Literal('TEXT'), link_attachment: Type.Optional(webAddress), ...post }),
      ...containers,
    },
    {
      call: CONTAINERS,
      form: exact({ media_type: Type.Literal('IMAGE'), image_url: webAddress, ...file, ...post }),
      ...containers,
    },
    {
      call: CONTAINERS,
      form: exact({ media_type: Type.Literal('VIDEO'), video_url: webAddress, ...file, ...post }),
      ...containers,
    },
    {
      call: CONTAINERS,
      form: exact({ media_type: Type.Literal('IMAGE'), image_url: webAddress, ...item }),
      ...containers,
    },
    {
      call: CONTAINERS,
      form: exact({ media_type: Type.Literal('VIDEO'), video_url: webAddress, ...item }),
      ...containers,
    },
    {
      call: CONTAINERS,
      form: exact({
        media_type: Type.Literal('CAROUSEL'),
        children: Type.String({ pattern: '^[0-9]+(?:,[0-9]+)+$' }),
        ...post,
      }),
      ...containers,
    },
    {
      call: 'POST graph.threads.net/v1.0/{profile:[0-9]+}/threads_publish',
      query: access,
      form: exact({ creation_id: digits }),
      ...COLLECTION,
    },
    {
      call: 'GET graph.threads.net/v1.0/{container:[0-9]+}',
      query: asking('status', 'error_message'),
      ...COLLECTION,
    },
    {
      call: 'GET graph.threads.net/v1.0/{post:[0-9]+}',
      query: asking('id', 'permalink'),
      ...COLLECTION,
    },
    {
      call: 'GET graph.threads.net/v1.0/{profile:[0-9]+}/threads',
      query: exact({
        fields: listOf('id', 'permalink', 'text', 'timestamp', 'replied_to'),
        limit: digits,
        ...token,
      }),
      // Which post it is; that it is out, its container has said.
      optional: true,
      source: 'https://developers.facebook.com/documentation/threads/reference/media-retrieval',
      read: '2026-11',
    },
    {
      call: 'GET graph.threads.net/v1.0/{profile:[0-9]+}/replies',
      query: exact({
        fields: listOf('id', 'permalink', 'text', 'timestamp', 'replied_to'),
        limit: digits,
        ...token,
      }),
      optional: true,
      ...COLLECTION,
    },
    {
      call: 'GET graph.threads.net/v1.0/{profile:[0-9]+}/threads_publishing_limit',
      query: asking('quota_usage', 'config', 'reply_quota_usage', 'reply_config'),
      ...COLLECTION,
    },
    {
      call: 'GET graph.threads.net/v1.0/me',
      query: asking('id', 'username', 'name', 'threads_profile_picture_url'),
      ...COLLECTION,
    },
    {
      call: 'POST graph.threads.net/oauth/access_token',
      form: exact({
        grant_type: oneOf('authorization_code'),
        code: filled,
        redirect_uri: webAddress,
        client_id: filled,
        client_secret: filled,
      }),
      ...COLLECTION,
    },
    {
      call: 'GET graph.threads.net/access_token',
      query: exact({ grant_type: oneOf('th_exchange_token'), client_secret: filled, ...token }),
      ...COLLECTION,
    },
    {
      call: 'GET graph.threads.net/refresh_access_token',
      query: exact({ grant_type: oneOf('th_refresh_token'), ...token }),
      ...COLLECTION,
    },
  ],
}
