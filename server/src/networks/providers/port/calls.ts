import type { MayBegin } from '../../../platform/outbound/may-begin.ts'

/* What goes to a network and comes back: requests, files, answers, and the one function that makes a call. */

/**
 * A request to a provider. At most one of `json`, `form`, `multipart` and `file` is its body.
 *
 * It is a value: building it twice from the same work gives the same bytes. What has to differ from one sending to the
 * next (a DPoP proof) or from one authorization to the next (an access token) is in `authorization`, which is added when it is sent.
 */
export type HttpRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Never holds a secret; see the scheme `path`. */
  readonly url: URL
  /** Names in lower case. Never holds a credential. `content-type` follows from the body unless it is named here. */
  readonly headers?: Readonly<Record<string, string>>
  readonly authorization?: RequestAuthorization
  readonly json?: unknown
  /** `application/x-www-form-urlencoded`. */
  readonly form?: Readonly<Record<string, string>>
  readonly multipart?: Multipart
  readonly file?: FileToSend
  /** Instead of HTTP: a talk with relays of Nostr, of which `url` is the first. */
  readonly relays?: RelayExchange
  /** Instead of HTTP: a question to the remote signer that its authorization names, by the relays that it names. */
  readonly toSigner?: SignerQuestion
}

/**
 * A question to a remote signer of Nostr (https://github.com/nostr-protocol/nips/blob/master/46.md). The answer has the status 101, and as
 * its body `{ result, error }` of the signer. Where the signer does not answer, there is no answer.
 */
export type SignerQuestion = { readonly method: string; readonly params: readonly string[] }

/**
 * Messages to relays (NIP-01), over a WebSocket to each at the same time. The answer has the status 101, and as its body what each
 * relay said (`relay-reports.ts`). Where no relay answered to the end, there is no answer.
 */
export type RelayExchange = {
  readonly others: readonly URL[]
  readonly messages: readonly Json[]
  /** The message that ends it at a relay: the answer to our event, the end of what is stored, or the first event. */
  readonly until: 'OK' | 'EOSE' | 'EVENT'
  /** Once a relay has ended it well, how long the others are waited for; null for as long as a call may take. */
  readonly graceMs: number | null
}

/** How a request is authorised. The sender puts it on the wire; it is in no evidence and no log. */
export type RequestAuthorization =
  | {
      readonly scheme: 'Bearer' | 'Basic' | 'OAuth'
      readonly credentials: string
      /** Goes into the query of the URL: what proves the caller besides the token. */
      readonly query?: Readonly<Record<string, string>>
    }
  /**
   * DPoP (RFC 9449): a fresh proof for each sending, with the nonce that the server gave last. `credentials` is the
   * access token, or null at an authorization server, where there is none yet. An answer that asks for a nonce was
   * refused before it was processed (RFC 9449, 8 and 9), so the sender repeats that request once, with the nonce.
   */
  | { readonly scheme: 'DPoP'; readonly credentials: string | null; readonly key: PrivateKey }
  /**
   * A key of Nostr, in hex, which signs what is asked for at the time of sending: of relays, to prove who talks (NIP-42); over HTTP, for an
   * upload (BUD-11) of the file whose digest is in the header `x-sha-256`. A message that a relay refused for want of a proof was not
   * processed, so it is sent again, once. With `signer` it is no key of an account but what that signer knows us by: an upload is signed
   * there, and no relay gets a proof.
   */
  | { readonly scheme: 'Nostr'; readonly credentials: string; readonly signer?: RemoteSigner }
  /** For networks that want the secret in the path: it replaces SECRET_IN_PATH in the URL. */
  | { readonly scheme: 'path'; readonly credentials: string }

/** Who has the key of an account of Nostr, and signs for us: its own public key, and the relays that it listens to, as `wss://…`. */
export type RemoteSigner = { readonly pubkey: string; readonly relays: readonly string[] }

/** What stands in the path of a URL where the secret goes. */
export const SECRET_IN_PATH = '~secret~'

/** What stands in the header `user-agent` where a network wants the address of this server. */
export const SERVER_ADDRESS = '~server~'

/** A private key for ES256, as a JWK (RFC 7517). */
export type PrivateKey = Readonly<Record<'kty' | 'crv' | 'x' | 'y' | 'd', string>>

/** `multipart/form-data` (RFC 7578), in this order. */
export type Multipart = {
  /** The same for every repeat of one intent, and not to be guessed by an author: derive it from the idempotency key. */
  readonly boundary: string
  readonly parts: readonly (
    | { readonly name: string; readonly value: string; readonly contentType?: string }
    | { readonly name: string; readonly fileName: string; readonly file: FileToSend }
  )[]
}

/** Bytes on their way to a provider. They can be read more than once. */
export type FileToSend = {
  readonly contentType: string
  readonly size: number
  /** All bytes, or those from `from` up to and without `to`. */
  readonly open: (range?: { readonly from: number; readonly to: number }) => AsyncIterable<Uint8Array>
}

/** `headers` have lower-case names; `body` is text. A body above the sender's size limit counts as no answer. */
export type HttpResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What came back of a call. It never throws: silence is an answer, too. */
export type CallAnswer =
  | { readonly arrived: true; readonly response: HttpResponse; readonly durationMs: number }
  | {
      readonly arrived: false
      /** False only when not one byte can have reached the provider. */
      readonly maybeSent: boolean
      /** Files of the request were not read to their end: the provider cannot have had a whole request. */
      readonly unfinished?: true
      /** A code: TIMEOUT, ECONNREFUSED, or TOO_LATE where it was not to begin any more. */
      readonly reason: string
      readonly durationMs: number
    }

/** Makes one call: no repeat, no redirect, one time limit over everything. With `mayBegin`, it begins while that is true or never. */
export type Call = (request: HttpRequest, signal?: AbortSignal, mayBegin?: MayBegin) => Promise<CallAnswer>

/** Anything that JSON can say. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }
