import { anUpload } from '../rigs/publish-work.ts'
import { endOf, type SeenAt } from './seen-answer.ts'

const read = '2026-11-29'
const authorization = { server: 'https://social.example', accountId: '7', accessToken: 'a' }

export const mastodon: SeenAt = {
  others: { upload: ({ upload }, seen) => endOf(upload!(anUpload(authorization, 'image')), seen) },
  answers: [
    {
      status: 422,
      body: { error: 'Validation failed: Text character limit of 500 exceeded' },
      seen: 'https://github.com/glitch-soc/mastodon/issues/2948',
      read,
      is: 'rejected content_refused',
    },
    {
      status: 422,
      body: { error: 'Cannot attach more than 4 files' },
      seen: 'https://github.com/halcy/Mastodon.py/issues/58',
      read,
      is: 'rejected content_refused',
    },
    {
      status: 422,
      body: { error: 'Cannot attach files that have not finished processing. Try again in a moment!' },
      seen: 'https://github.com/dscottboggs/mastodon-async/issues/61',
      read,
      is: 'deferred media_unavailable',
    },
    {
      status: 422,
      body: { error: 'Media 113 not found or already attached to another post' },
      seen: 'https://github.com/mastodon/mastodon/issues/31707',
      read,
      is: 'deferred media_unavailable',
    },
    {
      status: 422,
      body: { error: 'Validation failed: File content type is invalid, File is invalid' },
      to: 'upload',
      seen: 'https://github.com/halcy/Mastodon.py/issues/95',
      read,
      is: 'rejected media_refused',
    },
    {
      status: 404,
      body: { error: 'Record not found' },
      to: 'reply',
      seen: 'https://github.com/mastodon/mastodon/issues/12560',
      read,
      is: 'rejected parent_missing',
    },
    {
      status: 403,
      body: { error: 'Your login is currently disabled' },
      seen: 'https://github.com/akrherz/iembot/issues/175',
      read,
      is: 'rejected permission_refused',
    },
    {
      status: 403,
      body: { error: 'This action is outside the authorized scopes' },
      seen: 'https://github.com/mastodon/mastodon/issues/1367',
      read,
      is: 'rejected permission_refused',
    },
    {
      status: 401,
      body: { error: 'The access token is invalid' },
      seen: 'https://github.com/mouse-reeve/mastodon/issues/16',
      read,
      is: 'reauthorize',
    },
    {
      status: 401,
      body: { error: 'This API requires an authenticated user' },
      seen: 'https://github.com/hachyderm/community/issues/80',
      read,
      is: 'reauthorize',
    },
    // Behind a proxy: no header, and no word of Mastodon.
    {
      status: 429,
      body: '',
      seen: 'https://github.com/robertoszek/pleroma-bot/issues/75',
      read,
      is: 'deferred rate_limited',
    },
    // Of a key that was seen before: the post is out.
    {
      status: 500,
      body: { error: "We're sorry, but something went wrong on our end." },
      seen: 'https://github.com/mastodon/mastodon/issues/40399',
      read,
      is: 'unknown',
    },
    // The post was made.
    {
      status: 504,
      body: '<html><head><title>504 Gateway Time-out</title></head></html>',
      seen: 'https://github.com/mastodon/mastodon/pull/21840',
      read,
      is: 'unknown',
    },
  ],
}
