import Type from 'typebox'
import {
  aFile,
  type CallFault,
  type CallTable,
  digits,
  exact,
  filled,
  jsonText,
  listOf,
  oneOf,
  text,
  webAddress,
} from './call-table.ts'
import { graphRefusal } from './graph-refusal.ts'
import type { Answered } from './http-double.ts'
import { fieldsOf, metaLoginRows, proof, proven, specOf } from './meta-login-calls.ts'

/* The calls that we make at Facebook, for Pages (https://developers.facebook.com/docs/). */

const READ = '2026-11'
const DOCS = 'https://developers.facebook.com/docs'
const REFERENCE = `${DOCS}/graph-api/reference`
const REELS = `${DOCS}/video-api/guides/reels-publishing`

const PAGE = ['id', 'name', 'username', 'picture{url}']
const POST = listOf('id', 'is_published', 'permalink_url')
const VIDEO = listOf('id', 'published', 'permalink_url')
const no = oneOf('false')
const yes = oneOf('true')

const videos = {
  call: 'POST graph-video.facebook.com/v27.0/{page:[0-9]+}/videos',
  query: proven,
  ...specOf('Page'),
} as const

export const facebookCalls: CallTable = {
  version: { segment: 'v27.0' },
  refusal,
  rows: [
    ...metaLoginRows(PAGE),
    {
      call: 'GET graph.facebook.com/v27.0/{page:[0-9]+}',
      query: fieldsOf(...PAGE),
      ...specOf('Page'),
    },
    {
      call: 'POST graph.facebook.com/v27.0/{page:[0-9]+}/feed',
      query: proven,
      form: exact(
        {
          message: Type.Optional(filled),
          link: Type.Optional(webAddress),
          published: no,
          unpublished_content_type: oneOf('DRAFT'),
        },
        { '^attached_media\\[[0-9]\\]$': jsonText(exact({ media_fbid: digits })) },
      ),
      ...specOf('Page'),
    },
    {
      call: 'GET graph.facebook.com/v27.0/{post:[0-9]+_[0-9]+}',
      query: exact({ fields: POST, ...proof }),
      ...specOf('PagePost'),
    },
    {
      call: 'POST graph.facebook.com/v27.0/{post:[0-9]+_[0-9]+}',
      query: proven,
      form: exact({ is_published: yes, fields: POST }),
      ...specOf('PagePost'),
    },
    {
      call: 'POST graph.facebook.com/v27.0/{page:[0-9]+}/photos',
      query: proven,
      multipart: exact({
        published: no,
        temporary: yes,
        alt_text_custom: Type.Optional(filled),
        source: aFile,
      }),
      source: `${REFERENCE}/page/photos`,
      read: READ,
    },
    {
      call: 'GET graph.facebook.com/v27.0/{photo:[0-9]+}',
      query: fieldsOf('id', 'page_story_id'),
      ...specOf('Photo'),
    },
    { ...videos, form: exact({ upload_phase: Type.Literal('start'), file_size: digits }) },
    {
      ...videos,
      multipart: exact({
        upload_phase: Type.Literal('transfer'),
        upload_session_id: digits,
        start_offset: digits,
        video_file_chunk: aFile,
      }),
    },
    {
      ...videos,
      form: exact({ upload_phase: Type.Literal('finish'), upload_session_id: digits, published: no }),
    },
    {
      call: 'GET graph.facebook.com/v27.0/{video:[0-9]+}',
      query: fieldsOf('id', 'status'),
      ...specOf('AdVideo'),
    },
    {
      call: 'GET graph.facebook.com/v27.0/{video:[0-9]+}',
      query: exact({ fields: VIDEO, ...proof }),
      ...specOf('AdVideo'),
    },
    {
      call: 'POST graph.facebook.com/v27.0/{video:[0-9]+}',
      query: proven,
      form: exact({ description: text, published: yes, fields: VIDEO }),
      ...specOf('AdVideo'),
    },
    {
      call: 'POST graph.facebook.com/v27.0/{page:[0-9]+}/video_reels',
      query: proven,
      form: exact({ upload_phase: Type.Literal('start') }),
      ...specOf('Page'),
    },
    {
      // Facebook names the whole address.
      call: 'POST rupload.facebook.com/video-upload/v27.0/{reel:[0-9]+}',
      headers: Type.Object({ offset: digits, file_size: digits }),
      file: true,
      source: REELS,
      read: READ,
    },
    {
      call: 'POST graph.facebook.com/v27.0/{page:[0-9]+}/video_reels',
      query: proven,
      form: exact({
        upload_phase: Type.Literal('finish'),
        video_id: digits,
        video_state: oneOf('PUBLISHED'),
        description: text,
      }),
      ...specOf('Page'),
    },
    {
      call: 'DELETE graph.facebook.com/v27.0/{thing:[0-9]+(?:_[0-9]+)?}',
      query: proven,
      ...specOf('PagePost'),
    },
    {
      call: 'POST graph.facebook.com/v27.0/{post:[0-9]+(?:_[0-9]+)?}/comments',
      query: proven,
      form: exact({ message: filled, fields: listOf('id', 'permalink_url') }),
      ...specOf('PagePost'),
    },
    {
      call: 'GET graph.facebook.com/v27.0/{post:[0-9]+(?:_[0-9]+)?}/comments',
      query: exact({
        filter: oneOf('stream'),
        order: oneOf('reverse_chronological'),
        limit: digits,
        fields: listOf('id', 'message', 'from'),
        ...proof,
      }),
      ...specOf('PagePost'),
    },
  ],
}

/** What takes the bytes of reels has errors of its own (guide of reels). */
function refusal(fault: CallFault, path: string): Answered {
  return path.startsWith('/video-upload/')
    ? { status: 400, body: { debug_info: { retriable: false, type: 'ProcessingFailedError' } } }
    : graphRefusal(fault, path)
}
