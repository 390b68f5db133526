import type { CharacterCounting, MediaKind, MediaLimits } from '@postrider/contract'
import type { TSchema } from 'typebox'

/*
 * What a provider is to the engine: data, and pure functions that build a request and judge a response.
 * The engine makes the calls, so no adapter can forget a time limit, an address check or the evidence. A function
 * that throws is a fault of the adapter: the engine reports it, and concludes nothing about the provider from it.
 */

export type HttpRequest = {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly json?: unknown
  /** The bytes of a file, instead of JSON. */
  readonly file?: FileToSend
}

/** Bytes on their way to a provider. They can be read more than once. */
export type FileToSend = {
  readonly contentType: string
  readonly size: number
  readonly open: () => AsyncIterable<Uint8Array>
}

/** `headers` have lower-case names; `body` is text, cut at the engine's size limit. */
export type HttpResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What a publish call proved. Whatever the adapter does not positively understand is `unknown`. */
export type Verdict =
  | { readonly is: 'published'; readonly remoteId: string; readonly url: string | null }
  /** The provider has it and is not finished; `handle` finds it again by `poll`. */
  | { readonly is: 'accepted'; readonly handle: string }
  /** Provably not published, and never will be as it is. `detail` is in our words. */
  | { readonly is: 'rejected'; readonly code: RejectionCode; readonly detail: string }
  /** Provably not published now. `afterMs` is the provider's own time, null when it named none. */
  | { readonly is: 'deferred'; readonly code: DeferralCode; readonly afterMs: number | null }
  /** Provably not published: the grant is no longer accepted. */
  | { readonly is: 'reauthorize' }
  | { readonly is: 'unknown'; readonly detail: string }

export type RejectionCode =
  | 'content_refused'
  | 'media_refused'
  | 'permission_refused'
  | 'duplicate_refused'
  | 'parent_missing'
  | 'processing_failed'
  | 'not_published'
export type DeferralCode = 'rate_limited' | 'provider_unavailable' | 'not_reached' | 'media_unavailable'

/** What a poll showed of a call that the provider had accepted. */
export type PollVerdict =
  | Exclude<Verdict, { is: 'deferred' }>
  /** The provider says that it knows no such handle: its processing is over, or was dropped. */
  | { readonly is: 'forgotten' }

/** What a read-only lookup at the provider showed of a call whose result is unknown. */
export type LookupResult =
  /**
   * One page of what there is, newest first: all in it that could be the call's. The engine leaves out what it knows
   * to be another part. `more` asks for the next page, and is null on the one that reaches back to before the call.
   */
  | {
      readonly is: 'page'
      readonly candidates: readonly { remoteId: string; url: string | null }[]
      readonly more: string | null
    }
  | { readonly is: 'unavailable'; readonly detail: string }
  /** The grant is no longer accepted: no lookup is possible before the channel is reconnected. */
  | { readonly is: 'reauthorize' }

/** A channel's credential at its provider, as its adapter stores it: plain JSON, sealed at rest. */
export type Grant = Readonly<Record<string, unknown>>

/** What an upload proved. Nothing is public by an upload, so whatever is not understood is tried again: `deferred`. */
export type UploadVerdict =
  | { readonly is: 'uploaded'; readonly remoteId: string }
  | Extract<Verdict, { is: 'rejected' | 'deferred' | 'reauthorize' }>

/** A media item as it goes to the provider: within its limits already. */
export type UploadWork = {
  readonly grant: Grant
  readonly kind: MediaKind
  readonly file: FileToSend
  readonly altText: string | null
}

/** A media item at the provider, ready to be published with a part. */
export type RemoteMedia = {
  readonly remoteId: string
  readonly kind: MediaKind
  readonly altText: string | null
}

export type PublishWork = {
  readonly grant: Grant
  readonly text: string
  /** In order; empty for none. The same for every repeat of this one intent. */
  readonly media: readonly RemoteMedia[]
  readonly settings: Readonly<Record<string, unknown>>
  /** The part before and the first part, at the provider; null for the first. */
  readonly parent: { readonly remoteId: string } | null
  readonly root: { readonly remoteId: string } | null
  /** The same for every repeat of this one intent. */
  readonly idempotencyKey: string
}

export type LookupWork = PublishWork & {
  readonly armedAt: Date
  /** What the page before gave as `more`; null for the first one. */
  readonly page: string | null
}

export type PollWork = { readonly grant: Grant; readonly handle: string }

export type Exchange<Work, Outcome> = {
  readonly request: (work: Work) => HttpRequest
  readonly judge: (response: HttpResponse, work: Work) => Outcome
}

/** How long one part may be, how that is counted, and what it may carry. */
export type Limits = {
  readonly maxCharacters: number
  readonly characterCounting: CharacterCounting
  readonly media: MediaLimits
}

export type Adapter = {
  readonly provider: string
  readonly displayName: string
  readonly limits: Limits & {
    /** The limit of accounts with one of these subscriptions; for all others, and in doubt, it is `maxCharacters`. */
    readonly subscribed?: { readonly subscriptions: readonly string[]; readonly maxCharacters: number }
  }
  readonly supports: { readonly threads: boolean }
  /** Whether a repeat of the same call under the same key makes nothing new, and for how long. */
  readonly repeatable: { readonly windowMs: number } | null
  /** JSON Schema of what an author may set for this provider. */
  readonly settings: TSchema
  readonly grant: TSchema
  /** Makes a file known to the provider, before the part that shows it. It may be repeated; null where there is no media. */
  readonly uploadMedia: Exchange<UploadWork, UploadVerdict> | null
  readonly publish: Exchange<PublishWork, Verdict>
  readonly poll: Exchange<PollWork, PollVerdict> | null
  /** A part may be media without a word: what recognises it must compare the media, too, or it takes one for another. */
  readonly lookup: Exchange<LookupWork, LookupResult> | null
}

/** The enabled adapters by provider name. */
export type Providers = ReadonlyMap<string, Adapter>
