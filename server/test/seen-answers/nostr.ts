import { anUpload } from '../rigs/publish-work.ts'
import { endOf, type SeenAt } from './seen-answer.ts'

const read = '2026-11-29'
const nip01 = 'https://github.com/nostr-protocol/nips/blob/master/01.md'
const nostream = 'https://github.com/Cameri/nostream/blob/main/src/handlers/event-message-handler.ts'
const lnbits = 'https://github.com/lnbits/nostrrelay/blob/main/relay'
const blossom = 'https://github.com/hzrd149/blossom-server/blob/master/src/routes/upload.ts'
const authorization = {
  secretKey: '1'.repeat(64),
  pubkey: 'b'.repeat(64),
  named: [],
  listed: [],
  mediaServer: 'https://media.example',
}

export const nostr: SeenAt = {
  others: {
    upload: ({ upload }, seen) => endOf(upload!(anUpload(authorization, 'image')), seen),
  },
  answers: [
    {
      status: 101,
      body: 'blocked: only certain pubkeys are allowed to post',
      seen: 'https://github.com/dmotz/trystero/issues/126',
      read,
      is: 'rejected permission_refused',
    },
    {
      status: 101,
      body: 'blocked: auth-required: …',
      seen: 'https://github.com/scsibug/nostr-rs-relay/pull/250',
      read,
      is: 'rejected permission_refused',
    },
    {
      status: 101,
      body: 'blocked: pubkey not admitted',
      seen: nostream,
      read,
      is: 'rejected permission_refused',
    },
    {
      status: 101,
      body: 'restricted: not allowed to write.',
      seen: nip01,
      read,
      is: 'rejected permission_refused',
    },
    {
      status: 101,
      body: 'auth-required: we only accept events from registered users',
      seen: 'https://github.com/nostr-protocol/nips/blob/master/42.md',
      read,
      is: 'rejected permission_refused',
    },
    {
      status: 101,
      body: "Relay requires authentication for events of kind '1'",
      seen: `${lnbits}/client_connection.py`,
      read,
      is: 'rejected permission_refused',
    },
    {
      status: 101,
      body: "This is a paid relay: 'one'",
      seen: `${lnbits}/event_validator.py`,
      read,
      is: 'rejected permission_refused',
    },
    {
      status: 101,
      body: 'invalid: bad event id',
      seen: 'https://github.com/nostr-protocol/nostr/issues/147',
      read,
      is: 'rejected content_refused',
    },
    {
      status: 101,
      body: 'invalid: unexpected size for fixed-size tag',
      seen: 'https://github.com/nostr-dev-kit/ndk/issues/142',
      read,
      is: 'rejected content_refused',
    },
    {
      status: 101,
      body: 'invalid: event creation date is too far off from the current time',
      seen: nip01,
      read,
      is: 'rejected content_refused',
    },
    {
      status: 101,
      body: 'created_at is too much into the past',
      seen: `${lnbits}/event_validator.py`,
      read,
      is: 'rejected content_refused',
    },
    {
      status: 101,
      body: 'rejected: content is longer than 65536 bytes',
      seen: nostream,
      read,
      is: 'rejected content_refused',
    },
    {
      status: 101,
      body: 'pow: difficulty 26 is less than 30',
      seen: nip01,
      read,
      is: 'rejected content_refused',
    },
    {
      status: 101,
      body: 'rate-limited: you are noting too much',
      seen: 'https://github.com/damus-io/noteguard/blob/master/src/filters/ratelimit.rs',
      read,
      is: 'deferred rate_limited',
    },
    {
      status: 101,
      body: "Exceeded max events per hour limit'!",
      seen: `${lnbits}/event_validator.py`,
      read,
      is: 'deferred rate_limited',
    },
    {
      status: 101,
      body: 'error: no relay connections',
      seen: 'https://github.com/lnbits/nostrclient/pull/68',
      read,
      is: 'unknown',
    },
    {
      status: 401,
      body: 'Pubkey not authorized by any storage rule',
      headers: { 'x-reason': 'Pubkey not authorized by any storage rule' },
      to: 'upload',
      seen: blossom,
      read,
      is: 'rejected media_refused',
    },
    {
      status: 413,
      body: 'File too large.',
      headers: { 'x-reason': 'File too large.' },
      to: 'upload',
      seen: blossom,
      read,
      is: 'rejected media_refused',
    },
    {
      status: 503,
      body: 'Server busy, try again later',
      headers: { 'x-reason': 'Server busy, try again later' },
      to: 'upload',
      seen: blossom,
      read,
      is: 'deferred provider_unavailable',
    },
  ],
}
