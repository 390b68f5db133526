import Type from 'typebox'
import { type CallTable, digits, exact, filled, listOf, oneOf, text, webAddress } from './call-table.ts'
import { graphRefusal } from './graph-refusal.ts'

/* The calls that we make at Threads (https://developers.facebook.com/documentation/threads). */

const READ = '2026-11'
const DOCS = 'https://developers.facebook.com/documentation/threads'
const PUBLISHING = `${DOCS}/reference/publishing`

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
const containers = { query: access, source: PUBLISHING, read: READ }
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
      source: `${DOCS}/posts#step-2--publish-a-threads-media-container`,
      read: READ,
    },
    {
      call: 'GET graph.threads.net/v1.0/{container:[0-9]+}',
      query: asking('status', 'error_message'),
      source: `${DOCS}/troubleshooting`,
      read: READ,
    },
    {
      call: 'GET graph.threads.net/v1.0/{post:[0-9]+}',
      query: asking('id', 'permalink'),
      source: `${DOCS}/reference/media-retrieval`,
      read: READ,
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
      source: `${DOCS}/reference/media-retrieval`,
      read: READ,
    },
    {
      call: 'GET graph.threads.net/v1.0/{profile:[0-9]+}/replies',
      query: exact({
        fields: listOf('id', 'permalink', 'text', 'timestamp', 'replied_to'),
        limit: digits,
        ...token,
      }),
      optional: true,
      source: `${DOCS}/reply-management`,
      read: READ,
    },
    {
      call: 'GET graph.threads.net/v1.0/{profile:[0-9]+}/threads_publishing_limit',
      query: asking('quota_usage', 'config', 'reply_quota_usage', 'reply_config'),
      source: `${DOCS}/troubleshooting#retrieve-quota-limits`,
      read: READ,
    },
    {
      call: 'GET graph.threads.net/v1.0/me',
      query: asking('id', 'username', 'name', 'threads_profile_picture_url'),
      source: `${DOCS}/reference/user`,
      read: READ,
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
      source: `${DOCS}/get-started/get-access-tokens-and-permissions`,
      read: READ,
    },
    {
      call: 'GET graph.threads.net/access_token',
      query: exact({ grant_type: oneOf('th_exchange_token'), client_secret: filled, ...token }),
      source: `${DOCS}/get-started/long-lived-tokens`,
      read: READ,
    },
    {
      call: 'GET graph.threads.net/refresh_access_token',
      query: exact({ grant_type: oneOf('th_refresh_token'), ...token }),
      source: `${DOCS}/get-started/long-lived-tokens`,
      read: READ,
    },
  ],
}
