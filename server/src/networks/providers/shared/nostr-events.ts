import { createHash } from 'node:crypto'
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js'
import Type from 'typebox'
import { Check } from 'typebox/value'
import { jsonOf, readBody } from './answers.ts'
import type { HttpResponse, Json } from '../port/calls.ts'

/* Events of Nostr and their signatures (https://github.com/nostr-protocol/nips/blob/master/01.md, BIP 340). */

export type EventDraft = {
  readonly kind: number
  /** In seconds since 1970. */
  readonly created_at: number
  readonly tags: readonly (readonly string[])[]
  readonly content: string
}

export type SignedEvent = EventDraft & { readonly id: string; readonly pubkey: string; readonly sig: string }

/** The public key of a secret one, both as 64 hex digits; null where it is no key. */
export function publicKeyOf(secretKey: string): string | null {
  const bytes = Buffer.from(secretKey, 'hex')
  return bytes.length === 32 && secp256k1.utils.isValidSecretKey(bytes)
    ? hex(schnorr.getPublicKey(bytes))
    : null
}

/** The id of an event: all of it but the signature decides on it. */
export function eventId(pubkey: string, { created_at, kind, tags, content }: EventDraft): string {
  return createHash('sha256')
    .update(JSON.stringify([0, pubkey, created_at, kind, tags, content]))
    .digest('hex')
}

/** Signs an event: the same draft gives the same bytes. BIP 340 allows that, and the tags and time of what is signed differ. */
export function signEvent(secretKey: string, draft: EventDraft): SignedEvent {
  const secret = Buffer.from(secretKey, 'hex')
  const pubkey = hex(schnorr.getPublicKey(secret))
  const id = eventId(pubkey, draft)
  const sig = hex(schnorr.sign(Buffer.from(id, 'hex'), secret, NO_RANDOMNESS))
  const { kind, created_at, tags, content } = draft
  return { id, pubkey, created_at, kind, tags, content, sig }
}

const NO_RANDOMNESS = new Uint8Array(32)

/** Whether an event has the id and the signature of its author. */
export function isSigned(event: SignedEvent): boolean {
  if (eventId(event.pubkey, event) !== event.id) return false
  try {
    return schnorr.verify(
      Buffer.from(event.sig, 'hex'),
      Buffer.from(event.id, 'hex'),
      Buffer.from(event.pubkey, 'hex'),
    )
  } catch {
    return false
  }
}

const Signed = Type.Object({
  id: Type.String(),
  pubkey: Type.String(),
  created_at: Type.Integer(),
  kind: Type.Integer(),
  tags: Type.Array(Type.Array(Type.String())),
  content: Type.String(),
  sig: Type.String(),
})
const SignerResult = Type.Object({ result: Type.String(), error: Type.Null() })

/** What a remote signer has signed, in its answer to `sign_event`: exactly this. Null for anything else. */
export function signedBy(response: HttpResponse, draft: EventDraft, pubkey?: string): SignedEvent | null {
  const answer = readBody(response, SignerResult, 101)
  const event = answer === null ? null : jsonOf({ body: answer.result })
  if (!Check(Signed, event) || !isSigned(event)) return null
  const isIt = event.id === eventId(event.pubkey, draft) && (pubkey === undefined || event.pubkey === pubkey)
  return isIt ? event : null
}

/** An event as it goes into a message. */
export function eventJson({ id, pubkey, created_at, kind, tags, content, sig }: SignedEvent): Json {
  return { id, pubkey, created_at, kind, tags, content, sig }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
