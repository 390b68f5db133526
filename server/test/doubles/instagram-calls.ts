import Type from 'typebox'
import { type CallTable, digits, exact, filled, flag, listOf, webAddress } from './call-table.ts'
import { graphRefusal } from './graph-refusal.ts'
import { fieldsOf, metaLoginRows, proof, proven, specOf } from './meta-login-calls.ts'

/* The calls that we make at Instagram (https://developers.facebook.com/documentation/instagram-platform). */

const USER = ['id', 'username', 'name', 'profile_picture_url']
const ACCOUNT = `instagram_business_account{${USER.join(',')}}`

const caption = Type.Optional(filled)
const alt_text = Type.Optional(filled)
const item = { is_carousel_item: Type.Literal('true') }
const containers = {
  call: 'POST graph.facebook.com/v27.0/{account:[0-9]+}/media',
  query: proven,
  ...specOf('IGUser'),
} as const
const list = exact({
  fields: listOf('id', 'permalink', 'caption', 'timestamp'),
  limit: digits,
  ...proof,
})

export const instagramCalls: CallTable = {
  version: { segment: 'v27.0' },
  refusal: graphRefusal,
  rows: [
    ...metaLoginRows(['id', 'name', ACCOUNT]),
    { ...containers, form: exact({ image_url: webAddress, alt_text, caption }) },
    { ...containers, form: exact({ image_url: webAddress, alt_text, ...item }) },
    { ...containers, form: exact({ media_type: Type.Literal('VIDEO'), video_url: webAddress, ...item }) },
    {
      ...containers,
      form: exact({
        media_type: Type.Literal('REELS'),
        video_url: webAddress,
        share_to_feed: Type.Optional(flag),
        caption,
      }),
    },
    { ...containers, form: exact({ media_type: Type.Literal('STORIES'), image_url: webAddress }) },
    { ...containers, form: exact({ media_type: Type.Literal('STORIES'), video_url: webAddress }) },
    {
      ...containers,
      form: exact({
        media_type: Type.Literal('CAROUSEL'),
        children: Type.String({ pattern: '^[0-9]+(?:,[0-9]+)+$' }),
        caption,
      }),
    },
    {
      call: 'POST graph.facebook.com/v27.0/{account:[0-9]+}/media_publish',
      query: proven,
      form: exact({ creation_id: digits }),
      ...specOf('IGUser'),
    },
    {
      call: 'GET graph.facebook.com/v27.0/{account:[0-9]+}/content_publishing_limit',
      query: fieldsOf('quota_usage', 'config'),
      ...specOf('IGUser'),
      // What cannot be read of it is no reason to wait: the call says so itself.
      optional: true,
    },
    {
      call: 'GET graph.facebook.com/v27.0/{container:[0-9]+}',
      query: fieldsOf('status_code', 'status'),
      source:
        'https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/ig-container',
      read: '2026-11',
    },
    {
      call: 'GET graph.facebook.com/v27.0/{post:[0-9]+}',
      query: fieldsOf('id', 'permalink'),
      ...specOf('IGMedia'),
    },
    {
      call: 'GET graph.facebook.com/v27.0/{account:[0-9]+}/media',
      query: list,
      // Which post it is; that it is out, its container has said.
      optional: true,
      ...specOf('IGUser'),
    },
    {
      call: 'GET graph.facebook.com/v27.0/{account:[0-9]+}/stories',
      query: list,
      optional: true,
      ...specOf('IGUser'),
    },
    {
      call: 'POST graph.facebook.com/v27.0/{post:[0-9]+}/comments',
      query: proven,
      form: exact({ message: filled }),
      ...specOf('IGMedia'),
    },
    {
      call: 'GET graph.facebook.com/v27.0/{post:[0-9]+}/comments',
      query: exact({ fields: listOf('id', 'text', 'from'), limit: digits, ...proof }),
      ...specOf('IGMedia'),
    },
    {
      call: 'GET graph.facebook.com/v27.0/{account:[0-9]+}',
      query: fieldsOf(...USER),
      ...specOf('IGUser'),
    },
  ],
}
