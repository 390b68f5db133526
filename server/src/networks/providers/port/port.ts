import type { ConnectionAspect, MediaKind, PartKind, QuotaUnit } from '@postrider/contract'
import type { TSchema } from 'typebox'
import type { Unreachable } from '../../../platform/outbound/reachable-address.ts'
import type { Bound, Limits } from './bounds.ts'
import type { FileToSend, HttpRequest, HttpResponse, Json, PrivateKey } from './calls.ts'
import type { Coding } from '../shared/codec-faults.ts'
import type { Procedure } from './procedure.ts'

/*
 * What a network is to the rest of the server.
 *
 * A `Provider` is data: enough to check a post and to answer `GET /me`. Its `load` gives the `Adapter`: pure functions
 * that build requests and judge answers. An adapter never does I/O, reads a clock, draws a random number or keeps state:
 * whatever it needs of these is in its work, or is asked for by a step (procedure.ts). All calls are made by the
 * server, so that no adapter can forget a time limit, the outbound guard or the evidence. A function that throws is a
 * fault of the adapter: it is reported, and nothing is concluded about the provider from it.
 *
 * There are two kinds of talk with a network:
 *
 * - An `Exchange` is one request and a judge of its answer. `publish` is one: it is the only irreversible request, made
 *   once per armed attempt by a client that neither repeats nor follows redirects.
 * - A `Procedure` is as many calls as it takes, written as a generator. Everything else is one: uploads, preparation,
 *   look-ups, connecting, refreshing. Any of its calls may be made again, so it must not make anything public.
 */

/** One request and what its answer proves. Both are pure. */
export type Exchange<Work, Outcome> = {
  readonly request: (work: Work) => HttpRequest
  readonly judge: (response: HttpResponse, work: Work) => Outcome
}

/* ------------------------------------------------------------------------------------------------------- publishing */

/** What a publish call proved. Whatever the adapter does not positively understand is `unknown`. */
export type Verdict =
  | { readonly is: 'published'; readonly remoteId: string; readonly url: string | null }
  /** The provider has it and is not finished; `handle` finds it again by `poll`. */
  | { readonly is: 'accepted'; readonly handle: string }
  /**
   * Provably not published, and never will be as it is. `detail` is in our words. With `keepsDraft` what was made for the call is not
   * removed: it tells its owner to use it.
   */
  | {
      readonly is: 'rejected'
      readonly code: RejectionCode
      readonly detail: string
      readonly keepsDraft?: true
    }
  /** Provably not published now. `afterMs` is the provider's own time, null when it named none. */
  | { readonly is: 'deferred'; readonly code: DeferralCode; readonly afterMs: number | null }
  /** Provably not published: the access token is over, and `refresh` can get another. For adapters with `refresh` only. */
  | { readonly is: 'expired' }
  /** Provably not published: the authorization is no longer accepted, and no refresh would change that. */
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
export type DeferralCode =
  | 'rate_limited'
  | 'provider_unavailable'
  | 'not_reached'
  | 'media_unavailable'
  /** Who signs for the account does not answer: nothing is said of the network by that. */
  | 'signer_away'
  /** It was just made there, and the network says that it is not: a draft, a token. Of a parent the engine says so. */
  | 'not_shown_yet'

/** What no call of a procedure before the publish call can have: nothing is public by it, so it is never in doubt. */
export type Refusal = Extract<Verdict, { is: 'rejected' | 'deferred' | 'expired' | 'reauthorize' }>

/** A channel's credential at its provider, as its adapter stores it: plain JSON, sealed at rest. */
export type Authorization = Readonly<Record<string, unknown>>

/** A media item as it goes to the provider: within its limits already. */
export type UploadWork = {
  readonly authorization: Authorization
  readonly kind: MediaKind
  readonly file: FileToSend
  /** Pixels of the file as it is sent; null where they are not known. */
  readonly width: number | null
  readonly height: number | null
  readonly altText: string | null
  /** Those of the part that shows it. */
  readonly settings: Readonly<Record<string, unknown>>
  /** The media of the part before this one, at the provider. */
  readonly before: readonly RemoteMedia[]
  /** What a `wait` of an earlier run kept; null at the first. */
  readonly checkpoint: Json
}

export type UploadVerdict = { readonly is: 'uploaded'; readonly media: UploadedMedia } | Refusal

/** What an upload made: an id, and what else the adapter needs to show the item in a post. */
export type UploadedMedia = {
  /** Unique to the upload where the provider's ids are. */
  readonly remoteId: string
  readonly details?: Json
}

/** A media item at the provider, ready to be published with a part. */
export type RemoteMedia = UploadedMedia & {
  readonly kind: MediaKind
  readonly altText: string | null
  /** Pixels of the file as it was sent; null where they are not known. */
  readonly width?: number | null
  readonly height?: number | null
}

/** One part, as it is meant. */
export type PartWork = {
  /** A `first_comment` comes with `supports.firstComment` alone: the last part, with a text and no media. */
  readonly kind: PartKind
  readonly authorization: Authorization
  readonly text: string
  /** In order; empty for none, and where there is no `upload`. The same for every repeat of this one intent. */
  readonly media: readonly RemoteMedia[]
  readonly settings: Readonly<Record<string, unknown>>
  /**
   * What it answers to, and the first part, at the provider; null for the first. A reply answers to the part before it, a first
   * comment to the first part.
   */
  readonly parent: { readonly remoteId: string } | null
  readonly root: { readonly remoteId: string } | null
  /** The same for every call of this one intent, also after one was taken for absent: a UUID. */
  readonly idempotencyKey: string
}

export type PrepareWork = PartWork & {
  /** The server's time, for record keys and creation times that are chosen before the call. */
  readonly now: Date
  /** What was prepared for the last call of this very intent, of which nothing is to be seen; null for none. */
  readonly former: Json
  /** How many calls with the `former` the network has refused. */
  readonly refusals: number
  /** Where the network fetches the media, in order; empty for none, and for a network without `fetchesMedia`. */
  readonly mediaAddresses: readonly MediaAddress[]
  /** What is being removed of what was made for the destination: it is not to be used again. */
  readonly discarded: readonly DraftName[]
  /** What a `wait` of an earlier run kept; null at the first. */
  readonly checkpoint: Json
}

/** A media item that a network fetches from this server, in the form that it takes. */
export type MediaAddress = {
  readonly kind: MediaKind
  readonly altText: string | null
  /** Good for some minutes, for this one item and post: a run that goes on from a checkpoint has another one. */
  readonly url: string
  readonly contentType: string
  readonly size: number
  /** Pixels of the file as it is given out; null where they are not known. */
  readonly width: number | null
  readonly height: number | null
}

/** `prepared` is stored with the attempt, before the call; it holds no secret. */
export type PrepareVerdict = { readonly is: 'prepared'; readonly prepared: Json } | Refusal

/** What was made of a part before its call, as far as it is known. */
export type Made = {
  readonly media: readonly RemoteMedia[]
  readonly prepared: Json
  /** Of an upload, or of what is prepared. */
  readonly checkpoint: Json
}

/** The kind of a thing that nobody sees, as people are told of it, and its id at the network. */
export type DraftName = `${'post' | 'photo' | 'video' | 'reel'}:${string}`

export type DiscardWork = { readonly authorization: Authorization; readonly name: DraftName }

export type DiscardVerdict =
  | { readonly is: 'removed' }
  /** It is not there. */
  | { readonly is: 'gone' }
  /** Somebody has published or changed it: it is left as it is. */
  | { readonly is: 'used' }
  /** Not now; a later try may succeed. */
  | { readonly is: 'unavailable' }
  | { readonly is: 'expired' }
  | { readonly is: 'reauthorize' }

export type PublishWork = PartWork & {
  /** What `prepare` gave; null where there is no `prepare`. The same for every repeat of this one intent. */
  readonly prepared: Json
  /** The files themselves, in order, for an adapter with `sendsFiles`; empty for all others, and in a look-up. */
  readonly files: readonly PartFile[]
}

