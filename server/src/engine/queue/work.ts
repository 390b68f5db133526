import type { DestinationError, PartStatus } from '@postrider/contract'
import type { MoveName } from '../destinations/destination-states.ts'
import type { Author } from '../../edge/operations/actor.ts'
import type { MediaFacts } from '../../networks/providers/port/check-media.ts'
import type { Json } from '../../networks/providers/port/calls.ts'
import type {
  DeferralCode,
  Authorization,
  DraftName,
  Limits,
  RemoteMedia,
  Verdict,
} from '../../networks/providers/port/port.ts'

/*
 * What the queue hands out, what comes back, and what the engine may ask of it. Storage comes in through here, so that
 * a simulation can run the engine on a store of its own.
 */

/** A time-bounded right to work on a destination. The fence proves that it is still ours. */
export type Lease = { readonly workspaceId: string; readonly destinationId: string; readonly fence: number }

export type WorkPart = {
  readonly index: number
  /** Whether it answers to the first part, and not to the one before it. */
  readonly firstComment: boolean
  readonly status: PartStatus
  readonly text: string
  readonly media: readonly WorkMedia[]
  readonly remoteId: string | null
  /** By the store's clock, when it was read; null or left out where it is not out. */
  readonly publishedMsAgo?: number | null
}

/** A media item of a part, as it is kept. */
export type WorkMedia = MediaFacts & { readonly mediaId: string; readonly storageKey: string }

/** A publish call that was armed, and whose end is not known. */
export type OpenAttempt = {
  readonly id: string
  readonly partIndex: number
  readonly armedAt: Date
  /** Milliseconds since it was armed, by the store's clock, when it was read. */
  readonly ageMs: number
  readonly handle: string | null
  /** The HTTP status that the call was answered with; null or left out where it was not. */
  readonly answered?: number | null
  /** What the call carries. */
  readonly media: readonly RemoteMedia[]
  /** What was found out before the call and stands in it. */
  readonly prepared?: Json
  /** It stands for what the server before a restore may have done, whatever was called here. */
  readonly restored?: boolean
}

/** A call for a part that was made before, and is held to have made nothing; of those that carried the same, the last. */
export type FormerCall = {
  readonly id: string
  readonly partIndex: number
  readonly key: string
  readonly media: readonly RemoteMedia[]
  readonly prepared: Json
  readonly armedAt: Date
  /** How many calls that carried the same were refused. */
  readonly refusals: number
  /** What was made for it is being removed. */
  readonly discarded: boolean
}

/** A post that a call given up before has made of a part, as its network said later. */
export type LatePost = {
  readonly attemptId: string
  readonly partIndex: number
  readonly remoteId: string
  readonly url: string | null
}

export type Subject = {
  readonly workspaceId: string
  readonly destinationId: string
  readonly postId: string
  readonly channelId: string
  readonly provider: string
  readonly connected: boolean
  /** Where the calls for its channel go, as far as it is known. */
  readonly origin: string | null
  /** Names the connection that the authorization was given by: a later one has another authorization. */
  readonly connection: string
  readonly authorization: Authorization
  /** The authorization cannot be decrypted with this server's keys: nothing may be asked of the provider. */
  readonly authorizationUnreadable?: boolean
  readonly settings: Readonly<Record<string, unknown>>
  /** The account's tier and the limits of its server, as they were read last. */
  readonly subscription: string | null
  readonly limits: Limits | null
  /** How many tries were deferred since it was last scheduled. */
  readonly tries: number
  readonly parts: readonly WorkPart[]
}

/** A destination to publish. */
export type Work = Subject &
  Lease & {
    /** A lost worker left it. */
    readonly orphan: boolean
    /** The call that a lost worker had armed, or that the provider is processing. */
    readonly attempt: OpenAttempt | null
    /** The last one first. */
    readonly formers: readonly FormerCall[]
    /** The proof of a part that is not known to be out, if it still says what the call with this key did. */
    readonly late?: (LatePost & { readonly key: string }) | null
    /** What is being removed of what was made for it. */
    readonly discarded: readonly DraftName[]
    /** How far the uploads of a part came, where they wait for their provider or count for later tries; null when none does. */
    readonly upload: WaitingUpload | null
    /** The outage that it is a probe of: by its call it is found out whether the network is back. */
    readonly probe: string | null
    /** Calls to its network failed lately: if this one does not, that has to be said. */
    readonly suspected: boolean
    /** How late the claim was, in milliseconds after the due time. */
    readonly lateMs: number
  }

