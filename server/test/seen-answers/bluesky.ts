import { anUpload } from '../rigs/publish-work.ts'
import { endOf, type SeenAt } from './seen-answer.ts'

const xrpc = (error: string, message: string) => ({ error, message })
const read = '2026-11-29'
const session = {
  kind: 'password',
  server: 'https://pds.example',
  did: 'did:plc:abc',
  handle: 'alice.example',
  accessToken: 'a',
  refreshToken: 'r',
  accessEndsAt: '2026-11-21T11:00:00.000Z',
}

export const bluesky: SeenAt = {
  others: {
    upload: ({ upload }, answer) => endOf(upload!(anUpload(session, 'image')), answer),
    refresh: ({ refresh }, answer) =>
      endOf(
        refresh!({ authorization: session, client: null, now: new Date('2026-11-21T09:00:00Z') }),
        answer,
      ),
  },
  answers: [
    {
      status: 400,
      body: xrpc(
        'InvalidRequest',
        'Invalid app.bsky.feed.post record: Record/text must not be longer than 300 graphemes',
      ),
      seen: 'https://github.com/neodb-social/neodb/issues/916',
      read,
      is: 'rejected content_refused',
    },
    {
      status: 400,
      body: xrpc('InvalidRequest', 'grapheme too big (maximum 300, got 1000) at $.record.text'),
      seen: 'https://github.com/MarshalX/atproto/issues/721',
      read,
      is: 'rejected content_refused',
    },
    {
      status: 400,
      body: xrpc('InvalidRequest', 'Expected object value type (got null) at $.record.reply'),
      seen: 'https://github.com/ricardodantas/perch/issues/4',
      read,
      is: 'rejected content_refused',
    },
    {
      status: 400,
      body: xrpc('BlobTooLarge', 'This file is too large. It is 1.01MB but the maximum size is 976.56KB.'),
      seen: 'https://github.com/neodb-social/neodb/issues/916',
      read,
      is: 'rejected media_refused',
    },
    {
      status: 400,
      body: xrpc('BlobTooLarge', 'This file is too large. It is 1.47MB but the maximum size is 976.56KB.'),
      to: 'upload',
      seen: 'https://github.com/cjrasmussen/BlueskyApi/issues/14',
      read,
      is: 'rejected media_refused',
    },
    {
      status: 400,
      body: xrpc('InvalidMimeType', 'Wrong type of file. It is application/xml but it must match image/*.'),
      seen: 'https://github.com/marcomaroni-github/twitter-to-bluesky/issues/49',
      read,
      is: 'rejected media_refused',
    },
    {
      status: 400,
      body: xrpc('ExpiredToken', 'Token has expired'),
      seen: 'https://github.com/Preloading/TwitterAPIBridge/issues/2',
      read,
      is: 'expired',
    },
    {
      status: 400,
      body: xrpc('InvalidToken', 'Bad token scope'),
      seen: 'https://github.com/bluesky-social/atproto/issues/3186',
      read,
      is: 'expired',
    },
    {
      status: 400,
      body: xrpc('ExpiredToken', 'Token has been revoked'),
      to: 'refresh',
      seen: 'https://github.com/mikf/gallery-dl/issues/8646',
      read,
      is: 'ended',
    },
    {
      status: 403,
      body: xrpc('ScopeMissingError', 'Missing required scope "repo:uk.skyblur.post?action=create"'),
      seen: 'https://github.com/usounds/Skyblur/issues/79',
      read,
      is: 'rejected permission_refused',
    },
    {
      status: 429,
      body: xrpc('RateLimitExceeded', 'Rate Limit Exceeded'),
      seen: 'https://github.com/snarfed/bridgy/issues/2106',
      read,
      is: 'deferred rate_limited',
    },
    {
      status: 429,
      body: xrpc('RateLimitExceeded', 'Rate Limit Exceeded'),
      headers: {
        'ratelimit-limit': '10',
        'ratelimit-remaining': '0',
        'ratelimit-reset': '1737648164',
        // The day is that of the thread; the hour is ours.
        date: 'Thu, 23 Jan 2025 15:02:44 GMT',
      },
      seen: 'https://github.com/bluesky-social/atproto/issues/3436',
      read,
      is: 'deferred rate_limited 3600 s',
    },
    {
      status: 404,
      body: xrpc('XRPCNotSupported', 'XRPC Not Supported'),
      seen: 'https://github.com/bluesky-social/atproto/issues/1954',
      read,
      is: 'deferred provider_unavailable',
    },
    {
      status: 502,
      body: xrpc('UpstreamFailure', 'UpstreamFailure'),
      seen: 'https://github.com/philnash/bsky-bot/issues/6',
      read,
      is: 'unknown',
    },
    {
      status: 500,
      body: xrpc('InternalServerError', 'Something went wrong'),
      seen: 'https://github.com/blacksky-algorithms/rsky/issues/283',
      read,
      is: 'unknown',
    },
    // Whose records are there already.
    {
      status: 500,
      body: xrpc('InternalServerError', 'Internal Server Error'),
      to: 'gated',
      seen: 'https://github.com/bluesky-social/atproto/issues/4725',
      read,
      is: 'unknown',
    },
  ],
}
