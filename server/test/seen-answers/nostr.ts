import type { SeenAt } from './seen-answer.ts'

const read = '2026-11-28'

export const nostr: SeenAt = {
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
      body: 'blocked: auth-required: not admitted',
      seen: 'https://github.com/scsibug/nostr-rs-relay/pull/250',
      read,
      is: 'rejected permission_refused',
    },
    {
      status: 101,
      body: 'error: somemsg',
      seen: 'https://github.com/nostr-protocol/nips/issues/458',
      read,
      is: 'unknown',
    },
    {
      status: 101,
      body: 'rate-limited: slow down',
      seen: 'https://github.com/nostr-protocol/nips/issues/1143',
      read,
      is: 'deferred rate_limited',
    },
  ],
}