/** A media item whose bytes go with the publish call: within the channel's limits already. */
export type PartFile = FileToSend & Pick<UploadWork, 'kind' | 'altText' | 'width' | 'height'>

export type PollWork = { readonly authorization: Authorization; readonly handle: string }

/** What a poll showed of a call that the provider had accepted. */
export type PollVerdict =
  | Exclude<Verdict, { is: 'deferred' }>
  /** The provider does not know the handle: only a lookup can tell what became of the call. */
  | { readonly is: 'forgotten' }

export type LookupWork = PublishWork & {
  readonly armedAt: Date
  /** What the clock of `armedAt` shows now. Where it is ahead of the network's, nothing may be left out by its age. */
  readonly now: Date
  /** Posts that are known to be another part's: never this call's. */
  readonly knownRemoteIds: readonly string[]
}

/** Of which kinds of posts it is known that a list of an account's posts shows them. What is not named is not known. */
export type ListShows = {
  readonly replies: boolean
  /** The values of each setting with which a post is shown. */
  readonly settings: Readonly<Record<string, 'any' | readonly Json[]>>
}

/** A post that was just published, by its id. */
export type AddressWork = { readonly authorization: Authorization; readonly remoteId: string }

/** What a read-only look at the provider showed of a call whose result is unknown. */
export type LookupResult =
  /**
   * `exact`: found by a key that only this call carried. Otherwise it was recognised by what it says, which proves
   * nothing while an equal part is in flight.
   */
  | { readonly is: 'found'; readonly remoteId: string; readonly url: string | null; readonly exact: boolean }
  /**
   * Looked for and not there. It counts only once every call is over and had time to show, and for a part of a kind that
   * `seen` is known to show; both is the engine's to judge.
   */
  | {
      readonly is: 'absent'
      /** Looked for by its own key, under which a post of any kind is seen; or in a list of the account's posts. */
      readonly seen: 'by key' | ListShows
      /**
       * This server is known to make nothing of a call whose key it has seen: then the call can be repeated while it is in
       * doubt, since all calls for a part carry one key.
       */
      readonly keepsKeys: boolean
    }
  /** What the call was to show is no longer the draft that it was: it is out, or in the hands of somebody. Which post it is, is not known. */
  | { readonly is: 'out'; readonly detail: string }
  /** What the call was to show is not there any more, so that nobody sees it. Whether anybody ever did is not known. */
  | { readonly is: 'gone'; readonly detail: string }
  | { readonly is: 'unavailable'; readonly detail: string }
  /** As in a verdict: nobody can look with this access token, or this authorization. */
  | { readonly is: 'expired' }
  | { readonly is: 'reauthorize' }

/* ----------------------------------------------------------------------------------------------- connecting, authorizations */

/** The account behind an authorization, as the network tells it. */
export type Account = {
  /** The network's own id of the account, unique in the provider and never given to another (no handle). */
  readonly remoteAccountId: string
  readonly displayName: string
  readonly handle: string
  readonly avatarUrl: string | null
  /** The account's tier, where that decides on limits; null where there is none or it is not told. */
  readonly subscription: string | null
  /** What this account's server takes, where servers differ; null: the provider's own limits hold. */
  readonly limits: Limits | null
}

/** When parts of an authorization end, as read from the authorization itself; null where the network names no such time. */
export type AuthorizationTimes = {
  /** The access token: a refresh gets another one. */
  readonly accessEndsAt: Date | null
  /** The authorization for good, however it is used: the owner has to reconnect before. */
  readonly authorizationEndsAt: Date | null
}

/** Why nothing was connected. Each comes with a sentence that says what to do. */
export type ConnectRefusalCode =
  /** A field is wrong: an address that is no server, a handle nobody has. */
  | 'invalid_field'
  /** Password, token or code were not accepted. */
  | 'credentials_refused'
  /** The owner said no. */
  | 'denied'
  | 'missing_scope'
  /** Suspended, taken down, or not allowed to post. */
  | 'account_unusable'

