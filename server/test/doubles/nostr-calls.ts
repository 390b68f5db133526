import Type from 'typebox'
import { type CallFault, type CallTable, exact, filled, oneOf, text } from './call-table.ts'
import type { Answered } from './http-double.ts'

/*
 * What we say to relays, remote signers and media servers of Nostr (https://github.com/nostr-protocol/nips). A talk over a WebSocket is a
 * call by `TALK`, with the type of its message after the path, and what the message is about as the body; to a signer, what stands sealed in one.
 */

const READ = '2026-11'
const NIPS = 'https://github.com/nostr-protocol/nips/blob/master'

const hex = Type.String({ pattern: '^[0-9a-f]{64}$' })

export const nostrCalls: CallTable = {
  version: null,
  refusal,
  // A relay that is not reached may be later.
  passing: ['path'],
  rows: [
    {
      call: 'TALK {server}/EVENT',
      json: exact({
        // Answers name the event by it: one without it is about no event.
        id: Type.Optional(Type.Unknown()),
        pubkey: hex,
        created_at: Type.Integer({ minimum: 0 }),
        kind: Type.Literal(1),
        tags: Type.Array(Type.Array(text, { minItems: 1 })),
        content: text,
        sig: Type.String({ pattern: '^[0-9a-f]{128}$' }),
      }),
      source: `${NIPS}/01.md#from-client-to-relay-sending-events-and-creating-subscriptions`,
      read: READ,
    },
    {
      call: 'TALK {server}/REQ',
      json: exact({
        ids: Type.Optional(Type.Array(hex, { minItems: 1 })),
        kinds: Type.Optional(Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1 })),
        authors: Type.Optional(Type.Array(hex, { minItems: 1 })),
        limit: Type.Optional(Type.Integer({ minimum: 1 })),
      }),
      optional: true,
      source: `${NIPS}/01.md#from-client-to-relay-sending-events-and-creating-subscriptions`,
      read: READ,
    },
    {
      call: 'TALK {server}/signer',
      json: exact({
        method: oneOf('connect', 'get_public_key', 'sign_event'),
        params: Type.Array(text),
      }),
      optional: true,
      source: `${NIPS}/46.md#methodscommands`,
      read: READ,
    },
    {
      call: 'GET {server}/',
      headers: Type.Object({ accept: Type.Literal('application/nostr+json') }),
      optional: true,
      source: `${NIPS}/11.md`,
      read: READ,
    },
    {
      call: 'PUT {server}/upload',
      headers: Type.Object({ 'x-sha-256': filled }),
      file: true,
      source: 'https://github.com/hzrd149/blossom/blob/master/buds/02.md',
      read: READ,
    },
  ],
}

/** NIP-01 for what relays say, and BUD-01 for media servers: the reason of an error is in a header. */
function refusal(fault: CallFault, path: string, body: unknown): Answered {
  if (path.startsWith('/upload'))
    return {
      status: fault.is === 'path' ? 404 : fault.is === 'method' ? 405 : 400,
      headers: { 'x-reason': 'the request is not valid' },
    }
  const reached = fault.is !== 'path'
  const { id = '' } = (body ?? {}) as { readonly id?: unknown }
  const said = [['OK', id, false, 'invalid: the event is not valid']]
  const report = { relay: 'wss://relay.example', sent: reached, silence: null, said: reached ? said : [] }
  return { status: 101, body: [report] }
}