/** A destination in `checking`, with the attempt that is in doubt. */
export type Doubt = Subject & {
  readonly attempt: OpenAttempt
  /** Its allowed time is over: it may be looked up, and not be sent again. */
  readonly expired: boolean
  /** How many calls for the part were found to have left nothing before this one. */
  readonly rounds: number
  /** Equal parts of ours on the same channel that are known to be out: a lookup must not take one for this. */
  readonly knownRemoteIds: readonly string[]
}

/** What one exchange showed, in our own words. */
export type Evidence = { readonly by: string; readonly [fact: string]: string | number | boolean | null }

/** Why work is tried again later. `adapter_fault`: the adapter failed before anything was sent. */
export type DelayCode =
  | DeferralCode
  | 'not_recorded'
  | 'target_refused'
  | 'adapter_fault'
  | 'access_renewed'
  | 'secret_unreadable'

/** The end of an attempt. `absent`: the provider provably has nothing. */
export type Conclusion =
  | Exclude<Verdict, { is: 'accepted' | 'deferred' | 'expired' }>
  | { readonly is: 'deferred'; readonly code: DelayCode; readonly afterMs: number | null }
  | { readonly is: 'absent' }

/** What becomes of a destination and its part. Durations count from the store's present. */
export type Outcome = {
  /** Null: the part is done, and the next one follows under the same lease. */
  readonly move: MoveName | null
  readonly part: PartStatus
  readonly remoteId: string | null
  readonly releaseUrl: string | null
  /** When a worker looks at it again; null for never by itself. */
  readonly dueInMs: number | null
  readonly error: DestinationError | null
  /** The channel's owner must reconnect it, unless that was done meanwhile. */
  readonly disconnects: boolean
  /** The provider asked the account for a pause: nothing else is sent on the channel until `dueInMs` is over. */
  readonly pausesChannel: boolean
  /**
   * What the destination waits for, where that is announced: another try that ends in the same wait is not announced
   * again. Null: the outcome is announced in any case.
   */
  readonly wait: string | null
  /** Nothing more is sent: the other parts that are not out are skipped, and nothing of it expires later. */
  readonly endsThread: boolean
}

export type Settlement = {
  readonly workspaceId: string
  readonly destinationId: string
  /** Null when a reconciliation settles: then the doubt of the attempt is the guard. */
  readonly fence: number | null
  /** The connection whose authorization was used; left out where none was used. */
  readonly connection?: string
  /** Whose word it settles by; left out by the engine. */
  readonly by?: Author
  /** Null when no call was made: then the parts stay as they are. */
  readonly attempt: {
    readonly id: string
    readonly partIndex: number
    readonly conclusion: Conclusion['is']
    readonly evidence: Evidence
    /** Concluded from a lookup and not from the call's own answer: void if an equal part is in flight. */
    readonly inferred: boolean
    /** What was made for the call stays at the network, though it is not shown. */
    readonly keepsDraft?: true
  } | null
  /** A part that was refused before any call, where there is no attempt. */
  readonly refusedPart?: number
  /** The attempt stands for what the server before a restore may have done. */
  readonly restored?: boolean
  /** What is uploaded of the part, for its next try; left out where that begins anew. */
  readonly upload?: WaitingUpload
  readonly outcome: Outcome
}

export type Intent = Lease & {
  readonly attemptId: string
  readonly partIndex: number
  /** The key of the call: see call-key.ts. */
  readonly key: string
  /** What the call carries; absent for nothing. */
  readonly media?: readonly RemoteMedia[]
  /** What was found out before the call and stands in it. */
  readonly prepared?: Json
  /** What was seen before the call, for people to know. */
  readonly evidence?: readonly Evidence[]
}

/** A call that went as if the network were away. */
export type NetworkFailure = {
  readonly origin: string
  readonly workspaceId: string
  readonly channelId: string
  readonly probe: string | null
}

/** How far a part came before its call. */
export type WaitingUpload = {
  readonly partIndex: number
  /** The media of the part, as they were then: with others, nothing of this counts. */
  readonly mediaIds?: readonly string[]
  /** Of the media before the one that waits; of all where none does. */
  readonly uploaded: readonly RemoteMedia[]
  /** It is not an upload that waits, but what is prepared after them all. */
  readonly preparing?: true
  /** From which the adapter resumes. */
  readonly checkpoint: Json
  /** How long it has waited in all. */
  readonly waitedMs: number
}

export type ProcessingWait = {
  readonly handle: string
  readonly pollInMs: number
  /** Why it could not be polled this time. */
  readonly error: DestinationError | null
}