/** `field` names the member of `fields` that is at fault. */
export type ConnectRefusal = {
  readonly is: 'refused'
  readonly code: ConnectRefusalCode
  readonly detail: string
  readonly field?: string
}

/** An account, and what publishes as it. */
export type Grant = { readonly authorization: Authorization; readonly account: Account }

export type ConnectVerdict =
  | ({ readonly is: 'connected' } & Grant)
  | ConnectRefusal
  /** Not now; the same may succeed later. */
  | { readonly is: 'unavailable'; readonly detail: string }

/** `granted`: one sign-in gives access to several accounts, of which a person chooses. There is at least one. */
export type ExchangeVerdict =
  | ConnectVerdict
  | { readonly is: 'granted'; readonly grants: readonly [Grant, ...Grant[]] }

/** Fields that a person fills in, by name; they passed the schema. */
export type ConnectFields = Readonly<Record<string, string>>

/** Who we are to the network's authorization server. */
export type NetworkClient = {
  readonly clientId: string
  readonly clientSecret: string | null
  /** For clients that prove themselves by a signature; null for all others. */
  readonly key: (PrivateKey & { readonly kid: string }) | null
}

export type FormWork = { readonly fields: ConnectFields; readonly now: Date }

export type RegisterWork = { readonly server: string; readonly redirectUri: string }
export type RegisterVerdict =
  | { readonly is: 'registered'; readonly client: Pick<NetworkClient, 'clientId' | 'clientSecret'> }
  | Exclude<ConnectVerdict, { is: 'connected' }>

export type AuthorizeWork = {
  readonly fields: ConnectFields
  readonly client: NetworkClient
  readonly redirectUri: string
  /** To be sent as they are: they are ours to check. */
  readonly state: string
  readonly codeChallenge: string
  readonly now: Date
}

/** `kept` comes back in ExchangeWork; it is sealed at rest, and may hold secrets. */
export type AuthorizeVerdict =
  | { readonly is: 'authorize'; readonly url: URL; readonly kept: Json }
  /** The server has forgotten the client that was registered there: another one has to be. */
  | { readonly is: 'unknown_client' }
  | Exclude<ConnectVerdict, { is: 'connected' }>

export type ExchangeWork = {
  readonly client: NetworkClient
  readonly redirectUri: string
  readonly codeVerifier: string
  readonly kept: Json
  /** The query of the callback. State was checked, and a refusal by the owner was dealt with: there is a `code`. */
  readonly callback: Readonly<Record<string, string>>
  readonly now: Date
}

/** What a client document is made of. `key` is ours for this network, made once and kept sealed. */
export type ClientWork = {
  /** The address that this server is reached at, without a slash at its end. */
  readonly baseUrl: string
  /** Where the document is served. */
  readonly documentUrl: string
  readonly redirectUri: string
  readonly key: PrivateKey & { readonly kid: string }
}

/** Connecting by OAuth. `server` is where the client is known: instances have clients of their own. */
export type OauthConnect = {
  /** Where this network's client lives, for these fields: an origin, or '' where there is one for all. */
  readonly server: (fields: ConnectFields) => string | ConnectRefusal
  /** For `client: 'registered'`: makes the server's client, which is then kept and used for every account there. */
  readonly register: Procedure<RegisterWork, RegisterVerdict> | null
  /**
   * For `client: 'published'`: who we are, and the document that says so; null where the network needs none. The document
   * is public.
   */
  readonly publishClient: ((work: ClientWork) => { client: NetworkClient; document: Json | null }) | null
  readonly authorize: Procedure<AuthorizeWork, AuthorizeVerdict>
  readonly exchange: Procedure<ExchangeWork, ExchangeVerdict>
}

export type RefreshWork = {
  readonly authorization: Authorization
  readonly client: NetworkClient | null
  readonly now: Date
}

export type RefreshVerdict =
  /** The whole authorization as it is to be stored: what the network left out of its answer is taken from the old one. */
  | { readonly is: 'refreshed'; readonly authorization: Authorization }
  /** Only what the network documents as the end of an authorization. */
  | { readonly is: 'ended'; readonly detail: string }
  | { readonly is: 'unavailable'; readonly detail: string }

