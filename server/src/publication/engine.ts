import type { RefreshGrant } from '../channels/refresh-grant.ts'
import type { ReadLinkCard } from '../media/link-cards.ts'
import type { Adapter, Call, Providers, Verdict } from '../providers/port.ts'
import type { Breaker } from './breaker.ts'
import type { CallTimes } from './call-times.ts'
import type {
  Conclusion,
  EngineStore,
  Evidence,
  MediaSource,
  Outcome,
  Settlement,
  Subject,
} from './engine-port.ts'
import { afterExpiry } from './fresh-grant.ts'
import { type AdapterFault, evidenceOf, exchange, type ExchangeContext, type Reply } from './exchange.ts'

/** What the engine runs on. Times are in milliseconds. */
export type Engine = CallTimes & {
  readonly store: EngineStore
  readonly providers: Providers
  readonly call: Call
  readonly media: MediaSource
  /** What real networks need besides calls; left out where none is spoken to. */
  readonly networks?: NetworkAccess
  /** A monotonic clock: it measures, and tells no time of day. */
  readonly clock: () => number
  /** Waits; ends early, without an error, when the signal does. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** In [0, 1). */
  readonly random: () => number
  readonly newId: () => string
  readonly breaker: Breaker
  /** From now on no new call is begun. */
  readonly stopping: AbortSignal
  readonly observe: (told: AttemptReport) => void
  /** An adapter threw: it has to be mended. The destination says so to its owner, and is tried again later. */
  readonly onAdapterFault: (fault: AdapterFault, subject: ExchangeContext['subject']) => void
}

/** What real networks need besides calls. */
export type NetworkAccess = {
  readonly refresh: RefreshGrant
  readonly readCard: ReadLinkCard
  /** The time of day, for record keys and for knowing whether an access token is over. */
  readonly now: () => Date
}

export type SettledAttempt = NonNullable<Settlement['attempt']>

/** One settlement, as it is logged and counted. */
export type AttemptReport = {
  readonly subject: Subject
  /** Null when no call was made. */
  readonly attempt: SettledAttempt | null
  readonly outcome: Outcome
  /** False: somebody else owns the destination by now, and nothing was changed. */
  readonly settled: boolean
}

/** The end of an attempt, and what shows it. */
export type Ended = { readonly conclusion: Conclusion; readonly evidence: Evidence }

/** Stores a settlement, however long the database is away: what a call told is known nowhere else. */
export function store(engine: Engine, settlement: Settlement): Promise<boolean> {
  return untilStored(engine, () => engine.store.settle(settlement))
}

const storeAgainAfterMs = 200
const storeAtMost = 150

/** Repeats a write until the store takes it. It has to be one that may be repeated. */
export async function untilStored<T>(engine: Engine, write: () => Promise<T>): Promise<T> {
  const never = new AbortController().signal
  for (let tries = 1; ; tries++) {
    try {
      return await write()
    } catch (cause) {
      if (tries >= storeAtMost) throw new Error('a settlement could not be stored', { cause })
      await engine.wait(storeAgainAfterMs, never)
    }
  }
}

/** What a poll of an accepted call showed; null while it is not finished, or cannot be asked. */
export type Polled = Ended | AdapterFault | { readonly is: 'forgotten' } | null

/**
 * Polls an accepted call: a poll changes nothing, so it may be repeated. Where the grant is no longer accepted, the
 * channel is told so, and the end is unknown.
 */
export async function poll(
  engine: Engine,
  adapter: Adapter,
  subject: Subject,
  handle: string,
): Promise<Polled> {
  if (adapter.poll === null) return null
  const work = { grant: subject.grant, handle }
  const reply = await exchange(engine, { adapter, exchange: 'poll', subject }, adapter.poll, work)
  if (reply.is === 'adapter_fault') return reply
  if (reply.is === 'unreadable') return reply.fault
  if (reply.is === 'silent') return null

  const { answer, verdict } = reply
  switch (verdict.is) {
    case 'published':
    case 'rejected':
      return { conclusion: verdict, evidence: evidenceOf('poll', answer, verdict) }
    case 'expired':
      await afterExpiry(engine, subject)
      return null
    case 'reauthorize': {
      await engine.store.disconnect(subject)
      const unknown = { is: 'unknown', detail: 'the provider no longer accepts the grant' } as const
      return { conclusion: unknown, evidence: evidenceOf('poll', answer, verdict) }
    }
    case 'forgotten':
      return verdict
    case 'accepted':
    case 'unknown':
      return null
  }
}

/** Whether a publish call showed that the provider answers as it should, whatever it said. */
export function providerWorks(reply: Reply<Verdict>): boolean {
  if (reply.is === 'silent' || reply.answer.response.status >= 500) return false
  return reply.is !== 'judged' || reply.verdict.is !== 'deferred' || reply.verdict.code === 'rate_limited'
}