/** What was made for a destination that has ended without it, with an authorization to remove it by. */
export type Leftover = Subject & {
  readonly name: DraftName
  /** How often its removal was tried, this time included. */
  readonly tried: number
}

/** What became of a leftover. `failed`: it was given up. */
export type LeftoverEnd = 'removed' | 'gone' | 'used' | 'failed'

export type SettledAttempt = NonNullable<Settlement['attempt']>

export type EngineStore = {
  /** Takes due destinations: at most one per channel, fairly between workspaces, and none that is held. */
  claim(limit: number): Promise<Work[]>
  /** Takes one destination for each outage whose probe is due. */
  claimProbes(limit: number): Promise<Work[]>
  /** Takes what lost workers left, and fences them off: their leases are over, or they are known to be dead. */
  claimOrphans(limit: number): Promise<Work[]>
  /** Takes what a provider is processing and what is to be polled now. */
  claimProcessing(limit: number): Promise<Work[]>
  /** Takes destinations in doubt whose next lookup is due, and schedules the lookup after it. */
  claimDoubts(limit: number): Promise<Doubt[]>
  /** Opens the attempt. False: the lease was lost, and no call may be made. */
  arm(intent: Intent): Promise<boolean>
  /**
   * Leaves an accepted call to its provider: keeps the handle, ends the lease, and has it polled later. The channel
   * stays taken. False: the lease was lost.
   */
  awaitProcessing(intent: Omit<Intent, 'key'>, wait: ProcessingWait): Promise<boolean>
  /** Leaves an upload to its provider in the same way. */
  awaitUpload(lease: Lease, upload: WaitingUpload, pollInMs: number): Promise<boolean>
  /** Evidence, part, destination and event, together. False: it is settled already. */
  settle(settlement: Settlement): Promise<boolean>
  /** Marks the channel as one that its owner must reconnect, unless that was done since the subject was read. */
  disconnect(subject: Pick<Subject, 'workspaceId' | 'channelId' | 'connection'>): Promise<void>
  /** Has nothing claimed on a channel for so long: its rate limit is spent. */
  pauseChannel(subject: Pick<Subject, 'workspaceId' | 'channelId'>, forMs: number): Promise<void>
  /** Records on a destination in doubt why it cannot be looked up. */
  noteDoubt(
    doubt: Pick<Doubt, 'workspaceId' | 'destinationId' | 'attempt'>,
    error: DestinationError,
  ): Promise<void>
  /** Keeps what a look for a call in doubt showed that proves nothing; looks that show the same are kept as one. */
  noteLook(doubt: Pick<Doubt, 'workspaceId' | 'destinationId' | 'attempt'>, evidence: Evidence): Promise<void>
  /** Notes what was made for an attempt and nobody sees, until its settlement says that it is shown. */
  noteDrafts(intent: Pick<Intent, keyof Lease | 'attemptId'>, names: readonly DraftName[]): Promise<void>
  /** Takes what is due to be removed: its destination has ended, and no attempt that begins from now on uses it. */
  claimLeftovers(limit: number): Promise<Leftover[]>
  endLeftover(
    leftover: Pick<Leftover, 'workspaceId' | 'destinationId' | 'name'>,
    end: LeftoverEnd,
  ): Promise<void>
  /**
   * Keeps that a call made a post whose destination had gone on without it, and tells of it where the part is out under another id. Gives
   * the attempt whose doubt it ends, of the same part; null for none.
   */
  noteLatePost(
    destination: Pick<Lease, 'workspaceId' | 'destinationId'>,
    post: LatePost,
  ): Promise<string | null>
  /** Makes `delayed` what is due, and was found held by a pause or an outage by a claim. Returns how many. */
  announceHolds(limit: number): Promise<number>
  /** Ends what is past its allowed time. Returns how many. */
  expire(limit: number): Promise<number>
}

/** What is known of networks as a whole: whether one is away, so that nothing is claimed for it but probes. */
export type Outages = {
  /** Notes where the calls for a channel go. True when that network, or the channel, is held. */
  learnOrigin(subject: Pick<Subject, 'workspaceId' | 'channelId'>, origin: string): Promise<boolean>
  recordFailure(failure: NetworkFailure): Promise<void>
  /** A call was answered as by a network that works: it is not away. */
  recordSuccess(origin: string): Promise<void>
  /** A probe ended without a call: another may go at once. */
  returnProbe(outageId: string): Promise<void>
}