export type ProfileWork = { readonly authorization: Authorization; readonly now: Date }

export type ProfileVerdict =
  | { readonly is: 'profile'; readonly account: Account }
  | { readonly is: 'expired' }
  | { readonly is: 'reauthorize' }
  | { readonly is: 'unavailable'; readonly detail: string }

/* ------------------------------------------------------------------------------------------------------------ examining */

/** What a network may tell of an account, besides its time, which every answer has. */
export type Aspect = Exclude<ConnectionAspect, 'network' | 'clock'>

/** Where a network tells it: by what, the page that says so, and the day or month in which that was read. */
export type Told = {
  readonly by: string
  readonly source: string
  readonly read: string
  /** Nothing tells how much there is: only that nothing is left, or that the version is gone. */
  readonly faultsOnly?: true
}

export type ExamineWork = {
  readonly authorization: Authorization
  /** The app that the operator registered; null for a network without one. */
  readonly client: NetworkClient | null
  readonly now: Date
}

/** What a network said of an access. */
export type AccessState =
  /** `endsAt`: as the network says itself; null where it does not. */
  | { readonly is: 'accepted'; readonly endsAt: Date | null }
  /** As in a verdict. */
  | { readonly is: 'expired' }
  | { readonly is: 'reauthorize' }
  | { readonly is: 'suspended' }
  /** The app, not the account: it lacks a level, a permission or credits. */
  | { readonly is: 'app_refused' }
  /** Who signs for the account does not answer. */
  | { readonly is: 'signer_away' }
  /** An answer with this status does not say. */
  | { readonly is: 'unknown'; readonly status: number }

/** Of a limit: how many are left, of how many, and when it is whole again. What is not told is null. */
export type Quota = {
  readonly unit: QuotaUnit
  readonly left: number
  readonly of: number | null
  readonly resetsInMs: number | null
}

/** What a network told of an account. What is null, or an empty list, was not told. */
export type Examination = {
  readonly access: AccessState
  /** Scopes that publishing needs and the access lacks, or rights that the account lacks; empty where it has all. */
  readonly missing: { readonly scopes: readonly string[] } | { readonly rights: readonly string[] } | null
  readonly quotas: readonly Quota[]
  /** The account as it is now, where its limits or its subscription may change. */
  readonly account: Pick<Account, 'subscription' | 'limits'> | null
  /** The version that this code was written for, and whether it is answered. */
  readonly version: { readonly name: string; readonly answered: boolean } | null
}

/** How an account is examined: by calls that change nothing at its network. */
export type Examine = {
  readonly told: Readonly<Partial<Record<Aspect, Told>>>
  readonly ask: Procedure<ExamineWork, Examination>
}

/* ------------------------------------------------------------------------------------------- providers and adapters */

export { boxFor, type Limits, rangesFor, typesOfAnimation } from './bounds.ts'

export type MediaSize = Coding & {
  readonly kind: MediaKind
  readonly sizeBytes: number
  readonly width: number | null
  readonly height: number | null
  readonly durationMs: number | null
  readonly animated?: boolean
}

/** One part of a post on its way to this provider, for `check`. */
export type PartToCheck = {
  readonly kind: PartKind
  readonly text: string
  readonly index: number
  readonly mediaCount: number
  /** Of each of its media that the workspace has, in order. */
  readonly mediaKinds: readonly MediaKind[]
  /** The same items: bytes, and pixels and length, null where they are not known. */
  readonly mediaSizes: readonly MediaSize[]
  readonly settings: Readonly<Record<string, unknown>>
  readonly limits: Limits
}

/** What is wrong with a part, and what to do. */
export type PartFault = {
  readonly severity: 'error' | 'warning'
  readonly message: string
  readonly fix: string
}

/** The calls whose rate limits are watched: networks count them apart. */
export type CallPurpose = 'publish' | 'upload' | 'prepare'

