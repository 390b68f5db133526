import type { RefreshAuthorization } from '../../networks/channels/refresh-authorization.ts'
import type { ReadLinkCard } from '../../media/link-cards.ts'
import type { Call, FileToSend } from '../../networks/providers/port/calls.ts'
import type { Adapter, MediaAddress, Providers } from '../../networks/providers/port/port.ts'
import type {
  Conclusion,
  EngineStore,
  Outages,
  Outcome,
  SettledAttempt,
  Subject,
  WorkMedia,
} from '../queue/work.ts'
import type { CallTimes } from './call-times.ts'

/*
 * What the engine needs of the world. Time, storage and the network come in through here, so that a simulation can
 * run the engine through thousands of histories and stop it between any two steps.
 */

/** What a provider takes of a kind. */
export type MediaBounds = {
  readonly contentTypes: readonly string[]
  readonly maxBytes: number
  readonly maxWidth: number | null
  readonly maxHeight: number | null
  readonly fitted: boolean
}

/** Gives out media as a provider takes it: scaled or converted where it has to be, never cropped. */
export type MediaSource = {
  /** Throws when the bytes cannot be had at the moment. */
  readonly prepare: (item: WorkMedia, bounds: MediaBounds) => Promise<PreparedMedia | { unfit: string }>
}

export type PreparedMedia = {
  readonly file: FileToSend
  /** Pixels of the file as it is sent; null where they are not known. */
  readonly width: number | null
  readonly height: number | null
  /** To be called when the bytes are needed no longer. */
  readonly release: () => Promise<void>
}

/** Why no call was made for a part: nothing is unknown about it, and nothing of it is public. */
export type PartRefusal = Extract<Conclusion, { is: 'rejected' | 'deferred' | 'reauthorize' }>

/** What the engine runs on. Times are in milliseconds. */
export type Engine = CallTimes & {
  readonly store: EngineStore
  readonly providers: Providers
  readonly call: Call
  readonly media: MediaSource
  /** What real networks need besides calls; left out where none is spoken to. */
  readonly networks?: NetworkAccess
  /** A monotonic clock, for durations only. */
  readonly clock: () => number
  /** Waits; ends early, without an error, when the signal does. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** In [0, 1). */
  readonly random: () => number
  readonly newId: () => string
  readonly outages: Outages
  /** From now on no new call is begun. */
  readonly stopping: AbortSignal
  readonly observe: (report: AttemptReport) => void
  /** A fault of ours that changes nothing for the destination. */
  readonly onFault: (fault: unknown, doing: EngineTask) => void
  /** An adapter threw, which is a bug of it. The destination's error says so, and it is retried later. */
  readonly onAdapterFault: (fault: AdapterFault, subject: ExchangeContext['subject']) => void
}

/** A function of an adapter threw. */
export type AdapterFault = {
  readonly is: 'adapter_fault'
  readonly provider: string
  /** Which function, as `publish.judge`. */
  readonly adapterFunction: string
  readonly cause: unknown
}

/** Whose exchange or procedure it is: an adapter's, by its name in the port, on behalf of a destination. */
export type ExchangeContext = {
  readonly adapter: Pick<Adapter, 'provider'>
  readonly exchange: string
  readonly subject: Pick<Subject, 'workspaceId' | 'destinationId' | 'channelId'>
}

/** What real networks need besides calls. */
export type NetworkAccess = {
  readonly refresh: RefreshAuthorization
  readonly readCard: ReadLinkCard
  /**
   * Where a network fetches an item of a destination itself, in the form that it takes. Throws when the bytes cannot be had at
   * the moment. Left out where no such network is spoken to.
   */
  readonly addressMedia?: (
    destination: Pick<Subject, 'workspaceId' | 'destinationId'>,
    item: WorkMedia,
    bounds: MediaBounds,
  ) => Promise<Omit<MediaAddress, 'kind' | 'altText'> | { unfit: string }>
  /** The time of day, for record keys and for knowing whether an access token is over. */
  readonly now: () => Date
}

/** One settlement, as it is logged and counted. */
export type AttemptReport = {
  readonly subject: Subject
  /** Null when no call was made. */
  readonly attempt: SettledAttempt | null
  readonly outcome: Outcome
  /** False: another worker owns the destination by now, and nothing was changed. */
  readonly settled: boolean
}

/** What the engine does, by the names that its faults are counted under. */
export const engineTasks = [
  'claim',
  'publish',
  'poll',
  'doubts',
  'resolve',
  'heartbeat',
  'orphans',
  'holds',
  'expiry',
  'leftovers',
  'resume',
  'recovery',
  'network',
  'rate limit',
  'adapter',
] as const
export type EngineTask = (typeof engineTasks)[number]
