import Type from 'typebox'
import { isWebAddress, readBody } from '../shared/answers.ts'
import type { HttpRequest, HttpResponse } from '../port/calls.ts'
import {
  type EventDraft,
  publicKeyOf,
  signedBy,
  type SignedEvent,
  signEvent,
} from '../shared/nostr-events.ts'
import type { ConnectVerdict, Refusal } from '../port/port.ts'
import { newKey, tryCall, type Steps } from '../port/procedure.ts'
import { rejected, refused, unavailable } from '../port/verdicts.ts'
import { keyOf, type NostrAuthorization } from './authorization.ts'
import { secretKeyIn } from './nip19.ts'
import { MAX_RELAYS, readRelay, relayUrl } from './relays.ts'

/*
 * Who signs for an account: this server by its key, or a remote signer (https://github.com/nostr-protocol/nips/blob/master/46.md), which
 * is asked when a note is prepared. The note is as it will be published then, so its id is known before it is sent. Without an answer
 * nothing was sent, and it is asked again with the next try.
 */

/** What an account signs by. */
export type Signing = Pick<NostrAuthorization, 'secretKey' | 'signer' | 'pubkey'>

/** https://github.com/nostr-protocol/nips/blob/master/46.md#methodscommands: a text of the signer, or its refusal. */
const Answer = Type.Object({
  result: Type.Union([Type.String(), Type.Null()]),
  error: Type.Union([Type.String(), Type.Null()]),
})
const PublicKey = Type.Object({ result: Type.String({ pattern: '^[0-9a-f]{64}$' }) })

/** What is asked for when connecting: notes, and uploads to media servers (BUD-11). */
const PERMISSIONS = 'sign_event:1,sign_event:24242'

/* ----------------------------------------------------------------------------------------------------------- connect */

/** Who signs for the account whose key, or whose signer's address, a person has entered. */
export function* signingOf(typed: string): Steps<Signing | Exclude<ConnectVerdict, { is: 'connected' }>> {
  if (/^bunker:/i.test(typed.trim())) return yield* connectSigner(typed.trim())
  const secretKey = secretKeyIn(typed)
  const pubkey = secretKey === null ? null : publicKeyOf(secretKey)
  return secretKey === null || pubkey === null ? KEY_REFUSED : { secretKey, pubkey }
}

const KEY_REFUSED = refused(
  'invalid_field',
  'This is neither a private key nor the address of a remote signer. A private key begins with nsec1 or has 64 hex digits; one that begins with npub1 is public. An address begins with bunker://.',
  'secretKey',
)
const ADDRESS_REFUSED = refused(
  'invalid_field',
  'This address of a remote signer is not complete. Copy all of it: it begins with bunker:// and names at least one relay.',
  'secretKey',
)
const NO_ANSWER = unavailable(
  'The remote signer did not answer. Check that it is running and connected to its relays, then try again.',
)

function* connectSigner(typed: string): Steps<Signing | Exclude<ConnectVerdict, { is: 'connected' }>> {
  const address = URL.parse(typed)
  const pubkey = address?.host.toLowerCase() ?? ''
  const relays = (address?.searchParams.getAll('relay') ?? [])
    .map(readRelay)
    .filter((relay) => relay !== null)
  if (address === null || !/^[0-9a-f]{64}$/.test(pubkey) || relays.length === 0) return ADDRESS_REFUSED
  // Every private scalar of P-256 is one of secp256k1, too.
  const secretKey = Buffer.from((yield* newKey()).d, 'base64url').toString('hex')
  const signer = { pubkey, relays: [...new Set(relays)].slice(0, MAX_RELAYS) }
  const secret = address.searchParams.get('secret') ?? ''
  const connected = yield* tryCall(question({ secretKey, signer }, 'connect', [pubkey, secret, PERMISSIONS]))
  if (connected === null) return NO_ANSWER
  const answer = readBody(connected, Answer, 101)
  if (answer?.error != null) return answer.result === 'auth_url' ? toAllow(answer.error) : DENIED
  // Where the answer is the secret, it is this one.
  if (answer?.result !== 'ack' && (secret === '' || answer?.result !== secret)) return DENIED
  const told = yield* tryCall(question({ secretKey, signer }, 'get_public_key', []))
  if (told === null) return NO_ANSWER
  const account = readBody(told, PublicKey, 101)
  return account === null ? DENIED : { secretKey, signer, pubkey: account.result }
}

const DENIED = refused(
  'credentials_refused',
  'The remote signer does not accept this address: it may have been used already. Create another one in the signer.',
  'secretKey',
)

function toAllow(page: string) {
  return isWebAddress(page)
    ? refused(
        'denied',
        `The remote signer asks you to allow Postrider first, at ${page}. Then connect again.`,
      )
    : refused('denied', 'The remote signer asks you to allow Postrider first. Then connect again.')
}

/* -------------------------------------------------------------------------------------------------------------- sign */

function question(
  of: Pick<Signing, 'secretKey'> & Required<Pick<Signing, 'signer'>>,
  method: string,
  params: readonly string[],
): HttpRequest {
  const [relay = ''] = of.signer?.relays ?? []
  return { method: 'GET', url: relayUrl(relay), authorization: keyOf(of), toSigner: { method, params } }
}

/** Signs a note; or says why its signer does not. */
export function* signNote(of: Signing, draft: EventDraft): Steps<SignedEvent | Refusal> {
  const { secretKey, signer, pubkey } = of
  if (signer === undefined) return signEvent(secretKey, draft)
  const { kind, created_at, tags, content } = draft
  const asked = JSON.stringify({ kind, created_at, tags, content, pubkey })
  const response = yield* tryCall(question({ secretKey, signer }, 'sign_event', [asked]))
  if (response === null) return SIGNER_AWAY
  return signedBy(response, draft, pubkey) ?? (yield* refusedBySigner(response, of))
}

/**
 * What an answer of a signer means that has signed nothing, or something else. One that does not even say whose key it has knows this
 * server no longer: the channel has to be reconnected.
 */
export function* refusedBySigner(response: HttpResponse, { secretKey, signer }: Signing): Steps<Refusal> {
  const answer = readBody(response, Answer, 101)
  if (answer?.error == null) return CHANGED
  if (answer.result === 'auth_url' || signer === undefined) return UNSIGNED
  const told = yield* tryCall(question({ secretKey, signer }, 'get_public_key', []))
  if (told === null) return SIGNER_AWAY
  return readBody(told, Answer, 101)?.error == null ? UNSIGNED : { is: 'reauthorize' }
}

const SIGNER_AWAY = { is: 'deferred', code: 'signer_away', afterMs: null } as const
const UNSIGNED = rejected(
  'permission_refused',
  'The remote signer did not sign this. Allow Postrider to sign notes and uploads there, then retry.',
)
const CHANGED = rejected(
  'content_refused',
  'The remote signer signed something other than it was asked to. Reconnect the channel with another signer.',
)

/** Why a remote signer would not sign: it does not answer, or no longer knows this server; null where it does, and for a key of our own. */
export function* refusedSigner({
  secretKey,
  signer,
  pubkey,
}: Signing): Steps<{ readonly is: 'signer_away' | 'reauthorize' } | null> {
  if (signer === undefined) return null
  const told = yield* tryCall(question({ secretKey, signer }, 'get_public_key', []))
  if (told === null) return { is: 'signer_away' }
  return readBody(told, PublicKey, 101)?.result === pubkey ? null : { is: 'reauthorize' }
}