/**
 * What is left of a rate limit, as an answer told it. `remaining` counts calls of the same purpose that are sure to be
 * taken; once it is 0, the channel is held until the limit resets, and no call is made that would be refused.
 */
export type RateBudget = { readonly remaining: number; readonly resetsInMs: number }

/**
 * The version of a network's API that all calls name. `endsOn`: from which day on it may no longer be answered, with the page that says so,
 * and the day on which that was read; null where nothing was found that names one.
 */
export type ApiVersion = { readonly name: string } & (
  | { readonly endsOn: null }
  | {
      readonly endsOn: `${number}-${number}-${number}`
      readonly source: string
      readonly read: string
    }
)

/** What can be known of a network without its code. */
export type ProviderFacts = {
  /** The name in the API: lower case, never changed. */
  readonly provider: string
  readonly displayName: string
  /** Which of its handles people write with an @: those of accounts without a name of their own are ids. Null for none. */
  readonly atHandles: RegExp | null
  readonly limits: Limits & {
    /** The limit of accounts with one of these subscriptions; for all others, and in doubt, it is `maxCharacters`. */
    readonly subscribed?: { readonly subscriptions: readonly string[]; readonly maxCharacters: number }
  }
  readonly supports: {
    readonly threads: boolean
    readonly lookup: boolean
    /** A comment can be published on the first part, also where there are no threads. */
    readonly firstComment?: true
  }
  /**
   * Draft, then flip: `upload` or `prepare` makes what nobody sees, under an id that is stored before the call, and `publish` makes it
   * public by that id. So `lookup` asks the draft itself, and knows exactly; a call for a part that was taken for absent is made again
   * with the draft that there is, and a lost answer before the call leaves a draft that nobody sees, and no post. `endAfterMs`: after so
   * long the network removes it; null where the adapter has to, as one of its `leftovers`.
   */
  readonly drafts?: { readonly endAfterMs: number | null }
  /** The network fetches media itself, from addresses of this server that `prepare` is given: there is no `upload`. */
  readonly fetchesMedia?: true
  /**
   * The id of one of an account's posts, as a verdict gives it, from an address that a person copied; null where the address
   * does not tell it.
   */
  readonly idAt: (address: URL, account: Pick<Account, 'remoteAccountId'>) => string | null
  /**
   * Whether a repeat of the same call under the same key makes nothing new, and for how long calls in doubt are repeated.
   * With `whereKept` only at servers of which a look-up says that they keep keys.
   */
  readonly repeatable: { readonly windowMs: number; readonly ifServerKeepsKeys?: true } | null
  /** Whether it refuses a text that the account has posted lately; left out where it takes one again at any time. */
  readonly refusesEqualTexts?: true
  /**
   * How long what a publish call left may take to be seen by `lookup`, in milliseconds, where the provider goes on
   * processing after its answer; the engine's own settling time when left out.
   */
  readonly settlingMs?: number
  /**
   * How long a call may be held up on its way to the provider after its caller gave up, in milliseconds; the engine's own
   * time when left out. 0 where such a call makes nothing, as under a key that the provider keeps, or cannot happen.
   */
  readonly lateCallMs?: number
  /** JSON Schema of what an author may set for this provider; every member is optional and described. */
  readonly settings: TSchema
  /** What the network publishes of its bounds; `limits` are those that hold for every post. */
  readonly bounds: readonly Bound[]
  /** What the limits cannot say. It is called by every post check and before delivery: pure, and fast. */
  readonly check?: (part: PartToCheck) => readonly PartFault[]
  /** Whose settings name its app, `<APP>_CLIENT_ID`, where networks share one; its own when left out. */
  readonly app?: string
  /** Left out where its API has no versions to choose from. */
  readonly apiVersion?: ApiVersion
  readonly connecting: Connecting
}

/**
 * How accounts are connected: by a form (what a person copies from the network), by OAuth, or by both; both are null
 * for accounts that are made in another way. `fields` is a flat object of strings with titles and descriptions; a
 * secret has the format `password`.
 */
export type Connecting = {
  readonly form: { readonly fields: TSchema } | null
  readonly oauth: {
    readonly fields: TSchema
    /**
     * `configured`: an app that the operator registered, named in the settings. `registered`: one that `register` makes,
     * kept per server. `published`: the client id is the URL of a document of ours, with a key of ours.
     */
    readonly client: 'configured' | 'registered' | 'published'
    readonly scope: string
    /** One sign-in can give access to several accounts. */
    readonly several?: true
  } | null
}

/** Where a network answers: its API, and the pages that people see. */
export type Origins = { readonly api: string; readonly site: string }

/** A network that is enabled on this server. `load` brings its code, once. */
export type Provider = ProviderFacts & {
  readonly load: () => Promise<Adapter>
  /** Why it cannot fetch media from this server; left out where it can, or need not. */
  readonly cannotFetch?: Unreachable
}

/** The enabled networks by provider name. */
export type Providers = ReadonlyMap<string, Provider>

export type Adapter = ProviderFacts & {
  /** JSON Schema of an authorization. */
  readonly authorization: TSchema
  readonly authorizationTimes: (authorization: Authorization) => AuthorizationTimes
  /** The origin of the server that publishes for this authorization: what is known to be down is told apart by it. */
  readonly origin: (authorization: Authorization) => string

  /** Makes a file known to the provider, before the part that shows it. Null where there is no media, or they go in another way. */
  readonly upload: Procedure<UploadWork, UploadVerdict> | null
  /** The publish call carries the files itself: they are in its `files`, and there is no `upload`. */
  readonly sendsFiles: boolean
  /**
   * An upload is a thing of its own at the network, which is there until it is removed: later tries of the part take the uploads that
   * there are, since another one would be another post, or the same file once more in a library that people see.
   */
  readonly keepsUploads: boolean
  /**
   * What has to be known before the call: accounts of mentions, a link's card, containers that are not public yet, the
   * newest post before this one. Comes after the uploads; its result is stored before arming. A long `wait` ends the run,
   * which another one continues from its checkpoint.
   */
  readonly prepare: Procedure<PrepareWork, PrepareVerdict> | null
  readonly publish: Exchange<PublishWork, Verdict>
  /**
   * Removes what was made before a call and nobody sees, of a destination that has ended without it. `discard` looks first, and leaves
   * alone what somebody has published or changed. Null where nothing is left behind, or the network removes it itself.
   */
  readonly leftovers: {
    readonly named: (made: Made) => readonly DraftName[]
    readonly discard: Procedure<DiscardWork, DiscardVerdict>
  } | null
  readonly poll: Exchange<PollWork, PollVerdict> | null
  /** A part may be media without a word: what recognises it must compare the media, too, or it takes one for another. */
  readonly lookup: Procedure<LookupWork, LookupResult> | null
  /**
   * Whether `lookup` asks for the very thing that the call is to make or to show, by an id or a key that is known before the call. Then no
   * refusal of the call is believed before it was asked for, and none is called for again before that: see `refused-calls.ts`.
   */
  readonly looksByKey: (work: Pick<PublishWork, 'kind'>) => boolean

  readonly form: Procedure<FormWork, ConnectVerdict> | null
  readonly oauth: OauthConnect | null
  /** Where the post is seen, for a network whose answer to the call does not say; null where it does. */
  readonly findAddress: Procedure<AddressWork, string | null> | null
  /** Null where access never ends before the authorization does. */
  readonly refresh: Procedure<RefreshWork, RefreshVerdict> | null
  /** Whether a refresh of this authorization whose answer was lost may be made again with the same refresh token. */
  readonly refreshRepeatable: (authorization: Authorization) => boolean
  readonly profile: Procedure<ProfileWork, ProfileVerdict> | null
  /** Null where nothing is known of how an account is examined: then nothing is told of it. */
  readonly examine: Examine | null

  /** Reads what any answer, a success too, tells of the limit that its purpose is counted by; null for nothing. */
  readonly budget: (response: HttpResponse, purpose: CallPurpose, now: Date) => RateBudget | null
}
